"""When a run will be through: by its usual step time now, with what it does between steps, never by one step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.series.curve import Curve
from app.series.pauses import FEWEST, Pace
from app.series.segments import cuts

NEWEST = 16  # stretches that the range is taken from: some four thousand pauses
NOW = 4  # stretches that the middle is taken from
WORTH_SAYING = 0.1  # a range narrower than this share of its middle is no news
PARTS = 8  # that the newest points are cut into, where there is no longer memory


@dataclass(frozen=True, slots=True)
class Eta:
    """Seconds to the last step; ``low`` and ``high`` are None while the step time hardly varies."""

    seconds: float
    low: float | None = None
    high: float | None = None


def eta(steps_left: int | None, step_ms: Sequence[float], *, overhead: float = 0.0) -> Eta | None:
    """``step_ms``: the usual step time of stretch after stretch, newest last; ``overhead``: seconds of evaluations and
    checkpoints a second of training. None when either is not known, or there is nothing left."""
    known = [one for one in step_ms if np.isfinite(one) and one > 0][-NEWEST:]
    if steps_left is None or not known:
        return None
    scale = steps_left * (1 + overhead) / 1000
    middle, low, high = float(np.median(known[-NOW:])) * scale, min(known) * scale, max(known) * scale
    return Eta(middle, low, high) if high - low > WORTH_SAYING * middle else Eta(middle)


def of_paces(paces: Sequence[Pace]) -> list[float]:
    """The step times of stretches of a ledger."""
    return [one.step_ms for one in paces[-NEWEST:]]


def of_points(recent: Curve, step_seconds: float | None) -> list[float]:
    """The step times that the newest points of a series tell by their clock, oldest first; without a clock the step
    time that the run prints (``step_seconds``)."""
    edges = cuts(recent.steps)
    stretch = recent.take(slice(int(edges[-1]) if len(edges) else 0, None))
    done = np.diff(stretch.steps.astype(np.float64))
    pause = np.diff(stretch.walls)
    usable = np.isfinite(pause) & (pause > 0) & (done > 0)
    rates = pause[usable] * 1000 / done[usable]
    if len(rates) < FEWEST:
        printed = [step_seconds * 1000] if step_seconds is not None else []
        return [float(np.median(rates))] if len(rates) and not printed else printed
    return [float(np.median(part)) for part in np.array_split(rates, min(PARTS, len(rates) // FEWEST))]
