"""Values that all ranks print alike, because they were reduced over them, and that some rank has otherwise."""

from __future__ import annotations

import numpy as np

from app.series.curve import Flags, Floats, Ints
from app.series.ranks.cohorts import Cohorts
from app.series.ranks.middle import Singles

MOSTLY = 0.8  # of the steps at which more than half of the ranks print the same
EXACT = 1e-5  # of a value: single precision, and sums in another order
DIGITS = 7
LOOKED_AT = 16  # values of a rank, whose digits are counted


@np.errstate(over="ignore")
def broken(values: Floats, live: Flags, groups: Ints) -> Flags:
    """Cells (n, m) that differ from what everyone else prints, or else from what the rank's group does. False where
    ranks print different values anyway."""
    if not values.size:
        return np.zeros(values.shape, np.bool_)
    one = np.zeros(len(groups), np.int64)
    some = np.unique(np.linspace(0, values.shape[1] - 1, LOOKED_AT).astype(np.int64))
    if not any(_broken(values[:, some], live[:, some], Cohorts.by(of))[1].any() for of in (one, groups)):
        return np.zeros(values.shape, np.bool_)
    found, reduced = _broken(values, live, Cohorts.by(one))
    if reduced.all() or (groups == groups[:1]).all():
        return found
    return _broken(values, live, Cohorts.by(groups))[0]


def _broken(values: Floats, live: Flags, cohorts: Cohorts) -> tuple[Flags, Flags]:
    table = cohorts.table(np.where(live, values, np.nan))
    middle = cohorts.medians(table)
    alike = np.abs(table - cohorts.spread(middle)) <= cohorts.spread(np.abs(middle)) * np.float32(EXACT) + _rounding(
        table, cohorts
    )
    known = ~np.isnan(table)
    count, same = cohorts.counts(known), cohorts.counts(alike)
    majority = (2 * same > count) & (count > 1)
    reduced = majority.sum(axis=0) >= np.maximum(MOSTLY * (count > 1).sum(axis=0), 2)
    # Two ranks that differ are both not like the other.
    told = reduced & (majority | (count == 2))
    return cohorts.untabled(known & ~alike & cohorts.spread(told)), reduced


def _rounding(table: Singles, cohorts: Cohorts) -> Singles:
    """By how much two printed numbers of a rank (n) and its cohort may differ, for their digits alone."""
    unit = digits(table)
    found: Singles = (unit + cohorts.spread(cohorts.medians(unit[None]))[0]) * np.float32(0.5)
    return found


def digits(table: Singles) -> Singles:
    """The last decimal place of each column's values: 0.001 for 2.125, 4.5."""
    at = np.unique(np.linspace(0, max(len(table) - 1, 0), LOOKED_AT).astype(np.int64))[: len(table)]
    some = table[at].astype(np.float64)
    found = np.full(table.shape[1], 10.0**-DIGITS, np.float32)
    for place in range(DIGITS - 1, -1, -1):
        scaled = some * 10.0**place
        whole = np.abs(scaled - np.rint(scaled)) <= np.abs(scaled) * 1e-6
        found[(whole | np.isnan(some)).all(axis=0)] = 10.0**-place
    return found
