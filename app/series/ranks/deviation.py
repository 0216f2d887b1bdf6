"""How far each rank is from what is usual among those like it, at each step.

Within a cohort of at least FEW ranks that have a value: the median m, and as spread s the largest of 1.4826 median
distances from it (more for few ranks), that spread's own course over the last steps, and half a percent of m; then
z = (v - m) / s. Two kinds of ranks are measured against their own history first, and their ratio to it is what is
compared: ranks of cohorts that are too small, together with all others of such, and ranks of a cohort whose members
keep different distances from its median for long (experts, lengths of data, an unknown layout). Two or three ranks that
nobody is like have nothing but their history; the one that rises from it further than the others is off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.series.curve import Flags, Floats, Ints
from app.series.ranks import history
from app.series.ranks.cohorts import FEW, FEW_WIDER, LARGEST, Cohorts
from app.series.ranks.course import Course, course
from app.series.ranks.grid import Grid
from app.series.ranks.middle import Singles, over

ROBUST = 1.4826  # median distance from the median → standard deviation, of a normal distribution
COURSE = 0.05  # weight of the newest step in the spread's course
FLOOR = 0.005  # of the median: less than that is nothing, however equal the others are
OFFSETS = 0.6  # of the squared deviations of a cohort lasts: most of its ranks keep a distance from its median
ALONE = 2.0  # times the spread of a rank's own history, which wanders
POOL = -1  # key of the cohort of all ranks whose own is too small


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Tables (m, n), NaN where a rank has no value or nothing to be compared with. ``usual`` is what it should have
    been, ``relative`` the value over that, minus 1; ``z`` the difference in units of what is usual among the others."""

    z: Singles
    relative: Singles
    usual: Singles


@dataclass(frozen=True, slots=True, eq=False)
class Deviation:
    """Where each rank stood at each step, and how it went on. ``pooled``: some ranks have too few like them; ``lone``:
    one has no other at all that it could differ from."""

    cohorts: Cohorts
    standing: Standing
    course: Course
    pooled: bool
    lone: bool

    @property
    def z(self) -> Singles:
        """(n, m), like the values of the grid; single precision."""
        return self.cohorts.untabled(self.standing.z)

    @property
    def relative(self) -> Singles:
        """(n, m): by how much a value is more than what is usual, as a part of it."""
        return self.cohorts.untabled(self.standing.relative)

    @property
    def usual(self) -> Singles:
        """(n, m): what a value should have been."""
        return self.cohorts.untabled(self.standing.usual)

    def at(self, rows: Ints, columns: Ints) -> tuple[Singles, Singles]:
        """What is usual, and z, of some cells."""
        place = np.empty_like(self.cohorts.order)
        place[self.cohorts.order] = np.arange(len(place))
        return self.standing.usual[columns, place[rows]], self.standing.z[columns, place[rows]]

    def farthest(self, row: int, first: int, last: int) -> int:
        """The column between these, both included, at which a rank was farthest off."""
        _, z = self.at(np.full(last - first + 1, row), np.arange(first, last + 1))
        return first + int(np.argmax(np.nan_to_num(np.abs(z))))


@np.errstate(all="ignore")  # values at the end of what single precision holds are as good as infinite
def deviation(grid: Grid, groups: Ints) -> Deviation:
    """Of every rank, by the numbers (n) of its group."""
    values, live = narrow(grid.values)
    cohorts = arranged(live, groups)
    table = cohorts.table(values)
    pooled: Flags = cohorts.spread(cohorts.are(POOL))
    ever = np.logical_or.reduce(live, axis=1)
    count = int(np.count_nonzero(ever[cohorts.order] & pooled))
    few = 0 < count < FEW
    base = _own(table, pooled) if count else None
    found = _alone(table, base, pooled, _against(table, None, cohorts)) if few else _against(table, base, cohorts)
    went = course(found.z, found.relative, cohorts)
    offset = cohorts.spread((went.same > OFFSETS) & ~cohorts.are(POOL))
    if offset.any():
        ratio = _own(over(table, found.usual), offset)
        base = ratio if base is None else np.where(offset, ratio, base)
        found = _alone(table, base, pooled, found) if few else _against(table, base, cohorts)
        went = course(found.z, found.relative, cohorts)
    return Deviation(cohorts, found, went, count > 0, count == 1)


def alive(grid: Grid) -> Flags:
    """Values that count: finite, and not the zero of a rank that has none."""
    return narrow(grid.values)[1]


@np.errstate(over="ignore")
def narrow(values: Floats) -> tuple[Singles, Flags]:
    """Values in single precision, NaN where they do not count, and which count."""
    found = values.astype(np.float32)
    size = np.abs(found)
    live = (size < LARGEST) & (size > 0)
    found[~live] = np.nan
    return found, live


def arranged(live: Flags, groups: Ints) -> Cohorts:
    """A cohort a group, but those with too few ranks that ever have a value are one."""
    _, mine = np.unique(groups, return_inverse=True)
    counts = np.bincount(mine, weights=live.any(axis=1))
    return Cohorts.by(np.where(counts[mine] < FEW, POOL, groups))


def _own(table: Singles, columns: Flags) -> Singles:
    """What these ranks usually had; 1 for the others."""
    base = np.ones_like(table)
    base[:, columns] = history.usual(table[:, columns])
    return base


def _against(table: Singles, base: Singles | None, cohorts: Cohorts) -> Standing:
    """Each value, or its ratio to ``base``, among those of its cohort."""
    ratio = table if base is None else over(table, base)
    middle = cohorts.medians(ratio)
    middle[cohorts.counts(~np.isnan(ratio)) < FEW] = np.nan
    wide = cohorts.spread(middle)
    size = np.abs(middle)
    away = ratio - wide
    unit = size * _spread(over(cohorts.medians(np.abs(away)), size), cohorts.sizes)
    usual = wide if base is None else wide * base
    return Standing(over(away, cohorts.spread(unit)), over(away, np.abs(wide)), usual)


def _spread(raw: Singles, sizes: Ints) -> Singles:
    """Of the median distance (m, k), as a part of the median: at each step itself or its course so far."""
    raw = raw * (ROBUST * (1 + FEW_WIDER / sizes)).astype(np.float32)
    known = np.isfinite(raw)
    weights = np.where(known, np.maximum(COURSE, 1 / np.maximum(known.cumsum(axis=0), 1)), 0).astype(np.float32)
    found = np.where(known, raw, np.float32(0))
    went = np.zeros(raw.shape[1], np.float32)
    for step in range(len(raw)):
        went = went + weights[step] * (found[step] - went)
        found[step] = went
    spread: Singles = np.fmax(np.fmax(raw, found), np.float32(FLOOR))
    return spread


def _alone(table: Singles, base: Singles | None, pooled: Flags, found: Standing) -> Standing:
    """The same with fewer than FEW ranks that are like nobody: which of them went further up from its own history than
    any of the others did."""
    if base is None:
        return found
    went = over(table[:, pooled], base[:, pooled])
    mean, most = _others(went)
    away = over(went, mean) - np.float32(1)
    unit = np.maximum(history.usual(np.abs(away)) * np.float32(ROBUST * ALONE), np.float32(FLOOR))
    found.relative[:, pooled], found.usual[:, pooled] = away, base[:, pooled] * mean
    found.z[:, pooled] = over(np.maximum(over(went, most) - np.float32(1), np.float32(0)), unit)
    return found


def _others(went: Singles) -> tuple[Singles, Singles]:
    """For each column of a table the mean and the largest of the others; 1 without any."""
    columns = range(went.shape[1])
    others = [np.delete(went, column, axis=1) for column in columns]
    means = [
        np.nanmean(np.column_stack([one, np.where(np.isnan(one).all(axis=1), 1, np.nan)]), axis=1) for one in others
    ]
    most = [np.fmax.reduce(one, axis=1, initial=np.nan) for one in others]
    found = np.column_stack(means).astype(np.float32), np.column_stack(most)
    return found[0], np.where(np.isnan(found[1]), found[0], found[1]).astype(np.float32)
