"""How the steps of one stored series went, kept without its points: the evidence for attempts, point after point.

The same stretches as ``segments.segments`` finds, but a series that grows is not read from its beginning again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from app.series.curve import Curve, Floats, Ints
from app.series.segments import INTERVALS_BACK, Reasons, Segment
from collector.wire.records import SeriesMeta


class Anew(Exception):
    """What is kept does not suffice to go on: begin again with every point."""


@dataclass(slots=True)
class Tally:
    """Distances between steps, each with how often it occurs."""

    distances: Floats = field(default_factory=lambda: np.zeros(0))
    counts: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def add(self, forward: Floats) -> None:
        """Some more, all above zero."""
        if not len(forward):
            return
        if forward.min() == forward.max():
            found, counts = forward[:1], np.array([len(forward)])
        else:
            found, counts = np.unique(forward, return_counts=True)
        self.distances, where = np.unique(np.concatenate([self.distances, found]), return_inverse=True)
        self.counts = np.bincount(where, np.concatenate([self.counts, counts])).astype(np.int64)

    def interval(self) -> float:
        """The median, at least 1: what ``segments.interval`` says of all of them."""
        if not len(self.counts):
            return 1.0
        ends = np.cumsum(self.counts)
        total = int(ends[-1])
        middle = self.distances[np.searchsorted(ends, [(total - 1) // 2, total // 2], side="right")]
        return float(max(1.0, middle.mean()))


@dataclass(slots=True)
class _Stretch:
    start: int
    end: int
    first_step: int
    last_step: int  # the highest
    newest_step: int
    first_wall: float = float("nan")
    last_wall: float = float("nan")
    tally: Tally = field(default_factory=Tally)

    def add(self, curve: Curve) -> None:
        steps = np.concatenate([[self.newest_step], curve.steps]).astype(np.float64)
        distance = np.diff(steps)[0 if self.end > self.start else 1 :]
        self.tally.add(distance[distance > 0])
        walls = curve.walls[np.isfinite(curve.walls)]
        if len(walls):
            self.first_wall = float(walls[0]) if np.isnan(self.first_wall) else self.first_wall
            self.last_wall = float(np.fmax(self.last_wall, walls.max()))
        self.last_step = max(self.last_step, int(curve.steps.max()))
        self.newest_step = int(curve.steps[-1])
        self.end += len(curve)


class Trail:
    """One stored series; not safe to share between threads."""

    def __init__(self) -> None:
        """Of no point yet."""
        self.count = 0
        self._newest: int | None = None
        self._tally = Tally()
        self._back = np.zeros((2, 0))  # where a step is lower than the one before, and by how much
        self._stretches: list[_Stretch] = []

    def extend(self, curves: Sequence[Curve]) -> None:
        """Points that follow. Raises Anew when they show that an earlier cut was none, or the reverse."""
        at, before = self.count, self.cuts()
        for one in curves:
            self.measure(one)
        cuts = self.cuts()
        if not np.array_equal(before, cuts[cuts < at]):
            raise Anew
        for one in curves:
            self._summarise(one, at, cuts)
            at += len(one)

    def summarise(self, curve: Curve, at: int) -> None:
        """Points from a place on, in turn, once everything has been measured."""
        self._summarise(curve, at, self.cuts())

    def segments(self, meta: SeriesMeta, why: Reasons) -> list[Segment]:
        """The stretches, in order of arrival."""
        found = [_segment(meta, one) for one in self._stretches]
        first = why.get((meta.file, meta.generation), "")
        return [replace(one, reason="steps_back" if number else first) for number, one in enumerate(found)]

    def measure(self, curve: Curve) -> None:
        """Points that follow, for whoever can go through all of them twice: ``summarise`` them when all are known."""
        known = [] if self._newest is None else [self._newest]
        steps = np.concatenate([np.array(known, dtype=np.int64), curve.steps]).astype(np.float64)
        distance = np.diff(steps)
        self._tally.add(distance[distance > 0])
        back = np.flatnonzero(distance < 0)
        if len(back):
            found = np.array([back + self.count + 1 - len(known), distance[back]])
            self._back = np.concatenate([self._back, found], axis=1)
        self.count += len(curve)
        self._newest = int(curve.steps[-1]) if len(curve) else self._newest

    def cuts(self) -> Ints:
        """Places at which the steps were cut."""
        where, distance = self._back
        return where[distance < -INTERVALS_BACK * self._tally.interval()].astype(np.int64)

    def _summarise(self, curve: Curve, at: int, cuts: Ints) -> None:
        for start, end in _between(at, at + len(curve), cuts):
            mine = curve.take(slice(start - at, end - at))
            if not self._stretches or start in cuts:
                first = int(mine.steps[0])
                self._stretches.append(_Stretch(start, start, first, first, first))
            self._stretches[-1].add(mine)


def _between(start: int, end: int, cuts: Ints) -> Iterator[tuple[int, int]]:
    edges = [start, *(one for one in cuts.tolist() if start < one < end), end]
    yield from ((low, high) for low, high in pairwise(edges) if low < high)


def _segment(meta: SeriesMeta, one: _Stretch) -> Segment:
    return Segment(
        file=meta.file,
        generation=meta.generation,
        source=meta.source,
        reason="",
        first_step=one.first_step,
        last_step=one.last_step,
        interval=one.tally.interval(),
        first_wall=one.first_wall,
        last_wall=one.last_wall,
        count=one.end - one.start,
    )
