"""How often a run shows a sign of life, learnt from the run itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.series.curve import Curve
from app.series.segments import cuts, interval

RECENT = 64  # points that cadence is learnt from: enough for a median, few enough to follow a change of batch size
MEDIANS = 5.0  # so many usual pauses without a point are not usual any more …
SLOWEST = 1.5  # … unless a recent pause (a checkpoint, an evaluation) was nearly as long
LOOK_SECONDS = 6.0  # three looks of a polling collector; shorter silence cannot be told from the look itself
FLUSH_SECONDS = 120.0  # tensorboardX and MindSpore write their buffers at the latest after this


SLOW = 1.5  # so many usual step times are slow …
NEWEST = 8  # … in the middle of so many newest pauses, so that an evaluation or a checkpoint among them does not count
HABIT = 16  # pauses that a usual step time can be told by


@dataclass(frozen=True, slots=True)
class Cadence:
    """Seconds between two points (median), the longest pause before silence means something, and seconds a step."""

    expected: float
    patience: float
    step_seconds: float | None


def cadence(recent: Curve, step_times_ms: Sequence[float], *, buffered: bool) -> Cadence | None:
    """From the newest points of one series, oldest first: by the points' own clock, or, without one, by the step times
    that the run prints. None when neither tells. ``buffered``: there are event files only."""
    stretch = recent.take(slice(int(cuts(recent.steps)[-1]) if len(cuts(recent.steps)) else 0, None))
    pauses = np.diff(stretch.walls)
    pauses = pauses[np.isfinite(pauses) & (pauses > 0)]
    times = [one for one in step_times_ms if np.isfinite(one) and one > 0]
    printed = float(np.median(times)) / 1000 if times else None
    if len(pauses):
        expected, slowest = float(np.median(pauses)), float(pauses.max())
    elif printed is not None:
        expected = slowest = printed * interval(stretch.steps)
    else:
        return None
    return _allow(expected, slowest, printed or expected / interval(stretch.steps), buffered=buffered)


def _allow(expected: float, slowest: float, step_seconds: float, *, buffered: bool) -> Cadence:
    patience = max(MEDIANS * expected, SLOWEST * slowest) + LOOK_SECONDS + (FLUSH_SECONDS if buffered else 0.0)
    return Cadence(expected, patience, step_seconds)


@dataclass(frozen=True, slots=True)
class Slow:
    """Points come, but ``factor`` times rarer than is usual in this run; ``seconds``: for so long before the last."""

    factor: float
    seconds: float


def slowness(recent: Curve, usual_ms: float | None = None) -> Slow | None:
    """Whether the newest steps take longer than this run's usual ``usual_ms`` (None: than the earlier ones of
    ``recent``), told by the points' own clock. None = they do not, or nobody can tell."""
    edges = cuts(recent.steps)
    stretch = recent.take(slice(int(edges[-1]) if len(edges) else 0, None))
    done, pause = np.diff(stretch.steps.astype(np.float64)), np.diff(stretch.walls)
    usable = np.isfinite(pause) & (pause >= 0) & (done > 0)
    rates = pause[usable] / done[usable]
    if len(rates) < NEWEST + (HABIT if usual_ms is None else 0):
        return None
    usual = float(np.median(rates[:-NEWEST])) if usual_ms is None else usual_ms / 1000
    factor = float(np.median(rates[-NEWEST:])) / usual if usual > 0 else 0.0
    if factor < SLOW or np.partition(rates[-NEWEST:], 1)[1] < (1 + SLOW) / 2 * usual:
        return None  # more than one of the newest was as quick as ever: a pause or two, no slower pace
    quick = np.flatnonzero(rates < (1 + SLOW) / 2 * usual)
    since = int(quick[-1]) + 1 if len(quick) else 0
    return Slow(factor, float(pause[usable][since:].sum()))
