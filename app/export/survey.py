"""The first look at what is exported: where wanted points lie, attempt by attempt. Nothing of them is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.export.beginning import Beginning, trail
from app.export.blocks import Blocks, Moved
from app.export.chunks import Chunk, Rule, by_place, by_time, chunks
from app.export.question import View
from app.series.curve import Curve
from app.stored import RunSeries
from collector.wire.records import SeriesMeta


@dataclass(slots=True, eq=False)
class Surveyed:
    """One stored series: its rule, its chunks in order of place, and how many points with and without a clock it has
    of each attempt, wanted or not."""

    meta: SeriesMeta
    length: int
    rule: Rule
    chunks: list[Chunk] = field(default_factory=list)
    clocked: dict[int, int] = field(default_factory=dict)
    clockless: dict[int, int] = field(default_factory=dict)

    @property
    def points(self) -> int:
        """How many are wanted."""
        return sum(one.points for one in self.chunks)

    def has(self, attempt: int) -> bool:
        """Whether it has points of an attempt, wanted or not."""
        return attempt in self.clocked or attempt in self.clockless

    def add(self, place: int, proof: bytes, curve: Curve, view: View) -> None:
        """One stretch of it."""
        numbered = self.rule.applied(place, curve)
        has = np.isfinite(curve.walls)
        for held, mine in ((self.clocked, numbered.attempts[has]), (self.clockless, numbered.attempts[~has])):
            for attempt, count in zip(*(one.tolist() for one in np.unique(mine, return_counts=True)), strict=True):
                held[attempt] = held.get(attempt, 0) + count
        self.chunks += chunks(self.meta.sid, place, proof, len(curve), view.of(numbered))


class Surveyor:
    """Looks at the series of one run."""

    def __init__(self, blocks: Blocks, run: RunSeries, beginning: Beginning, view: View) -> None:
        """Nothing is looked at yet."""
        self._blocks, self._run, self._beginning, self._view = blocks, run, beginning, view

    def surveyed(self, sids: Sequence[str], size: int) -> Mapping[str, Surveyed]:
        """The series that have points, in stretches of ``size``. Raises StoreAway, Moved."""
        found: dict[str, Surveyed] = {}
        clockless: set[str] = set()
        for sid, place, proof, curve in self._blocks.through(sids, size):
            if place == 0:
                found[sid] = self._begun(sid, curve, timed=True)
            if found[sid].rule.edges is not None and not np.isfinite(curve.walls).all():
                clockless.add(sid)
            if sid not in clockless:
                found[sid].add(place, proof, curve, self._view)
        return found | {sid: self._by_place(sid, size) for sid in sids if sid in clockless}

    def _by_place(self, sid: str, size: int) -> Surveyed:
        """A series of which a point has no clock, from its beginning again."""
        found: Surveyed | None = None
        for _, place, proof, curve in self._blocks.through([sid], size):
            found = found or self._begun(sid, curve, timed=False)
            found.add(place, proof, curve, self._view)
        if found is None:
            raise Moved
        return found

    def _begun(self, sid: str, first: Curve, *, timed: bool) -> Surveyed:
        meta, known = self._run.series[sid], self._beginning.known
        rule = by_time(meta, first, known) if timed else None
        if rule is None:
            rule = by_place(meta, first, known, np.zeros(0, np.int64))
            if len(rule.numbers) > 1:
                rule = by_place(meta, first, known, trail(self._blocks, sid).cuts())
        return Surveyed(meta, self._beginning.lengths[sid], rule)
