"""Several runs side by side: where each stands, how good it ever was, and all at the last common place. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.series.curve import Curve, Floats

Axis = Literal["step", "relative", "tokens"]
AXES: Sequence[Axis] = ("step", "relative", "tokens")
Better = Literal["lower", "higher", "none"]


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One run's curve, one value a step by step, and what places it: tokens of a step, None where it does not say."""

    curve: Curve
    tokens_per_step: float | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """One point: where on the common axis, at which step of the run, which value."""

    at: float
    step: int
    value: float


@dataclass(frozen=True, slots=True)
class Stand:
    """One run. ``best`` is None when the metric has no better; ``common`` is its newest point up to the last place that
    all have reached; ``difference`` is that value against the first run's."""

    last: Mark | None
    best: Mark | None
    common: Mark | None
    difference: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """``common`` is the last place that every run with points has reached, None when there is none."""

    common: float | None
    stands: Sequence[Stand]


def placed(side: Side, axis: Axis) -> Floats | None:
    """The place of each point; None when the run does not say how many tokens a step is."""
    steps: Floats = side.curve.steps.astype(np.float64)
    if axis == "step" or not len(steps):
        return steps
    if axis == "tokens":
        return None if side.tokens_per_step is None else np.multiply(steps, side.tokens_per_step)
    relative: Floats = steps - steps[0]
    return relative


def compare(sides: Sequence[Side], axis: Axis, better: Better) -> Comparison:
    """All of them; a run without points, or without a place on this axis, has an empty stand."""
    where = [placed(one, axis) for one in sides]
    ends = [float(at[-1]) for at in where if at is not None and len(at)]
    common = min(ends, default=None)
    stands = [_stand(one.curve, at, common, better) for one, at in zip(sides, where, strict=True)]
    first = stands[0].common.value if stands and stands[0].common else None
    told = [Stand(one.last, one.best, one.common, _difference(one.common, first)) for one in stands]
    return Comparison(common, told)


def _stand(curve: Curve, at: Floats | None, common: float | None, better: Better) -> Stand:
    if at is None or not len(at):
        return Stand(None, None, None, None)
    index = int(np.searchsorted(at, at[0] if common is None else common, side="right")) - 1
    return Stand(
        last=_mark(curve, at, len(at) - 1),
        best=_best(curve, at, better),
        common=_mark(curve, at, index) if index >= 0 else None,
        difference=None,
    )


def _mark(curve: Curve, at: Floats, index: int) -> Mark:
    return Mark(float(at[index]), int(curve.steps[index]), float(curve.values[index]))


def _best(curve: Curve, at: Floats, better: Better) -> Mark | None:
    finite = np.flatnonzero(np.isfinite(curve.values))
    if better == "none" or not len(finite):
        return None
    values = curve.values[finite]
    return _mark(curve, at, int(finite[values.argmin() if better == "lower" else values.argmax()]))


def _difference(mark: Mark | None, first: float | None) -> float | None:
    if mark is None or first is None:
        return None
    difference = mark.value - first
    return difference if np.isfinite(difference) else None
