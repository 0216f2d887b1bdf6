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
