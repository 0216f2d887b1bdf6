"""A corridor behind a live curve: what earlier runs did at the same place, and how far the run is behind them. Pure.

Places are steps or tokens, the same for all curves. The stretch that the earlier runs cover is cut into cells of equal
width, wide enough for eight points of the run that has most of them. In each cell a run counts with its median, so that
a spike moves nothing; a cell without a point is filled from its neighbours as long as the run itself reaches over it.

* Of several runs the corridor is the lowest, the middle and the highest of them.
* Of one run it is its median and three robust standard deviations (1.4826 times the median distance from the median)
  to both sides, those taken as the median of five neighbouring cells.

NaN and infinities are left out: a run that diverged ends there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.series.curve import Floats, Ints

CELL_POINTS = 8  # fewest points of a cell from which a median and a spread mean something
MOST_POINTS = 100_000  # of one run: a median of some of a cell's points is as good as one of all
DEVIATIONS = 3.0
ROBUST = 1.4826  # median distance from the median → standard deviation, of a normal distribution
MEDIAN_ERROR = 1.2533  # standard error of a median against that of a mean
SMOOTHED = 25  # cells of eight points, as many points as the present value is made of at most
RECENT = (5, 200)  # points that the present value is the median of: a fiftieth of the run, within these

Reason = Literal["", "no_points", "no_baseline", "no_direction", "above_start", "below_best", "noisy"]


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """One run's finite values, each at its place, by place."""

    at: Floats
    values: Floats

    def __len__(self) -> int:
        return len(self.at)


@dataclass(frozen=True, slots=True, eq=False)
class Corridor:
    """``low`` ≤ ``mid`` ≤ ``high`` at each place; NaN where no run reaches."""

    at: Floats
    low: Floats
    mid: Floats
    high: Floats


@dataclass(frozen=True, slots=True)
class Behind:
    """How far behind (negative: ahead) the run is, in units of the places; where the baseline had its present value.
    ``distance`` is None when it cannot be told, and ``reason`` says why; ``enough`` is False when noise alone could
    make as much of a difference."""

    distance: float | None
    at: float | None
    value: float | None
    enough: bool
    reason: Reason = ""


NOWHERE = Corridor(*(np.zeros(0) for _ in range(4)))


def places(at: Floats, values: Floats) -> Places:
    """The finite ones by place; of many an even choice, with first and last."""
    finite = np.isfinite(at) & np.isfinite(values)
    order = np.argsort(at[finite], kind="stable")
    chosen = np.unique(np.linspace(0, len(order) - 1, min(len(order), MOST_POINTS)).astype(np.int64))
    kept = order[chosen] if len(order) else order
    return Places(at[finite][kept], values[finite][kept])


def corridor(runs: Sequence[Places], points: int) -> Corridor:
    """Of the earlier runs, in at most ``points`` cells."""
    runs = [one for one in runs if len(one)]
    if not runs:
        return NOWHERE
    edges = _edges(runs, points)
    medians = [_medians(one.values, _cells(one.at, edges), len(edges) - 1) for one in runs]
    at = (edges[:-1] + edges[1:]) / 2
    if len(runs) == 1:
        spread = DEVIATIONS * _spread(runs[0], edges, medians[0])
        mid = _filled(medians[0])
        return Corridor(at, mid - spread, mid, mid + spread)
    rows = np.vstack([_filled(one) for one in medians])
    somewhere = np.isfinite(rows).any(axis=0)
    low, mid, high = (np.full(len(at), np.nan) for _ in range(3))
    known = rows[:, somewhere]
    low[somewhere], high[somewhere] = np.nanmin(known, axis=0), np.nanmax(known, axis=0)
    mid[somewhere] = np.nanmedian(known, axis=0)
    return Corridor(at, low, mid, high)


def _edges(runs: Sequence[Places], points: int) -> Floats:
    first, last = min(one.at[0] for one in runs), max(one.at[-1] for one in runs)
    cells = max(1, min(points, max(len(one) for one in runs) // CELL_POINTS))
    return np.linspace(first, last, cells + 1) if last > first else np.array([first, first])


def _cells(at: Floats, edges: Floats) -> Ints:
    """The cell of each place; the last edge belongs to the last cell."""
    return np.clip(np.searchsorted(edges, at, side="right") - 1, 0, len(edges) - 2)


def _medians(values: Floats, cells: Ints, count: int) -> Floats:
    """The median of each cell's values; NaN for a cell without any."""
    ordered = values[np.lexsort((values, cells))]
    sizes = np.bincount(cells, minlength=count)
    starts = np.cumsum(sizes) - sizes
    found = np.full(count, np.nan)
    some = sizes > 0
    lower, upper = (starts + (sizes - 1) // 2)[some], (starts + sizes // 2)[some]
    # Halves first: the sum of two large values would overflow.
    found[some] = ordered[lower] / 2 + ordered[upper] / 2
    return found


def _spread(run: Places, edges: Floats, medians: Floats) -> Floats:
    cells = _cells(run.at, edges)
    away = _filled(_medians(np.abs(run.values - medians[cells]), cells, len(medians)))
    padded = np.pad(away, 2, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 5)
    return ROBUST * np.median(windows, axis=1)


def _filled(values: Floats) -> Floats:
    """Gaps between known values filled on a straight line; before the first and after the last NaN stays."""
    known = np.flatnonzero(np.isfinite(values))
    if len(known) in (0, len(values)):
        return values
    return np.interp(np.arange(len(values)), known, values[known], left=np.nan, right=np.nan)


def behind(run: Places, baseline: Corridor, better: Literal["lower", "higher", "none"]) -> Behind:
    """How much earlier the baseline's middle had reached what the run has now: both smoothed, the baseline by the best
    that it had come to at each place, since a curve that goes up again had been there before."""
    if better == "none":
        return Behind(None, None, None, enough=False, reason="no_direction")
    if not len(run):
        return Behind(None, None, None, enough=False, reason="no_points")
    sign = 1.0 if better == "lower" else -1.0
    recent = min(max(len(run) // 50, RECENT[0]), RECENT[1])
    at, values = run.at[-recent:], sign * run.values[-recent:]
    here, now = float(np.median(at)), float(np.median(values))
    known = np.isfinite(baseline.mid)
    if not known.any():
        return Behind(None, None, sign * now, enough=False, reason="no_baseline")
    middle, error = _smoothed(sign * baseline.mid[known])
    # Without the smoothing before it, the lowest so far would be the lowest of the noise, long before its time.
    best = np.minimum.accumulate(middle)
    return _told(here, now, sign, best, baseline.at[known], float(np.hypot(error, _error(at, values))))


def _smoothed(middle: Floats) -> tuple[Floats, float]:
    """The mean of some neighbouring cells, a twentieth of all but at most SMOOTHED, and how far it may be off."""
    width = min(len(middle) // 20, SMOOTHED) // 2 * 2 + 1
    if width < 3:
        return middle, 0.0
    # Mirrored in its ends, so that a slope goes on as a slope.
    padded = np.pad(middle, width // 2, mode="reflect", reflect_type="odd")
    smooth = np.convolve(padded, np.full(width, 1 / width), mode="valid")
    scatter = ROBUST * float(np.median(np.abs(middle - smooth)))
    return smooth, scatter / float(np.sqrt(width))


def _error(at: Floats, values: Floats) -> float:
    """How far the median of these values may be off: they fall while they scatter, so it is their scatter around a
    straight line that counts."""
    if len(values) < 3 or at[-1] <= at[0]:
        return 0.0
    span = (at - at.mean()) / (at[-1] - at[0])
    slope = float(span @ (values - values.mean())) / float(span @ span)
    left = values - slope * span
    return MEDIAN_ERROR * ROBUST * float(np.median(np.abs(left - np.median(left)))) / float(np.sqrt(len(values)))


def _told(here: float, now: float, sign: float, best: Floats, at: Floats, error: float) -> Behind:
    if now < best[-1]:
        return Behind(None, None, sign * now, enough=False, reason="below_best")
    if now > best[0]:
        return Behind(None, None, sign * now, enough=False, reason="above_start")
    there = _reached(best, at, now)
    early, late = _reached(best, at, now + error), _reached(best, at, now - error)
    distance = here - there
    enough = abs(distance) >= (late - early) / 2
    return Behind(distance, there, sign * now, enough=enough, reason="" if enough else "noisy")


def _reached(best: Floats, at: Floats, value: float) -> float:
    """Where the falling curve ``best`` first comes down to ``value``; its end when it never does."""
    index = int(np.searchsorted(-best, -value, side="left"))
    if index == 0 or index == len(best):
        return float(at[min(index, len(at) - 1)])
    above, below = float(best[index - 1]), float(best[index])
    share = (above - value) / (above - below)
    return float(at[index - 1] + share * (at[index] - at[index - 1]))
