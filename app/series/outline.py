"""The shape of a curve in sixty points, for a picture of a few square centimetres. Pure.

It is made of single points evenly taken, so that it costs the same for a million points as for a hundred; the curve
itself, in which nothing is hidden, is on the run's page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.series.curve import Floats, Ints
from collector.wire.records import SeriesMeta

POINTS = 60


@dataclass(frozen=True, slots=True)
class Outline:
    """Points from left to right, both coordinates 0 to 1 (y: 1 is the highest value; None where it is no number)."""

    points: tuple[tuple[float, float | None], ...] = ()
    first: float | None = None  # the first and the last finite value
    last: float | None = None


def choose(series: Mapping[str, SeriesMeta], lengths: Mapping[str, int]) -> list[str]:
    """Of a metric's series those that tell it once: of one source, and of a log, whose lines two files repeat, of one
    file; the ones with the most points."""
    groups: dict[tuple[str, str], list[str]] = {}
    for sid, meta in series.items():
        groups.setdefault((meta.source, meta.file if meta.source == "log" else ""), []).append(sid)
    return max(groups.values(), key=lambda sids: sum(lengths[sid] for sid in sids), default=[])


def spread(sids: Sequence[str], lengths: Mapping[str, int], points: int = POINTS) -> dict[str, list[int]]:
    """Which places of each series to read: evenly over all of them, with the last of each."""
    total = sum(lengths[sid] for sid in sids)
    found: dict[str, list[int]] = {}
    for sid in sids:
        share = max(2, round(points * lengths[sid] / total)) if lengths[sid] else 0
        found[sid] = np.unique(np.linspace(0, lengths[sid] - 1, min(share, lengths[sid])).astype(np.int64)).tolist()
    return {sid: places for sid, places in found.items() if places}


def outline(steps: Ints, values: Floats, points: int = POINTS) -> Outline:
    """From points in any order; of more than ``points`` an even choice, of a step that came twice the later value."""
    order = np.argsort(steps, kind="stable")
    steps, values = steps[order], values[order]
    newest = np.r_[steps[1:] != steps[:-1], np.ones(min(1, len(steps)), dtype=bool)]
    steps, values = steps[newest], values[newest]
    chosen = np.unique(np.linspace(0, len(steps) - 1, min(points, len(steps))).astype(np.int64))
    steps, values = steps[chosen], values[chosen]
    finite = values[np.isfinite(values)]
    if not len(finite):
        return Outline()
    across = _unit(steps.astype(np.float64), float(steps[0]), float(steps[-1]))
    # A spike that dwarfs everything else would make a flat line of it: what is far above most leaves the picture.
    low, high = float(finite.min()), float(np.quantile(finite, 0.95))
    up = np.where(np.isfinite(values), _unit(np.clip(values, low, high), low, high), np.nan)
    shown = tuple((round(x, 3), round(y, 3) if np.isfinite(y) else None) for x, y in zip(across, up, strict=True))
    return Outline(
        tuple((float(x), None if y is None else float(y)) for x, y in shown), float(finite[0]), float(finite[-1])
    )


def _unit(values: Floats, low: float, high: float) -> Floats:
    """0 to 1; a half where there is no width. Halved first, since the difference of two large values overflows."""
    width = high / 2 - low / 2
    return (values / 2 - low / 2) / width if width > 0 else np.where(np.isfinite(values), 0.5, np.nan)
