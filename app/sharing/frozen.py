"""A RunStore of one run as it was, for everything that reads runs: pages, API, maps of ranks.

Points are read where they lie, up to where each series ended. Whatever is read is proved by the last point that the
series had: a store that was emptied and filled again has other points there, and then there is no snapshot any more. A
fold, which an open snapshot prevents and a collector that knows of none may do, moves places: those are found again.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.event_cache import MOST
from app.ranged import Ranged
from app.sharing.freezing import proof
from app.sharing.snapshot import End, Moment, Snapshot
from app.sharing.veil import Veil
from app.still import Still
from app.stored import LeanRun, RunStore, StoredEvents, StoredRun
from collector.wire.folded import head_of
from collector.wire.records import Cursor, Heartbeat, RunId

EVENTS = 500  # the newest of them, as app.store has them of a run that goes on
TRIES = 3  # a fold may come while one is looked for

Place = tuple[str, int, int]


class Altered(Exception):
    """The store does not hold any more what the snapshot shows."""


class FrozenStore(Ranged, Still):
    """RunStore of exactly one run: any other does not exist, and nothing comes any more. Safe to share between threads.
    Every method may raise Altered."""

    def __init__(self, store: RunStore, snapshot: Snapshot) -> None:
        """Points are read from ``store``; hosts and paths are told as the snapshot's author wants it."""
        self._store, self._snapshot, self._veil = store, snapshot, Veil(snapshot)
        self._moment, self._real = self._veil.moment()
        self._ends = dict(self._moment.ends)
        self._run: StoredRun | None = None
        self._events: StoredEvents | None = None
        self._lock = threading.Lock()
        run = self._moment.run
        generations = [one for one in run.generations if one.reason != "first"]
        folded = any(one.kept for one in self._ends.values())
        self._lean = LeanRun(run.id, run.position, run.series, generations, run.facts, folded, run.record.path)

    @property
    def id(self) -> RunId:
        """The run that there is."""
        return self._snapshot.label.run

    @property
    def moment(self) -> Moment:
        """What there was beside points and events, as it is told."""
        return self._moment

    def ended(self) -> Sequence[End]:
        """Where each series ends, as it lies in the store by now. Raises StoreAway, Altered."""
        changed = [sid for sid, told in zip(self._ends, self._folds(), strict=True) if told != _fold(self._ends[sid])]
        if changed:
            self._find(changed)
        return list(self._ends.values())

    @property
    def url(self) -> str:
        """Nobody is told where the points lie."""
        return ""

    def runs(self) -> Sequence[RunId]:
        """See RunStore."""
        return [self.id]

    def run(self, run_id: RunId) -> StoredRun | None:
        """See RunStore."""
        if run_id != self.id:
            return None
        if self._run is None:
            self._run = replace(self._moment.run, events=self.events(run_id).events[-EVENTS:])
        return self._run

    def lean(self, run_id: RunId) -> LeanRun | None:
        """See RunStore."""
        return self._lean if run_id == self.id else None

    def hosts(self, run_id: RunId) -> Mapping[str, str]:
        """See RunStore."""
        cursors = self._moment.run.cursors.values() if run_id == self.id else ()
        return {one.file: one.host for one in cursors if one.host}

    def events(self, run_id: RunId) -> StoredEvents:
        """See RunStore."""
        if run_id != self.id:
            return StoredEvents((), 0)
        with self._lock:
            if self._events is None:
                self._events = self._told()
            return self._events

    def _told(self) -> StoredEvents:
        counts = self._moment.events
        found = self._store.events_until(self.id, counts)
        if len(found.events) < min(sum(counts.values()), MOST):
            raise Altered
        return StoredEvents(list(map(self._veil.event, found.events)), found.total)

    def event_counts(self, run_id: RunId) -> Mapping[str, int]:
        """See RunStore."""
        return self._moment.events if run_id == self.id else {}

    def events_until(self, run_id: RunId, counts: Mapping[str, int]) -> StoredEvents:
        """See RunStore."""
        return self.events(run_id)

    def cursors(self, run_id: RunId) -> Sequence[Cursor]:
        """See RunStore."""
        return list(self._moment.run.cursors.values()) if run_id == self.id else ()

    def heartbeats(self) -> Sequence[Heartbeat]:
        """Those that were heard then, as far as they told of this run."""
        return self._moment.beats

    def lengths(self, run_id: RunId, sids: Sequence[str]) -> Sequence[int]:
        """See RunStore."""
        return [self._end(run_id, sid).length for sid in sids]

    def kept(self, run_id: RunId, sids: Sequence[str]) -> Sequence[int]:
        """See RunStore."""
        return [self._end(run_id, sid).kept for sid in sids]

    def folds(self, run_id: RunId, sids: Sequence[str]) -> Sequence[tuple[int, int]]:
        """See RunStore."""
        return [_fold(self._end(run_id, sid)) for sid in sids]

    def folded(self, run_id: RunId, sids: Sequence[str]) -> Sequence[bytes]:
        """See RunStore."""
        mine = [sid for sid in sids if self._end(run_id, sid).kept]
        if not mine:
            return [b""] * len(sids)
        texts = dict(zip(mine, self._store.folded(self.id, [self._real[sid] for sid in mine]), strict=True))
        moved = [sid for sid, text in texts.items() if head_of(text) != _fold(self._ends[sid])]
        if moved:
            self._find(moved)
        return [texts.get(sid, b"") for sid in sids]

    def ranges(self, run_id: RunId, places: Sequence[Place]) -> Sequence[bytes]:
        """See RunStore."""
        for _ in range(TRIES):
            cuts = [self._cut(run_id, *one) for one in places]
            sids = list(dict.fromkeys(sid for sid, _, count in cuts if count))
            lasts = [(self._real[sid], self._ends[sid].length - 1, 1) for sid in sids]
            asked = [(self._real[sid], at, count) for sid, at, count in cuts if count]
            found = list(self._store.ranges(self.id, [*asked, *lasts])) if asked else []
            proofs = zip(sids, found[len(asked) :], strict=True)
            if not (moved := [sid for sid, last in proofs if proof(last) != self._ends[sid].proof]):
                blocks = iter(found)
                return [next(blocks) if count else b"" for _, _, count in cuts]
            self._find(moved)
        raise Altered

    def version(self) -> str | None:
        """See RunStore."""
        return self._store.version()

    def _folds(self) -> Sequence[tuple[int, int]]:
        return self._store.folds(self.id, [self._real[sid] for sid in self._ends])

    def _end(self, run_id: RunId, sid: str) -> End:
        return self._ends.get(sid, NONE) if run_id == self.id else NONE

    def _cut(self, run_id: RunId, sid: str, at: int, count: int) -> Place:
        """So much of it as there was."""
        at = max(0, at)
        return sid, at, max(0, min(count, self._end(run_id, sid).length - at))

    def _find(self, sids: Sequence[str]) -> None:
        """Where series end by now of which points were folded meanwhile. Raises Altered where that is not why."""
        folds = self._store.folds(self.id, [self._real[sid] for sid in sids])
        for sid, (folded, kept) in zip(sids, folds, strict=True):
            before = self._ends[sid]
            if folded <= before.folded or folded > before.written:
                raise Altered
            self._ends[sid] = End(kept + before.written - folded, folded, kept, before.proof)


NONE = End(0)


def _fold(end: End) -> tuple[int, int]:
    return end.folded, end.kept
