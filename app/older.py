"""Columns of a grid that are too old to be held: read out of the middle of thousands of series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.series.curve import POINT, Floats, Ints
from app.series.ranks.layering import Members, Rules
from app.series.ranks.reading import Read
from app.series.ranks.seek import seek
from app.stored import RunSeries, RunStore


@dataclass(frozen=True, slots=True)
class Older:
    """Reads some series of one run."""

    store: RunStore
    run: RunSeries
    members: Members
    rules: Rules

    def read(self, start: int, end: int | None, most: int) -> tuple[Read, Ints, int]:
        """The points of a window of the run's steps, the newest ``most`` of each series at most; what each series' own
        steps are too low by; and from which step on nothing was passed over. Raises StoreAway."""
        which = np.arange(len(self.members.sids))
        lengths = np.array(self.store.lengths(self.run.id, self.members.sids), dtype=np.int64)
        which = which[lengths > 0]
        lengths = lengths[which]
        firsts, walls = self._points(which, np.zeros(len(which), np.int64))
        lasts, _ = self._points(which, lengths - 1)
        shifts = self._shifts(which, firsts, walls)
        low = self._seek(which, lengths, firsts, lasts, start - shifts)
        high = lengths if end is None else self._seek(which, lengths, firsts, lasts, end + 1 - shifts)
        # What is kept of folded points is of other steps for each rank: nothing to be compared.
        kept = np.array(self.store.kept(self.run.id, self.members.sids), dtype=np.int64)[which]
        folded = low < kept
        low, high = np.maximum(low, kept), np.maximum(high, kept)
        exact, _ = self._points(which[folded], np.minimum(kept, lengths - 1)[folded])
        cut = high - low > most
        low = np.maximum(low, high - most)
        read = Read.of(self._ranges(which, low, high - low), which).as_fresh()
        whole = (read.packed["step"][read.begins[cut]] + shifts[cut]).max(initial=start)
        return read, shifts, max(int(whole), int((exact + shifts[folded]).max(initial=start)))

    def _shifts(self, which: Ints, firsts: Ints, walls: Floats) -> Ints:
        steps, clocks = np.zeros(len(self.members.sids), np.int64), np.full(len(self.members.sids), -np.inf)
        steps[which], clocks[which] = firsts, walls
        return self.rules.shifts(self.members, steps, clocks)[which]

    def _seek(self, which: Ints, lengths: Ints, firsts: Ints, lasts: Ints, wanted: Ints) -> Ints:
        return seek(lambda some, at: self._points(which[some], at)[0], lengths, firsts, lasts, wanted)

    def _points(self, which: Ints, at: Ints) -> tuple[Ints, Floats]:
        """Steps and clocks of one point of each series."""
        blocks = self._ranges(which, at, np.ones(len(which), np.int64))
        points = np.frombuffer(b"".join(blocks), POINT)
        return points["step"].astype(np.int64), points["wall"].astype(np.float64)

    def _ranges(self, which: Ints, at: Ints, counts: Ints) -> Sequence[bytes]:
        sids = [self.members.sids[one] for one in which.tolist()]
        return self.store.ranges(self.run.id, list(zip(sids, at.tolist(), counts.tolist(), strict=True)))
