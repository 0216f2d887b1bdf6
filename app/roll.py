"""Every run in one line, for the table: a run is read again only after something was committed to it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from app.look import tails, telling
from app.reader import owner
from app.series.curve import from_block
from app.series.outline import Outline, choose, outline, spread
from app.series.overview import Overview, Tail, overview
from app.stored import RunStore, StoredRun
from collector.wire.records import Heartbeat, RunId

OUTLINE = "loss"
OUTLINE_SECONDS = 20.0  # a picture of sixty points of a long run is the same for longer than that
SILENCE_SHARE, LONGEST_JUDGED = 20.0, 60.0  # a run that was silent for ten minutes is judged anew every thirty seconds


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One run as it was read, and how it is doing now; ``mark`` is another one after each commit."""

    run: StoredRun
    seen: Overview
    mark: bytes = b""


@dataclass(slots=True, eq=False)
class _Read:
    """What is kept of a run. ``known`` is what the verdict rests on besides the run itself: who follows it."""

    mark: bytes
    run: StoredRun
    tails: Sequence[Tail]
    seen: Overview | None = None
    known: object = None
    judged: float = 0.0
    outline: Outline | None = None
    outlined: float = 0.0


class Roll:
    """Safe to share between threads. Every method raises StoreAway while Redis is away."""

    def __init__(self, store: RunStore, clock: Callable[[], float]) -> None:
        """``clock`` gives Unix seconds; nothing is read before the first question."""
        self._store = store
        self._clock = clock
        self._read: dict[RunId, _Read] = {}
        self._lock = threading.Lock()

    def lines(self) -> list[Line]:
        """Every run, by id."""
        ids, beats = self._store.runs(), self._store.heartbeats()
        now = self._clock()
        with self._lock:  # a second visitor waits for the first one's reading instead of doing it again
            marks = self._store.marks(ids)
            found = [self._one(run_id, mark) for run_id, mark in zip(ids, marks, strict=True)]
            self._read = {one.run.id: one for one in found if one is not None}
            return [Line(one.run, _judged(one, beats, now), one.mark) for one in self._read.values()]

    def outline(self, run_id: RunId) -> Outline:
        """The shape of the run's loss; empty when it has none, or is none of ``lines``."""
        read, now = self._read.get(run_id), self._clock()
        if read is None:
            return Outline()
        if read.outline is None or now - read.outlined > OUTLINE_SECONDS:
            read.outline, read.outlined = self._outline(read.run), now
        return read.outline

    def _one(self, run_id: RunId, mark: bytes) -> _Read | None:
        known = self._read.get(run_id)
        if known is not None and known.mark == mark:
            return known
        run = self._store.run(run_id)
        if run is None:
            return None
        ends = tails(self._store, run, telling(run))
        read = _Read(mark, run, ends)
        if known is not None:
            read.outline, read.outlined = known.outline, known.outlined
        return read

    def _outline(self, run: StoredRun) -> Outline:
        speaker = owner(run)
        mine = [sid for sid, one in run.series.items() if one.metric == OUTLINE and one.rank in (speaker, None)]
        lengths = dict(zip(mine, self._store.lengths(run.id, mine), strict=True))
        chosen = choose({sid: run.series[sid] for sid in mine}, lengths)
        blocks = [self._store.points_at(run.id, sid, places) for sid, places in spread(chosen, lengths).items()]
        curves = [from_block(block, "log") for block in blocks]
        steps = np.concatenate([np.zeros(0, dtype=np.int64), *(one.steps for one in curves)])
        return outline(steps, np.concatenate([np.zeros(0), *(one.values for one in curves)]))


def _judged(read: _Read, beats: Sequence[Heartbeat], now: float) -> Overview:
    """How the run is doing: judged anew when something changed, else the more seldom the longer its silence."""
    known = [(beat.collector, beat.roots, beat.behind.get(read.run.id)) for beat in beats]
    if read.seen is not None and known == read.known:
        age = read.seen.freshness.age or 0.0
        if now - read.judged <= min(age / SILENCE_SHARE, LONGEST_JUDGED):
            return read.seen
    read.seen, read.known, read.judged = overview(read.run, read.tails, beats, now), known, now
    return read.seen
