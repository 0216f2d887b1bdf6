"""A curve reduced to what pixels can show, without losing an extreme.

Points are cut into runs of equal count; of each run the lowest and the highest finite value are kept, of the whole the
first and the last point, and of NaN and ±infinity the first of its kind in each run as long as there is room for marks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.series.curve import Curve, Floats, Ints

LEAST = 8  # first, last, one lowest, one highest, and room for marks; fewer points show nothing


@dataclass(frozen=True, slots=True)
class Reduced:
    """What is drawn of ``total`` points; ``hidden_nan`` counts NaN and infinities that are not."""

    curve: Curve
    total: int
    hidden_nan: int


def reduce(curve: Curve, points: int) -> Reduced:
    """At most ``max(points, LEAST)`` of the curve's points, in their order; 0 means all of them."""
    total = len(curve)
    budget = max(points, LEAST)
    if points == 0 or total <= budget:
        return Reduced(curve, total, 0)
    finite = np.isfinite(curve.values)
    marks = _marks(curve.values, budget // 4)
    extremes = _extremes(curve.values, finite, (budget - 2 - len(marks)) // 2)
    kept = np.unique(np.concatenate([[0, total - 1], marks, extremes]).astype(np.int64))
    hidden = int(np.count_nonzero(~finite)) - int(np.count_nonzero(~finite[kept]))
    return Reduced(curve.take(kept), total, hidden)


def _extremes(values: Floats, finite: np.ndarray[tuple[int], np.dtype[np.bool_]], buckets: int) -> Ints:
    width = -(-len(values) // buckets)
    low = _rows(np.where(finite, values, np.inf), width, np.inf)
    high = _rows(np.where(finite, values, -np.inf), width, -np.inf)
    starts = np.arange(len(low)) * width
    any_finite = np.isfinite(low.min(axis=1))
    return np.concatenate([(starts + low.argmin(axis=1))[any_finite], (starts + high.argmax(axis=1))[any_finite]])


def _rows(values: Floats, width: int, filler: float) -> Floats:
    rows = -(-len(values) // width)
    if rows * width == len(values):
        return values.reshape(rows, width)
    padded = np.full(rows * width, filler)
    padded[: len(values)] = values
    return padded.reshape(rows, width)


def _marks(values: Floats, room: int) -> Ints:
    """The first NaN, +inf and -inf of each run of points, thinned evenly when they are more than ``room``."""
    buckets = max(1, room // 3)
    width = -(-len(values) // buckets)
    found = [_first_of_each_row(kind, width) for kind in (np.isnan(values), np.isposinf(values), np.isneginf(values))]
    return np.concatenate(found)


def _first_of_each_row(flags: np.ndarray[tuple[int], np.dtype[np.bool_]], width: int) -> Ints:
    at = np.flatnonzero(flags)
    _, first = np.unique(at // width, return_index=True)
    return at[first]
