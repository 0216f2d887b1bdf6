"""What the pages show of a run. Pure; times are Unix seconds, and ``None`` means that the files do not say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from app.series.attempts import Attempt
from app.series.overview import Overview
from app.stored import StoredRun
from collector.wire.records import RunEvent

TRAINING = ("loss", "lr", "grad_norm")  # metrics whose files are named in the head


@dataclass(frozen=True, slots=True)
class EventShown:
    """One thing that happened, told once however many ranks and files tell it."""

    kind: str
    text: str
    step: int | None = None
    last_step: int | None = None  # of a burst; else the same step
    wall: float | None = None
    ranks: tuple[int, ...] = ()
    times: int = 1


@dataclass(frozen=True, slots=True)
class Counts:
    """What was counted in a run's curves; None = the run has no such curve."""

    not_finite: int = 0  # points of loss and gradient norm that are NaN or infinite
    overflows: int | None = None  # steps whose overflow flag is set


@dataclass(frozen=True, slots=True)
class RunShown:
    """One run, as the run page shows it."""

    run: StoredRun
    seen: Overview
    events: Sequence[EventShown] = ()  # newest first
    attempts: Sequence[Attempt] = ()
    counts: Counts = Counts()

    @property
    def id(self) -> str:
        """Its id, as in its address."""
        return self.run.id

    @property
    def name(self) -> str:
        """What a person calls it."""
        return self.run.record.name

    @property
    def state(self) -> str:
        """A word for words.states.STATUSES: the collector's doing is told apart from the training's."""
        state = self.seen.freshness.state
        return state if state in ("collector_away", "catching_up") else self.seen.status

    @property
    def is_going(self) -> bool:
        """Whether more may come."""
        return self.seen.status not in ("finished", "failed")

    @property
    def touched(self) -> float | None:
        """When its files last grew, by their own times; of a copy of older files, when its last point was written."""
        return self.seen.freshness.touched

    @property
    def ranks(self) -> tuple[int, ...]:
        """Every rank that wrote something."""
        return tuple(sorted({one.rank for one in self.run.series.values() if one.rank is not None}))

    @property
    def sources(self) -> tuple[str, ...]:
        """What kinds of file the curves come from."""
        return tuple(sorted({one.source for one in self.run.series.values() if one.metric in TRAINING}))

    @property
    def unreadable(self) -> int:
        """Records that could not be read."""
        return sum(sum(one.counts.values()) for one in self.run.cursors.values())

    def events_of(self, kind: str) -> int:
        """How often something happened, as far as the events reach."""
        return sum(one.times for one in self.events if one.kind == kind)


def once(events: Iterable[RunEvent]) -> list[EventShown]:
    """Newest first, each step's event once, though every rank tells of the same checkpoint; steps that follow each
    other with the same event (a burst of overflows) in one."""
    told: dict[tuple[str, int | str], list[RunEvent]] = {}
    for event in timed(events):
        told.setdefault((event.kind, event.text if event.step is None else event.step), []).append(event)
    shown: list[EventShown] = []
    for one in map(merged, reversed(list(told.values()))):
        if shown and goes_on(one, shown[-1]):
            shown[-1] = replace(one, last_step=shown[-1].last_step, times=shown[-1].times + 1)
        else:
            shown.append(one)
    return shown


def timed(events: Iterable[RunEvent]) -> list[RunEvent]:
    """In order of time. A line without a clock, such as a traceback's, belongs to the line before it in its file."""
    last: dict[str, float] = {}
    at: list[tuple[float, int, RunEvent]] = []
    for number, event in enumerate(events):
        last[event.file] = event.wall if event.wall is not None else last.get(event.file, 0.0)
        at.append((last[event.file], number, event))
    return [event for _wall, _number, event in sorted(at, key=lambda one: one[:2])]


def merged(same: Sequence[RunEvent]) -> EventShown:
    """The first telling, with every rank that told it."""
    first = same[0]
    ranks = tuple(sorted({one.rank for one in same if one.rank is not None}))
    walls = [one.wall for one in same if one.wall is not None]
    return EventShown(first.kind, first.text, first.step, first.step, min(walls, default=None), ranks)


def goes_on(event: EventShown, later: EventShown) -> bool:
    """Whether ``later`` is the same at the next step."""
    if event.step is None or later.step is None:
        return False
    return (event.kind, event.text, event.step + 1) == (later.kind, later.text, later.step)
