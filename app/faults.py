"""What each rank of a run died of, as far as its logs say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.kept import Kept
from app.reader import Reader, owner
from app.series.homes import Homes
from app.series.ranks.crowd import Crowd, Fault, crowds
from app.stored import RunSeries, RunStore, StoredEvents
from collector.wire.records import RunEvent

KINDS = ("error", "traceback")
RUNS = 64  # whose crowds are kept


@dataclass(slots=True)
class _Held:
    lines: StoredEvents | None = None
    attempts: int = 0
    found: Sequence[Crowd] = ()


class Faults:
    """Errors of runs; safe to share between threads."""

    def __init__(self, store: RunStore, reader: Reader) -> None:
        """Nothing is read before the first question."""
        self._store, self._reader = store, reader
        self._held = Kept(RUNS, _Held, lambda _: 1)

    def of(self, run: RunSeries) -> Sequence[Crowd]:
        """The ranks that met an error in the newest attempt that has some, equal ones together. Raises StoreAway."""
        lines, known = self._store.events(run.id), self._reader.timeline(run)
        with self._held.using(run.id) as held:
            if held.lines is not lines or held.attempts != len(known.attempts):
                speaker = owner(run) or 0
                found = list(_attempts(lines.events, Homes(known)))
                newest = max((attempt for attempt, _ in found), default=0)
                held.found = crowds(_faults([one for attempt, one in found if attempt == newest], speaker))
                held.lines, held.attempts = lines, len(known.attempts)
            return held.found


def _attempts(events: Sequence[RunEvent], homes: Homes) -> Iterator[tuple[int, RunEvent]]:
    """The lines that tell of errors, each with its attempt; one without a clock belongs to the line before it."""
    before: dict[str, float] = {}
    for event in events:
        if event.kind in KINDS:
            yield homes.of(event, before.get(event.file, float("-inf"))), event
        if event.wall is not None:
            before[event.file] = event.wall


def _faults(events: Sequence[RunEvent], speaker: int) -> Iterator[Fault]:
    """Of each rank its first error line, with its first traceback: the exception that ended it, and where it was."""
    traces: dict[int, RunEvent] = {}
    for event in events:
        if event.kind == "traceback":
            traces.setdefault(speaker if event.rank is None else event.rank, event)
    for event in events:
        rank = speaker if event.rank is None else event.rank
        trace = traces.get(rank)
        said, frames = (trace.text, trace.frames) if trace else ("", ())
        yield Fault(rank, event.text, said, event.step, event.wall, frames)
