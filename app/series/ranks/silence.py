"""Which ranks say nothing any more while the others go on."""

from __future__ import annotations

import numpy as np

from app.series.curve import Flags, Floats, Ints
from app.series.ranks.grid import Grid

FRONT = 0.9  # of the ranks have not come further than the step that counts as the run's
PAUSES = 5.0  # usual distances between a rank's values
LONGEST = 1.5  # times the longest of them
LATE = 126.0  # seconds: writers of event files keep values for 120, a polling look takes 6
BLIND = 20  # steps at least, where no clock tells how long they took


def silent(grid: Grid) -> tuple[Flags, Ints, Floats]:
    """Whether each rank (n) is, how many steps the others are ahead of it, and its own distance between values."""
    seen = grid.seen
    own = pace(grid)
    some = seen >= 0
    if not some.any():
        return some, seen, own
    front = int(np.quantile(seen[some], FRONT, method="higher"))
    behind = np.where(some, front - seen, 0)
    found = some & (behind > PAUSES * own)
    for row in np.flatnonzero(found).tolist():
        found[row] = _is_late(grid, row, int(behind[row]), front)
    return found, behind, own


def pace(grid: Grid) -> Floats:
    """Steps between two values of each rank, on average; 1 for a rank with fewer than two."""
    count = grid.there.sum(axis=1)
    first = np.where(grid.there, grid.steps, np.iinfo(np.int64).max).min(axis=1, initial=np.iinfo(np.int64).max)
    found: Floats = np.maximum(np.where(count > 1, (grid.seen - first) / np.maximum(count - 1, 1), 1), 1)
    return found


def _is_late(grid: Grid, row: int, behind: int, front: int) -> bool:
    at = np.flatnonzero(grid.there[row])
    steps = grid.steps[at]
    if behind <= LONGEST * np.diff(steps).max(initial=0):
        return False
    waited = grid.walls[np.searchsorted(grid.steps, front)] - grid.walls[at[-1]]
    return bool(waited > LATE) if np.isfinite(waited) else behind >= BLIND
