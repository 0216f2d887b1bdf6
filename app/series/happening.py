"""Something that happened to a run, told once however many ranks and files tell it. Pure; times are Unix seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from collector.wire.records import RunEvent

STARTS = ("start", "resume", "compile")

Detail = Mapping[str, str | int | float | None]
"""What a page says in its reader's language: names and numbers, never sentences."""


@dataclass(frozen=True, slots=True)
class Happening:
    """``text`` is the raw line, empty for what only curves tell; ``file`` the log that has it, below the run's
    directory; ``wall`` its clock; ``attempt`` the attempt of the run that it belongs to."""

    kind: str
    text: str = ""
    step: int | None = None
    last_step: int | None = None  # of a burst; else the same step
    wall: float | None = None
    ranks: tuple[int, ...] = ()
    times: int = 1
    file: str = ""
    detail: Detail = field(default_factory=dict)
    attempt: int = 1


def once(events: Iterable[RunEvent]) -> list[Happening]:
    """Newest first, each step's event once, though every rank tells of the same checkpoint; steps that follow each
    other with the same event (a burst of overflows) in one."""
    shown: list[Happening] = []
    for one in map(merged, reversed(grouped(timed(events), lambda _event: 0))):
        if shown and goes_on(one, shown[-1]):
            shown[-1] = replace(one, last_step=shown[-1].last_step, times=shown[-1].times + 1)
        else:
            shown.append(one)
    return shown


def grouped(events: Iterable[RunEvent], attempt_of: Callable[[RunEvent], int]) -> list[list[RunEvent]]:
    """The tellings of each thing that happened, in the order of the first of each: the same kind at the same step (or,
    without a step, with the same words) of the same attempt."""
    told: dict[tuple[int, str, int | str], list[RunEvent]] = {}
    for event in events:
        place = event.text if event.step is None else event.step
        told.setdefault((attempt_of(event), event.kind, place), []).append(event)
    return list(told.values())


def clocked(events: Iterable[RunEvent], clock_at: Callable[[RunEvent, float], float | None]) -> list[RunEvent]:
    """The same events; one without a clock (a traceback's end) has that of the line before it in its file, or of its
    step, whichever is later. ``clock_at`` knows the clock of such a line's step, by the clock of the line before."""
    last: dict[str, float] = {}
    found = []
    for event in events:
        wall = event.wall
        if wall is None:
            before = last.get(event.file, float("-inf"))
            at_step = clock_at(event, before)
            wall = max(before, float("-inf") if at_step is None else at_step)
        last[event.file] = wall
        found.append(event if wall == event.wall or wall == float("-inf") else replace(event, wall=wall))
    return found


def timed(events: Iterable[RunEvent]) -> list[RunEvent]:
    """In order of time. A line without a clock, such as a traceback's, belongs to the line before it in its file."""
    last: dict[str, float] = {}
    at: list[tuple[float, int, RunEvent]] = []
    for number, event in enumerate(events):
        last[event.file] = event.wall if event.wall is not None else last.get(event.file, 0.0)
        at.append((last[event.file], number, event))
    return [event for _wall, _number, event in sorted(at, key=lambda one: one[:2])]


def merged(same: Sequence[RunEvent]) -> Happening:
    """The first telling, with every rank that told it."""
    first = same[0]
    ranks = tuple(sorted({one.rank for one in same if one.rank is not None}))
    walls = [one.wall for one in same if one.wall is not None]
    wall = min(walls, default=None)
    return Happening(first.kind, first.text, first.step, first.step, wall, ranks, file=first.file)


def started_once(told: Iterable[Happening]) -> list[Happening]:
    """The same, a start of the job once: several lines of each kind (building, initialising) lead to one. What is said
    again in the same words is another start."""
    found: list[Happening] = []
    begun: dict[str, set[str]] = {}  # kind → the lines of it since training went on
    for one in told:
        if one.kind not in STARTS:
            begun.clear()
        elif one.kind in begun and one.text not in begun[one.kind]:
            begun[one.kind].add(one.text)
            continue
        else:
            begun[one.kind] = {one.text}
        found.append(one)
    return found


def goes_on(event: Happening, later: Happening) -> bool:
    """Whether ``later`` is the same at the next step."""
    if event.step is None or later.step is None:
        return False
    return (event.kind, event.text, event.step + 1) == (later.kind, later.text, later.step)
