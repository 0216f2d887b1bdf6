"""How wanted points lie in a stored series: stretches of it, each with the steps between which its points are. Pure.

With them a table of any size is made from memory that does not grow: of each series only what is at the step that is
being written is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from app.series.attempts import Boundaries, Timeline
from app.series.curve import Curve, Ints
from app.series.recount import shift
from collector.wire.records import SeriesMeta

CROWDED = 3  # times as many points as a window should hold


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """Into which attempts the points of one series belong, as ``attempts.number`` says of all of them: by ``edges`` of
    time, or by the places where its stretches begin. ``moved``: by how much its steps are too low."""

    edges: Boundaries | None
    places: Ints
    numbers: Ints
    moved: int

    def applied(self, place: int, curve: Curve) -> Curve:
        """The points from a place of the series on, with their attempts and with the steps of the run."""
        if self.edges is not None:
            at = np.searchsorted(self.edges.starts, curve.walls, side="right") - 1
            attempts = self.edges.numbers[np.maximum(at, 0)]
        elif len(self.numbers) == 1:
            attempts = np.broadcast_to(self.numbers[0], len(curve))
        else:
            stretch = np.searchsorted(self.places, np.arange(place, place + len(curve)), side="right")
            attempts = self.numbers[np.minimum(stretch, len(self.numbers) - 1)]
        steps = curve.steps + self.moved if self.moved else curve.steps
        return Curve(steps, curve.walls, curve.values, curve.sources, attempts)


def by_time(meta: SeriesMeta, first: Curve, known: Timeline) -> Rule | None:
    """The rule of a series whose points all have a clock; None where the clock of its file tells nothing. ``first``
    begins with its first point."""
    edges = known.boundaries.get((meta.source, ""))
    if edges is None or not len(edges.starts) or meta.file in known.untimed:
        return None
    return Rule(edges, np.zeros(0, np.int64), edges.numbers, _moved(meta, first, known))


def by_place(meta: SeriesMeta, first: Curve, known: Timeline, cuts: Ints) -> Rule:
    """The rule of any other series; ``cuts`` are the places where its steps went back."""
    last = max(1, len(known.attempts))
    mine = known.numbers.get((meta.file, meta.generation)) or tuple(range(min(meta.generation + 1, last), last + 1))
    return Rule(None, cuts, np.array(mine, dtype=np.int64), _moved(meta, first, known))


def _moved(meta: SeriesMeta, first: Curve, known: Timeline) -> int:
    return shift(meta, int(first.steps[0]), float(first.walls[0]), known.starts) if len(first) else 0


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Points of one attempt in a stretch of a stored series: ``points`` of the ``count`` from a place on are wanted,
    of steps from ``low`` to ``high``. ``proof`` is the stretch's first point as it is stored."""

    sid: str
    place: int
    count: int
    proof: bytes
    attempt: int
    low: int
    high: int
    points: int


def chunks(sid: str, place: int, proof: bytes, count: int, wanted: Curve) -> Iterator[Chunk]:
    """What of a stretch is wanted, attempt by attempt."""
    for attempt in np.unique(wanted.attempts).tolist() if len(wanted) else ():
        mine = wanted.steps[wanted.attempts == attempt]
        yield Chunk(sid, place, count, proof, attempt, int(mine.min()), int(mine.max()), len(mine))


def windows(lying: Sequence[Chunk], budget: int) -> Iterator[tuple[int, int]]:
    """Steps from and to, rising, that together hold every point; as wide as chunks of ``budget`` points allow, and
    wider only where more of them lie over one another."""
    waiting = sorted(lying, key=lambda one: one.low)
    at, high, active = 0, 0, list[Chunk]()
    while at < len(waiting) or active:
        low = high + 1 if active else waiting[at].low
        held = sum(one.points for one in active)
        reach = max(one.high for one in active) if held > budget else low  # over what is crowded anyway
        while at < len(waiting) and (waiting[at].low <= reach or held + waiting[at].points <= budget):
            active.append(waiting[at])
            held += waiting[at].points
            at += 1
        high = waiting[at].low - 1 if at < len(waiting) else max(one.high for one in active)
        yield low, high
        active = [one for one in active if one.high > high]


def narrowed(lying: Sequence[Chunk], window: tuple[int, int], budget: int) -> Iterator[tuple[int, int]]:
    """A window in parts of some ``budget`` points each, if these are evenly spread; the window where it holds no more
    than a few times as many. ``lying``: what lies over it."""
    low, high = window
    points = sum(one.points * _share(one, low, high) for one in lying)
    parts = min(high - low + 1, int(points / budget) + 1) if points > CROWDED * budget else 1
    edges = [low + (high - low + 1) * part // parts for part in range(parts + 1)]
    yield from ((first, last - 1) for first, last in pairwise(edges) if first < last)


def _share(one: Chunk, low: int, high: int) -> float:
    """How much of a chunk lies between two steps."""
    first, last = max(low, one.low), min(high, one.high)
    return max(0, last - first + 1) / (one.high - one.low + 1)


def in_order(lying: Sequence[Chunk]) -> bool:
    """Whether the chunks of one series, in order of place, follow one another by steps too."""
    return all(one.high <= other.low for one, other in pairwise(lying))
