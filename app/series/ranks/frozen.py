"""Which values stayed the same while the others moved."""

from __future__ import annotations

import numpy as np

from app.series.curve import Flags, Floats, Ints
from app.series.ranks.cohorts import Cohorts

SAME = 6  # equal values in a row
BY_CHANCE = 1e-6  # of such a row anywhere in the grid: numbers with few digits are equal now and then


def frozen(values: Floats, there: Flags, groups: Ints) -> Flags:
    """Cells (n, m) of at least SAME equal values, not counting steps at which not more than half of the others of the
    rank's group moved. What repeats itself often, in the group or in the rank, must do so for longer."""
    found = np.zeros(values.shape, np.bool_)
    there = there & np.isfinite(values)
    same = _same(values, there)
    if same.sum(axis=1).max(initial=0) < SAME - 1:
        return found
    cohorts = Cohorts.together(groups)
    moved = _moved(there, same, cohorts)
    stayed = same & moved
    rows = np.flatnonzero(stayed.sum(axis=1) >= SAME - 1)
    if len(rows):
        usual = _usual(stayed, there & moved, cohorts)
        found[rows] = _stuck(there[rows], same[rows], stayed[rows], usual[rows], values.size)
    return found


def _same(values: Floats, there: Flags) -> Flags:
    """Cells whose value is the one before in their row."""
    found = np.zeros(values.shape, np.bool_)
    if there.all():
        np.equal(values[:, 1:], values[:, :-1], out=found[:, 1:])
        return found
    last = np.maximum.accumulate(np.where(there, np.arange(values.shape[1]), 0), axis=1)
    before = np.take_along_axis(values, last[:, :-1], axis=1)
    np.equal(values[:, 1:], before, out=found[:, 1:])
    return found & there


def _moved(there: Flags, same: Flags, cohorts: Cohorts) -> Flags:
    """Cells at whose step more than half of the others moved; of no meaning in a cell that moved itself."""
    changed = cohorts.counts(cohorts.flags(there & ~same))
    others = cohorts.counts(cohorts.flags(there)) - 1
    moving: Flags = cohorts.untabled(cohorts.spread(2 * changed > np.maximum(others, 1)))
    return moving


def _usual(stayed: Flags, moved: Flags, cohorts: Cohorts) -> Floats:
    """How often a rank of each row's cohort keeps its value while the others move: a share, the median's."""
    share = stayed.sum(axis=1) / np.maximum(moved.sum(axis=1), 1)
    middle = cohorts.medians(cohorts.table(share[:, None]))
    found: Floats = cohorts.untabled(cohorts.spread(middle))[:, 0].astype(np.float64)
    return found


def _stuck(there: Flags, same: Flags, stayed: Flags, usual: Floats, cells: int) -> Flags:
    """Of some rows the cells of runs that are too long for what is usual."""
    row, _ = np.nonzero(there)
    run = np.cumsum(~same[there]) - 1
    of_run = np.bincount(run, weights=stayed[there])
    owner = np.zeros(len(of_run), np.int64)
    owner[run] = row
    total, moves = stayed.sum(axis=1)[owner], np.maximum(there.sum(axis=1)[owner] - of_run - 1, 1)
    often = np.maximum(usual[owner], np.minimum((total - of_run) / moves, 1))
    found = np.zeros(there.shape, np.bool_)
    found[there] = (of_run >= least(often, cells))[run]
    return found


def least(often: Floats, cells: int) -> Floats:
    """Repetitions that chance makes of so many cells once in a million grids."""
    with np.errstate(divide="ignore"):
        found: Floats = np.log(BY_CHANCE / cells) / np.log(often)
    return np.where(often < 1, np.maximum(found, SAME - 1), np.inf)
