"""One metric, several sources: exact event files first, and the log where they have nothing.

The log is there at once but rounded; event files are exact but up to two minutes late.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.series.curve import EMPTY, Curve, Flags, concat


def splice(ranked: Sequence[Curve]) -> Curve:
    """The first curve whole, and of each later one the points whose step no earlier one has, put in their place.

    Every point of the source that wins a step is kept, in order of arrival, also when that step occurs twice.
    """
    present = [one for one in ranked if len(one)]
    whole = present[0] if present else EMPTY
    for other in present[1:]:
        more = other.take(~np.isin(other.steps, whole.steps))
        if len(more):
            whole = _placed(whole, more)
    return whole


def _placed(whole: Curve, more: Curve) -> Curve:
    """Both, by step; stable, so each keeps its own order within a step. What came out of order stays where it arrived
    as long as nothing has to be put between."""
    both = concat([whole, more])
    if more.steps[0] > whole.steps.max():
        return both
    return both.take(np.argsort(both.steps, kind="stable"))


def latest(curve: Curve, first_steps: Sequence[int]) -> Curve:
    """The curve to draw by default: one value a step, sorted by step. ``first_steps[k - 1]`` is where attempt k began;
    from there on every older attempt is superseded, also where the newer one has no point yet."""
    if len(first_steps) < 2 and (np.diff(curve.steps) > 0).all():
        return curve
    curve = curve.take(stands(curve, first_steps))
    order = np.lexsort((np.arange(len(curve)), curve.attempts, curve.steps))
    steps = curve.steps[order]
    newest = np.r_[steps[1:] != steps[:-1], np.ones(min(1, len(steps)), dtype=bool)]
    return curve.take(order[newest])


def stands(curve: Curve, first_steps: Sequence[int]) -> Flags:
    """Which points are of steps that no later attempt has done again."""
    limits = ends(first_steps)
    if not len(limits):
        return np.ones(len(curve), dtype=np.bool_)
    return curve.steps < limits[np.clip(curve.attempts, 1, len(limits)) - 1]


NOWHERE = int(np.iinfo(np.int64).max)  # a step beyond every other


def ends(first_steps: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """For each attempt the first step that a later one has done again."""
    later = np.array([*first_steps[1:], NOWHERE], dtype=np.int64)
    return np.minimum.accumulate(later[::-1])[::-1] if first_steps else later[:0]
