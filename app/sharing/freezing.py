"""Freezes a run: everything that is small is read, and of each series how long it is."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.diagnosis.store import AlertStore
from app.notes.store import NoteStore
from app.series.clocks import covers
from app.sharing.encoding import lean_cursor
from app.sharing.snapshot import End, Moment
from app.stored import RunStore, StoredRun
from collector.wire.records import Heartbeat, RunId, SeriesMeta


class Unsettled(Exception):
    """The store was emptied, or points were folded, while the run was being frozen: try again."""


@dataclass(frozen=True, slots=True)
class Freezer:
    """Reads what a snapshot holds."""

    store: RunStore
    alerts: AlertStore
    notes: NoteStore

    def moment(self, run_id: RunId) -> Moment | None:
        """The run as it is now; None when there is no such run. What it costs does not depend on how many points there
        are. Raises StoreAway, Unsettled."""
        run = self.store.run(run_id)
        if run is None:
            return None
        ends = _ends(self.store, run_id, run.series)
        ((alerts, handled),) = self.alerts.several([run_id])
        return Moment(
            _lean(run),
            ends,
            self.store.event_counts(run_id),
            [_alone(one, run) for one in self.store.heartbeats() if covers(one, run.record.path)],
            list(alerts.values()),
            handled,
            [one for one in self.alerts.mutes() if one.run in (None, run_id)],
            any(run_id not in one.behind for one in self.alerts.vitals()),
            [one.encode() for one in self.notes.notes(run_id)],
        )


def _ends(store: RunStore, run_id: RunId, series: Mapping[str, SeriesMeta]) -> dict[str, End]:
    """Lengths of all series, in one round, and then the last point of each: points only ever come behind."""
    sids = list(series)
    lengths, folds = store.lengths(run_id, sids), store.folds(run_id, sids)
    lasts = store.ranges(run_id, [(sid, max(0, length - 1), 1) for sid, length in zip(sids, lengths, strict=True)])
    if any(bool(length) != bool(last) for length, last in zip(lengths, lasts, strict=True)):
        raise Unsettled
    ends = zip(lengths, folds, lasts, strict=True)
    return dict(zip(sids, (End(length, *fold, proof(last)) for length, fold, last in ends), strict=True))


def proof(point: bytes) -> int:
    """A checksum of a point, to know it again."""
    return zlib.crc32(point)


def _lean(run: StoredRun) -> StoredRun:
    return replace(run, cursors={name: lean_cursor(one) for name, one in run.cursors.items()}, events=())


def _alone(beat: Heartbeat, run: StoredRun) -> Heartbeat:
    """What a collector says of this run, and nothing of any other."""
    mine = {name: told for name, told in beat.behind.items() if name == run.id}
    problems = tuple(one for one in beat.problems if one.file in run.cursors)
    return replace(beat, roots=(run.record.path,), problems=problems, messages=(), behind=mine)
