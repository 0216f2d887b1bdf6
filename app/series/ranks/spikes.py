"""Values that stand out of a rank's own history, upwards, and not just once by a little."""

from __future__ import annotations

import numpy as np

from app.series.curve import Flags
from app.series.ranks import history
from app.series.ranks.cohorts import LARGEST
from app.series.ranks.grid import Grid
from app.series.ranks.middle import Singles, over

ROBUST = 1.4826
FLOOR = 0.004  # of the usual value: less scatter than that is not believed
HIGH = 5.0, 0.05  # deviations, and part of the usual value: three of five such
HIGHER = 9.0, 0.15  # two in a row
HIGHEST = 9.0, 4.0  # one


@np.errstate(over="ignore")
def spikes(grid: Grid) -> Flags:
    """Cells (n, m) that are part of one."""
    size = np.abs(grid.values)
    table = np.where((size > 0) & (size < LARGEST), grid.values, np.nan).T.astype(np.float32)
    base = history.usual(table)
    more = over(table - base, np.abs(base))
    scatter = np.maximum(history.usual(np.abs(more)) * np.float32(ROBUST), np.float32(FLOOR))
    high, higher, highest = (_above(more, scatter, *limits) for limits in (HIGH, HIGHER, HIGHEST))
    found: Flags = (_often(high) | _paired(higher) | highest).T
    return found


def _above(more: Singles, scatter: Singles, deviations: float, part: float) -> Flags:
    found: Flags = (more > part) & (more > scatter * np.float32(deviations))
    return found


def _often(high: Flags) -> Flags:
    """Those of which three lie within five steps."""
    found = np.zeros_like(high)
    for start in range(len(high) - 2):
        window = slice(start, start + 5)
        found[window] |= high[window] & (np.count_nonzero(high[window], axis=0) >= 3)
    return found


def _paired(higher: Flags) -> Flags:
    found = np.zeros_like(higher)
    both = higher[1:] & higher[:-1]
    found[1:] |= both
    found[:-1] |= both
    return found
