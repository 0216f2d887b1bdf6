"""Stretches of a series in which steps only go forward: the evidence that attempts are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from app.series.curve import Curve, Ints
from collector.wire.records import Generation, SeriesMeta, Source

INTERVALS_BACK = 3  # log intervals; less is a late line or a buffered writer, not a restart


@dataclass(frozen=True, slots=True)
class Segment:
    """One stretch. ``reason`` says why it may begin an attempt: steps_back, a generation's reason, or "" for the first
    of a file. Walls are Unix seconds, NaN without a clock."""

    file: str
    generation: int
    source: Source
    reason: str
    first_step: int
    last_step: int  # the highest
    interval: float  # steps between two points
    first_wall: float
    last_wall: float
    count: int

    @property
    def clocked(self) -> bool:
        """Whether its time is known."""
        return bool(np.isfinite(self.first_wall) and np.isfinite(self.last_wall))


_GOES_ON = ("first", "series_full")  # the others may be the mark of a new attempt
Reasons = Mapping[tuple[str, int], str]
"""(file, generation) → why that generation began."""


def reasons(generations: Sequence[Generation]) -> Reasons:
    """What the collector stored about each generation but the first of a file."""
    return {(one.file, one.generation): one.reason for one in generations if one.reason not in _GOES_ON}


def interval(steps: Ints) -> float:
    """The usual distance between two points in steps, at least 1."""
    forward = np.diff(steps.astype(np.float64))
    forward = forward[forward > 0]
    return float(max(1.0, np.median(forward))) if len(forward) else 1.0


def cuts(steps: Ints) -> Ints:
    """Where the step goes back by more than INTERVALS_BACK intervals: indices of the first points after."""
    distance = np.diff(steps.astype(np.float64))  # float: two absurd steps may lie further apart than 64 bits count
    return np.flatnonzero(distance < -INTERVALS_BACK * interval(steps)) + 1


def segments(meta: SeriesMeta, curve: Curve, why: Reasons) -> list[Segment]:
    """The stretches of one stored series, in order of arrival."""
    edges = [0, *cuts(curve.steps).tolist(), len(curve)]
    first = why.get((meta.file, meta.generation), "")
    spans = [(start, end) for start, end in pairwise(edges) if end > start]
    return [_segment(meta, curve.take(slice(*span)), first if span[0] == 0 else "steps_back") for span in spans]


def _segment(meta: SeriesMeta, curve: Curve, reason: str) -> Segment:
    walls = curve.walls[np.isfinite(curve.walls)]
    return Segment(
        file=meta.file,
        generation=meta.generation,
        source=meta.source,
        reason=reason,
        first_step=int(curve.steps[0]),
        last_step=int(curve.steps.max()),
        interval=interval(curve.steps),
        first_wall=float(walls[0]) if len(walls) else float("nan"),
        last_wall=float(walls.max()) if len(walls) else float("nan"),
        count=len(curve),
    )
