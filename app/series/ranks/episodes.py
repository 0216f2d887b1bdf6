"""The newest stretch of each rank in which something was so."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.series.curve import Flags, Ints

NEVER = -1


@dataclass(frozen=True, slots=True, eq=False)
class Episodes:
    """For each of n ranks the first and the last column of its newest stretch, NEVER without one; how many cells of it
    are so, and whether it goes on to the rank's last value."""

    first: Ints
    last: Ints
    count: Ints
    open: Flags

    @property
    def some(self) -> Flags:
        """Ranks that have one."""
        mine: Flags = self.last != NEVER
        return mine

    def only(self, ranks: Flags) -> Episodes:
        """Those of some ranks."""
        first, last = np.where(ranks, self.first, NEVER), np.where(ranks, self.last, NEVER)
        return Episodes(first, last, self.count * ranks, self.open & ranks)

    def other(self, others: Episodes) -> Episodes:
        """The same, and others where a rank has none."""
        mine = self.some
        pairs = ((one, other) for one, other in zip(_columns(self), _columns(others), strict=True))
        first, last, count = (np.where(mine, one, other) for one, other in pairs)
        return Episodes(first, last, count, np.where(mine, self.open, others.open))


def _columns(of: Episodes) -> tuple[Ints, Ints, Ints]:
    return of.first, of.last, of.count


def none(ranks: int) -> Episodes:
    """Nobody has one."""
    nothing = np.zeros(ranks, np.int64)
    return Episodes(nothing + NEVER, nothing + NEVER, nothing, nothing > 0)


def episodes(so: Flags, there: Flags, least: int = 1) -> Episodes:
    """Of flags (n, m); where a rank has no value a stretch goes on. Shorter ones than ``least`` are none."""
    found = none(len(so))
    for row in np.flatnonzero(so.any(axis=1)).tolist():
        values = np.flatnonzero(there[row] | so[row])
        first, last = _stretches(so[row][values])
        long = np.flatnonzero(last - first + 1 >= least)
        if len(long):
            start, end = first[long[-1]], last[long[-1]]
            found.first[row], found.last[row], found.count[row] = values[start], values[end], end - start + 1
            found.open[row] = end == len(values) - 1
    return found


def _stretches(so: Flags) -> tuple[Ints, Ints]:
    """First and last place of each run of set flags."""
    edges = np.diff(np.concatenate([[False], so, [False]]).astype(np.int8))
    return np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1


def held(begins: Flags, ends: Flags) -> Flags:
    """Of tables (m, n) where a stretch is open: from where it ``begins`` until it ``ends``, and backwards to where it
    had ended before."""
    found = np.zeros(begins.shape, np.bool_)
    on = np.zeros(begins.shape[1], np.bool_)
    for step in range(len(begins)):
        on = begins[step] | (on & ~ends[step])
        found[step] = on
    for step in range(len(begins) - 2, -1, -1):
        found[step] |= found[step + 1] & ~ends[step]
    return found
