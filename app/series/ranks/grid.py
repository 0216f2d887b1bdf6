"""Values of many ranks over the same steps: one row a rank, one column a step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.series.curve import Bytes, Curve, Flags, Floats, Ints

OK, MISSING, NAN, UP, DOWN, ZERO, FROZEN = range(7)
"""What a cell is: a number, nothing, NaN, either infinity; zero because the rank has no such value by design (each of
its cells is zero or missing); one of several equal numbers in a row while its group moves."""


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """``n`` ranks × ``m`` steps. ``ranks`` (n) and ``steps`` (m) ascend, ``walls`` (m) is the newest clock of a column in
    Unix seconds (NaN without one), ``values`` (n, m) is NaN where nothing is or where NaN was written, which ``there``
    (n, m) tells apart."""

    ranks: Ints
    steps: Ints
    walls: Floats
    values: Floats
    there: Flags

    @property
    def shape(self) -> tuple[int, int]:
        """Ranks and columns."""
        return self.values.shape[0], self.values.shape[1]

    @property
    def seen(self) -> Ints:
        """Last step of each rank, -1 where it has none."""
        last: Ints = np.where(self.there, self.steps, -1).max(axis=1, initial=-1)
        return last

    def take(self, rows: Ints | Flags) -> Grid:
        """Some of the ranks."""
        return Grid(self.ranks[rows], self.steps, self.walls, self.values[rows], self.there[rows])

    def window(self, start: int | None, end: int | None) -> Grid:
        """The columns whose step lies in the window; both ends inclusive, None = open."""
        first = 0 if start is None else int(np.searchsorted(self.steps, start))
        last = len(self.steps) if end is None else int(np.searchsorted(self.steps, end, side="right"))
        chosen = slice(first, max(first, last))
        return Grid(self.ranks, self.steps[chosen], self.walls[chosen], self.values[:, chosen], self.there[:, chosen])


def assembled(curves: Mapping[int, Curve]) -> Grid:
    """Each rank's curve, one point a step and steps ascending, put side by side."""
    ranks = sorted(curves)
    first = curves[ranks[0]].steps if ranks else np.zeros(0, np.int64)
    same = all(np.array_equal(curves[rank].steps, first) for rank in ranks)
    steps = first if same else np.unique(np.concatenate([curves[rank].steps for rank in ranks]))
    shape = len(ranks), len(steps)
    values, walls, there = np.full(shape, np.nan), np.full(len(steps), np.nan), np.zeros(shape, np.bool_)
    for row, rank in enumerate(ranks):
        curve = curves[rank]
        at = slice(None) if same else np.searchsorted(steps, curve.steps)
        values[row, at], there[row, at] = curve.values, True
        walls[at] = np.fmax(walls[at], curve.walls)
    return Grid(np.array(ranks, dtype=np.int64), steps, walls, values, there)


def kinds(values: Floats, there: Flags) -> Bytes:
    """What each cell is by itself; ZERO and FROZEN take more than one cell to tell."""
    found = np.zeros(values.shape, np.uint8)
    found[~there] = MISSING
    found[there & np.isnan(values)] = NAN
    found[np.isposinf(values)] = UP
    found[np.isneginf(values)] = DOWN
    return found
