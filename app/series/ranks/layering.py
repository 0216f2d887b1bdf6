"""Which points of many ranks' series are of which attempt, and which of them count. Pure.

What ``attempts.number`` and ``recount.shift`` say of one series after the other, for thousands at once. A series whose
attempts only its own steps tell is told as ``odd``: its rank has to be read like a single curve.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.series.attempts import Timeline
from app.series.curve import SOURCES, Bytes, Flags, Floats, Ints
from app.series.ranks.filling import Layers, Written
from app.series.recount import counts_anew
from app.series.splice import ends
from collector.wire.records import SeriesMeta


@dataclass(frozen=True, eq=False)
class Members:
    """The series that tell of something, each with the row of its rank; ``ranks`` ascend."""

    ranks: Ints
    sids: Sequence[str]
    metas: Sequence[SeriesMeta]
    rows: Ints

    @classmethod
    def of(cls, series: Sequence[tuple[str, SeriesMeta]], owner: int) -> Members:
        """Those of files without a rank are the owner's."""
        told = [(owner if meta.rank is None else meta.rank, sid, meta) for sid, meta in series]
        told.sort(key=lambda it: (it[0], it[1]))
        ranks, rows = np.unique(np.array([rank for rank, _, _ in told], dtype=np.int64), return_inverse=True)
        return cls(ranks, [sid for _, sid, _ in told], [meta for _, _, meta in told], rows.astype(np.int64))

    @cached_property
    def sources(self) -> Bytes:
        """Index of each series' source."""
        return np.array([SOURCES.index(meta.source) for meta in self.metas], dtype=np.uint8)

    @cached_property
    def anew(self) -> Flags:
        """Which of them count their steps from each start of the job."""
        known = {
            (meta.source, meta.tag): counts_anew(meta)
            for meta in {(it.source, it.tag): it for it in self.metas}.values()
        }
        return np.array([known[meta.source, meta.tag] for meta in self.metas], dtype=np.bool_)

    @cached_property
    def alone(self) -> Flags:
        """Which of them are the only one of their row."""
        several = np.bincount(self.rows, minlength=len(self.ranks)) > 1
        found: Flags = ~several[self.rows]
        return found

    @cached_property
    def turns(self) -> Ints:
        """How many series of the same rank and source stand before each."""
        seen: dict[tuple[int, int], int] = {}
        found: list[int] = []
        for key in zip(self.rows.tolist(), self.sources.tolist(), strict=True):
            found.append(seen.get(key, 0))
            seen[key] = found[-1] + 1
        return np.array(found, dtype=np.int64)

    @cached_property
    def twinned(self) -> Flags:
        """Rows of which one source has several series."""
        found = np.zeros(len(self.ranks), np.bool_)
        found[self.rows[self.turns > 0]] = True
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Points of several series in order of arrival; ``which`` is the series of each."""

    which: Ints
    steps: Ints
    walls: Floats
    values: Floats

    def take(self, chosen: Flags | Ints) -> Points:
        """Some of them."""
        return Points(self.which[chosen], self.steps[chosen], self.walls[chosen], self.values[chosen])


@dataclass(frozen=True, slots=True)
class Rules:
    """What of a run's attempts decides where points belong: equal as long as what was read stays in its place."""

    first_steps: tuple[int, ...]
    edges: Mapping[str, tuple[tuple[float, ...], tuple[int, ...]]]
    numbers: Mapping[tuple[str, int], tuple[int, ...]]
    untimed: frozenset[str]
    starts: tuple[tuple[float, ...], tuple[int, ...]]

    @classmethod
    def of(cls, known: Timeline) -> Rules:
        """Those of a timeline."""
        edges: dict[str, tuple[tuple[float, ...], tuple[int, ...]]] = {
            source: (tuple(edge.starts.tolist()), tuple(edge.numbers.tolist()))
            for source in SOURCES
            if (edge := known.boundaries.get((source, ""))) is not None and len(edge.starts)
        }
        jobs = tuple(known.starts.walls.tolist()), tuple(known.starts.origins.tolist())
        several = known.numbers if len(known.attempts) > 1 else {}
        return cls(known.first_steps, edges, several, known.untimed, jobs)

    def shifts(self, members: Members, steps: Ints, walls: Floats) -> Ints:
        """For each series that begins with such a step at such a clock what its steps are too low by."""
        starts, origins = self.starts
        if not starts or not members.anew.any():
            return np.zeros(len(steps), np.int64)
        at = np.searchsorted(np.array(starts), walls, side="right") - 1
        found = np.where(at >= 0, np.array(origins)[np.maximum(at, 0)], 0)
        return np.where(members.anew & (steps <= found), found, 0).astype(np.int64)

    def attempts(self, members: Members, points: Points) -> tuple[Ints, Ints]:
        """The attempt of each point, and the series that are odd."""
        found = np.ones(len(points.which), np.int64)
        if len(self.first_steps) < 2:
            return found, found[:0]
        timed = self._timed(members)
        odd = [np.unique(points.which[timed[points.which] & ~np.isfinite(points.walls)])]
        for number, source in enumerate(SOURCES):
            mine = (members.sources[points.which] == number) & timed[points.which]
            if source in self.edges and mine.any():
                starts, numbers = (np.array(one) for one in self.edges[source])
                at = np.searchsorted(starts, points.walls[mine], side="right") - 1
                found[mine] = numbers[np.maximum(at, 0)]
        for series in np.unique(points.which[~timed[points.which]]).tolist():
            several = self._several(members.metas[series])
            found[points.which == series] = several[0]
            odd.append(np.array([series] if len(several) > 1 else [], dtype=np.int64))
        return found, np.concatenate(odd)

    def _timed(self, members: Members) -> Flags:
        """Series whose points' clocks tell their attempts."""
        by_source = np.array([source in self.edges for source in SOURCES])
        found: Flags = by_source[members.sources]
        if self.untimed:
            found = found & np.array([meta.file not in self.untimed for meta in members.metas], dtype=np.bool_)
        return found

    def _several(self, meta: SeriesMeta) -> tuple[int, ...]:
        last = max(1, len(self.first_steps))
        return self.numbers.get((meta.file, meta.generation)) or tuple(range(min(meta.generation + 1, last), last + 1))

    def written(self, members: Members, points: Points, attempt: int | None) -> tuple[Written, Ints, Ints]:
        """The points that count, stitched over attempts or of one; the series of each, and those that are odd."""
        attempts, odd = self.attempts(members, points)
        layers: Layers = (attempts * 4 + 3 - members.sources[points.which]).astype(np.uint16)
        kept = np.ones(len(attempts), np.bool_)
        if attempt is not None:
            kept = attempts == attempt
        elif len(self.first_steps) > 1:
            kept = points.steps < ends(self.first_steps)[attempts - 1]
        made = Written(members.rows[points.which], points.steps, points.walls, points.values, layers)
        return (made, points.which, odd) if kept.all() else (made.take(kept), points.which[kept], odd)
