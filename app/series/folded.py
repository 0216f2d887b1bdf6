"""What is folded of a curve: how many points a window does not show, and how many of them are no numbers. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from app.series.attempts import Timeline, number
from app.series.curve import Curve, Floats, Ints, concat, from_block
from app.series.family import whole_log
from app.series.recount import shift
from app.series.splice import stands
from collector.wire.folded import chunks
from collector.wire.records import SeriesMeta, Source

_BUCKET = np.dtype([("count", "<u2"), ("kept", "<u2"), ("nan", "<u2"), ("up", "<u2"), ("down", "<u2"), ("mean", "<f8")])


@dataclass(frozen=True, slots=True, eq=False)
class Buckets:
    """Of one stored series. ``first`` and ``last`` have one point a bucket; ``counts`` the points that it was made of,
    ``hidden`` those that are not kept, ``nan`` and ``inf`` which of these are no numbers."""

    first: Curve
    last: Curve
    counts: Ints
    hidden: Ints
    nan: Ints
    inf: Ints


@dataclass(frozen=True, slots=True)
class Folded:
    """Of a window: ``points`` lie in folded buckets, ``hidden`` of them cannot be shown, ``nan`` and ``inf`` of these
    are no numbers."""

    points: int = 0
    hidden: int = 0
    nan: int = 0
    inf: int = 0


Window = Callable[[Curve, Curve], Floats]
"""First and last points of stretches → how much of each lies in the window, 0 to 1."""


def buckets(text: bytes, source: Source) -> Buckets | None:
    """Of a folded string (wire.folded); None of an empty one."""
    parts = list(chunks(text))
    if not parts:
        return None
    heads = np.concatenate([np.frombuffer(packed, _BUCKET) for packed, _ in parts])
    kept = concat([from_block(points, source) for _, points in parts])
    counts, lengths = heads["count"].astype(np.int64), heads["kept"].astype(np.int64)
    ends = np.cumsum(lengths)
    inf = heads["up"].astype(np.int64) + heads["down"]
    first, last = kept.take(ends - lengths).alone(), kept.take(ends - 1).alone()
    return Buckets(first, last, counts, counts - lengths, heads["nan"].astype(np.int64), inf)


def within(
    start: int | None = None, end: int | None = None, since: float | None = None, until: float | None = None
) -> Window:
    """A window of steps or of Unix seconds, inclusive; None = open. Where its edge lies inside a stretch, the points of
    that are taken to be evenly spaced."""

    def shares(first: Curve, last: Curve) -> Floats:
        steps = _share(first.steps.astype(np.float64), last.steps.astype(np.float64), start, end)
        return np.minimum(steps, _share(first.walls, last.walls, since, until))

    return shares


def _share(first: Floats, last: Floats, low: float | None, high: float | None) -> Floats:
    begin = first if low is None else np.maximum(first, low)
    end = last if high is None else np.minimum(last, high)
    width = np.where(last > first, last - first, 1.0)
    return np.where(end >= begin, np.where(last > first, (end - begin) / width, 1.0), 0.0)


def folded(
    series: Mapping[SeriesMeta, Buckets], known: Timeline, attempt: int | Literal["all", "latest"], window: Window
) -> Folded:
    """What is folded of a curve in a window. Files that hold the same lines, and sources that tell of the same steps,
    count once: the one of which most is folded."""
    found: dict[str, Folded] = {}
    for meta, one in series.items():
        group = whole_log(meta.file) if meta.source == "log" else meta.source
        found[group] = _both(found.get(group, Folded()), _of(meta, one, known, attempt, window))
    return max(found.values(), key=lambda it: it.points, default=Folded())


def _of(
    meta: SeriesMeta, one: Buckets, known: Timeline, attempt: int | Literal["all", "latest"], window: Window
) -> Folded:
    by = shift(meta, int(one.first.steps[0]), float(one.first.walls[0]), known.starts)
    first, last = (replace(curve, steps=curve.steps + by) for curve in (one.first, one.last))
    numbered = first.of_attempts(number(meta, first, known))
    shares = window(first, last) * (one.hidden > 0)
    if attempt == "latest":
        shares *= stands(numbered, known.first_steps)
    elif attempt != "all":
        shares *= numbered.attempts == attempt
    return Folded(*(round(float((column * shares).sum())) for column in (one.counts, one.hidden, one.nan, one.inf)))


def _both(one: Folded, other: Folded) -> Folded:
    return Folded(one.points + other.points, one.hidden + other.hidden, one.nan + other.nan, one.inf + other.inf)
