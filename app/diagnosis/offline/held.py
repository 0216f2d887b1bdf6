"""A RunStore of what was handed over, without Redis: what is small in memory, points in a spool."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from app.diagnosis.offline.spool import Extents, Spool
from app.ranged import Ranged
from app.still import Still
from app.stored import LeanRun, StoredEvents, StoredRun
from collector.wire.delivery import Commit
from collector.wire.records import (
    POINT_BYTES,
    Cursor,
    FileState,
    Generation,
    Heartbeat,
    RunEvent,
    RunId,
    RunRecord,
    SeriesMeta,
)
from collector.wire.schema import SCHEMA_VERSION

EVENTS = 20_000  # newest of a run that are kept
POSITION = "1-0"  # in a stream on which nothing comes: what was read once stays true
Wanted = Callable[[SeriesMeta], bool]


@dataclass(slots=True)
class Held:
    """All of one run; ``total`` counts its events."""

    record: RunRecord
    series: dict[str, SeriesMeta] = field(default_factory=dict)
    extents: dict[str, Extents] = field(default_factory=dict)
    cursors: dict[str, Cursor] = field(default_factory=dict)
    generations: dict[tuple[str, int], Generation] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    events: deque[RunEvent] = field(default_factory=lambda: deque(maxlen=EVENTS))
    total: int = 0
    points: int = 0


class HeldStore(Ranged, Still):
    """``wanted`` says of which series points are kept; of all others it is known that they are there. Its runs do not
    change while they are read."""

    def __init__(self, spool: Spool, wanted: Wanted = lambda meta: True) -> None:
        self.held: dict[RunId, Held] = {}
        self.files, self.problems = 0, tuple[FileState, ...]()  # set from outside, at the end
        self._spool, self._wanted = spool, wanted

    def add(self, told: Commit) -> None:
        """One more commit. Raises OSError when there is no room for its points."""
        mine = self.held.setdefault(told.run.id, Held(told.run))
        for meta, points in told.blocks:
            mine.series[meta.sid] = meta
            if self._wanted(meta):
                self._spool.add(mine.extents.setdefault(meta.sid, Extents()), points)
        mine.points += sum(len(points) for _, points in told.blocks) // POINT_BYTES
        mine.cursors |= {one.file: one for one in told.cursors}
        mine.generations |= {(one.file, one.generation): one for one in told.generations}
        mine.facts |= told.facts
        mine.events.extend(told.events)
        mine.total += len(told.events)

    @property
    def url(self) -> str:
        """There is no server."""
        return ""

    def runs(self) -> Sequence[RunId]:
        """See RunStore."""
        return sorted(self.held)

    def run(self, run_id: RunId) -> StoredRun | None:
        """See RunStore."""
        mine = self.held.get(run_id)
        if mine is None:
            return None
        generations, events = list(mine.generations.values()), list(mine.events)
        return StoredRun(mine.record, None, None, POSITION, mine.series, mine.cursors, generations, mine.facts, events)

    def lean(self, run_id: RunId) -> LeanRun | None:
        """See RunStore."""
        mine = self.held.get(run_id)
        if mine is None:
            return None
        generations = [one for _, one in sorted(mine.generations.items()) if one.reason != "first"]
        return LeanRun(run_id, POSITION, mine.series, generations, mine.facts, path=mine.record.path)

    def hosts(self, run_id: RunId) -> Mapping[str, str]:
        """See RunStore."""
        return {}

    def events(self, run_id: RunId) -> StoredEvents:
        """See RunStore."""
        mine = self.held[run_id]
        return StoredEvents(list(mine.events), mine.total)

    def event_counts(self, run_id: RunId) -> Mapping[str, int]:
        """See RunStore."""
        return {run_id: self.held[run_id].total}

    def events_until(self, run_id: RunId, counts: Mapping[str, int]) -> StoredEvents:
        """Nothing comes any more."""
        return self.events(run_id)

    def cursors(self, run_id: RunId) -> Sequence[Cursor]:
        """See RunStore."""
        return list(self.held[run_id].cursors.values())

    def lengths(self, run_id: RunId, sids: Sequence[str]) -> Sequence[int]:
        """See RunStore."""
        return [self._extents(run_id, sid).length for sid in sids]

    def ranges(self, run_id: RunId, places: Sequence[tuple[str, int, int]]) -> Sequence[bytes]:
        """See RunStore."""
        return [self._spool.read(self._extents(run_id, sid), at, count) for sid, at, count in places]

    def kept(self, run_id: RunId, sids: Sequence[str]) -> Sequence[int]:
        """Nothing is folded."""
        return [0] * len(sids)

    def folds(self, run_id: RunId, sids: Sequence[str]) -> Sequence[tuple[int, int]]:
        """Nothing is folded."""
        return [(0, 0)] * len(sids)

    def folded(self, run_id: RunId, sids: Sequence[str]) -> Sequence[bytes]:
        """Nothing is folded."""
        return [b""] * len(sids)

    def heartbeats(self) -> Sequence[Heartbeat]:
        """Of whoever read the files: what could not be read."""
        roots = tuple(one.record.path for one in self.held.values())
        return [Heartbeat("", "", 0, roots, 0.0, self.files, 0, 0, self.problems)] if self.held else ()

    def version(self) -> str | None:
        """See RunStore."""
        return SCHEMA_VERSION

    def _extents(self, run_id: RunId, sid: str) -> Extents:
        return self.held[run_id].extents.get(sid) or Extents()
