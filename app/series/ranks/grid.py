"""Values of many ranks over the same steps: one row a rank, one column a step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.series.curve import Bytes, Curve, Flags, Floats, Ints
from app.series.ranks.frozen import frozen
from app.series.ranks.middle import Singles, medians

OK, MISSING, NAN, UP, DOWN, ZERO, FROZEN = range(7)
"""What a cell is: a number, nothing, NaN, either infinity; zero because the rank has no such value by design (all
its cells are zero or missing); one of several equal numbers in a row while its group moves."""


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """``n`` ranks × ``m`` steps. ``ranks`` (n) and ``steps`` (m) ascend, ``walls`` (m) is a column's newest clock
    in Unix seconds (NaN without one), ``values`` (n, m) is NaN where nothing is or where NaN was written, which
    ``there`` (n, m) tells apart."""

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
        if not self.there.size:
            return np.full(len(self.ranks), -1)
        last = self.shape[1] - 1 - self.there[:, ::-1].argmax(axis=1)
        return np.where(self.there[np.arange(len(last)), last], self.steps[last], -1)

    def take(self, rows: Ints | Flags) -> Grid:
        """Some of the ranks."""
        return Grid(self.ranks[rows], self.steps, self.walls, self.values[rows], self.there[rows])

    def columns(self, most: int) -> Grid:
        """At most ``most`` columns (see ``choice``), each with step and clock of the last that it stands for."""
        if self.shape[1] <= most:
            return self
        chosen = self.choice(most)
        last = bucket_ends(self.shape[1], most) - 1
        values = np.take_along_axis(self.values, chosen, axis=1)
        return Grid(
            self.ranks, self.steps[last], self.walls[last], values, np.take_along_axis(self.there, chosen, axis=1)
        )

    def choice(self, most: int) -> Ints:
        """(n, at most ``most``) which cell stands for a rank in each bucket of neighbouring columns: NaN and infinities
        first, then what is farthest from the rank's usual distance from the column's median."""
        if self.shape[1] <= most:
            return np.broadcast_to(np.arange(self.shape[1]), self.shape)
        away = _away(self.values)
        away[~np.isfinite(away)] = np.inf
        away[~self.there] = -1
        ends = bucket_ends(self.shape[1], most)
        starts = np.concatenate([[0], ends[:-1]])
        chosen = np.empty((self.shape[0], most), np.int64)
        for width in np.unique(ends - starts).tolist():
            mine = np.flatnonzero(ends - starts == width)
            cells = away[:, starts[mine][:, None] + np.arange(width)]
            chosen[:, mine] = starts[mine] + cells.argmax(axis=2)
        return chosen

    def window(self, start: int | None, end: int | None) -> Grid:
        """The columns whose step lies in the window; both ends inclusive, None = open."""
        first = 0 if start is None else int(np.searchsorted(self.steps, start))
        last = len(self.steps) if end is None else int(np.searchsorted(self.steps, end, side="right"))
        chosen = slice(first, max(first, last))
        return Grid(self.ranks, self.steps[chosen], self.walls[chosen], self.values[:, chosen], self.there[:, chosen])


def bucket_ends(columns: int, most: int) -> Ints:
    """Where each of ``most`` buckets of as equal a count as can be ends."""
    return np.arange(1, most + 1) * columns // most


def _away(values: Floats) -> Singles:
    """How far each value is from the column's median, less what is usual in its row."""
    finite = np.where(np.isfinite(values), values, np.nan).astype(np.float32)
    distance = finite - medians(np.ascontiguousarray(finite.T))
    found: Singles = np.abs(distance - medians(distance)[:, None])
    return found


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


def kinds(grid: Grid, groups: Ints | None = None) -> Bytes:
    """(n, m) what each cell is: OK, MISSING, NAN, UP or DOWN; ZERO in ranks that have nothing else by design; FROZEN if
    the ranks' groups (n) are told."""
    found = np.zeros(grid.shape, np.uint8)
    strange = ~np.isfinite(grid.values)
    found[strange] = _strange(grid.values[strange], grid.there[strange])
    found[zero(grid, groups)[:, None] & grid.there] = ZERO
    if groups is not None:
        found[frozen(grid.values, grid.there, groups) & (found == OK)] = FROZEN
    return found


def _strange(values: Floats, there: Flags) -> Bytes:
    by_sign = np.where(np.isnan(values), NAN, np.where(values > 0, UP, DOWN))
    return np.where(there, by_sign, MISSING).astype(np.uint8)


def _only_zeros(grid: Grid) -> Flags:
    """Ranks (n) that wrote zeros and nothing else."""
    found = np.zeros(len(grid.ranks), np.bool_)
    # Few ranks end with a zero.
    some = np.flatnonzero((~grid.there[:, -1:] | (grid.values[:, -1:] == 0)).all(axis=1))
    there, values = grid.there[some], grid.values[some]
    found[some] = (~there | (values == 0)).all(axis=1) & there.any(axis=1)
    return found


def zero(grid: Grid, groups: Ints | None = None) -> Flags:
    """Ranks (n) that never wrote anything but zero where others did, nor half of their group: they have no such value.
    A rank that is zero in a group of others has one, and it is wrong."""
    nothing = _only_zeros(grid)
    if nothing.all() or not nothing.any():
        return np.zeros_like(nothing)
    if groups is None:
        return nothing
    _, mine = np.unique(groups, return_inverse=True)
    return nothing & (2 * np.bincount(mine, weights=nothing) >= np.bincount(mine))[mine]
