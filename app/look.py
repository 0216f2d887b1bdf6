"""The little that must be read to say how a run is doing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.reader import owner
from app.series.cadence import RECENT
from app.series.curve import from_block
from app.series.overview import UNKNOWN, WANTED, Habits, Overview, Tail, overview
from app.stored import RunStore, StoredRun
from collector.wire.records import Heartbeat, SeriesMeta

TAGS = 32  # of a run without any canonical metric so many tags are looked at; all of them are written together


def look(store: RunStore, run: StoredRun, beats: Sequence[Heartbeat], now: float, habits: Habits = UNKNOWN) -> Overview:
    """The run at ``now`` (Unix seconds). Raises StoreAway."""
    return overview(run, tails(store, run, telling(run)), beats, now, habits)


def telling(run: StoredRun) -> list[str]:
    """The series of the run's owner that say how far and how fast it is."""
    speaker = owner(run)
    mine = {sid: meta for sid, meta in run.series.items() if meta.rank in (speaker, None)}
    best = [sid for sid, meta in mine.items() if meta.metric in WANTED]
    canonical = [sid for sid, meta in mine.items() if meta.metric is not None]
    has_loss = any(mine[sid].metric == WANTED[0] for sid in best)
    return best if has_loss else (canonical or sorted(mine)[:TAGS])


def tails(store: RunStore, run: StoredRun, sids: Sequence[str], count: int = RECENT) -> list[Tail]:
    """The newest ``count`` points of each series and when it began. Raises StoreAway."""
    recent, first = store.tails(run.id, sids, count), store.heads(run.id, sids)
    return [_tail(run.series[sid], *both) for sid, *both in zip(sids, recent, first, strict=True)]


def _tail(meta: SeriesMeta, recent: bytes, head: bytes) -> Tail:
    first = from_block(head, meta.source)
    began = float(first.walls[0]) if len(first) and np.isfinite(first.walls[0]) else None
    return Tail(meta, from_block(recent, meta.source), began, int(first.steps[0]) if len(first) else None)
