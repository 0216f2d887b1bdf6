"""Short ways to write a curve down in a test, and hypothesis strategies for arbitrary ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hypothesis import strategies as st

from app.series.curve import Curve, from_block
from collector.wire.records import SeriesMeta, Source, pack_point

Point = tuple[int, float, float]

STEPS = st.integers(0, 40)
WALLS = st.sampled_from([0.0, 1.0, 1.5, 2.0, 1e9])
VALUES = st.sampled_from([0.0, 1.0, -1.0, 2.5, float("nan"), float("inf"), float("-inf")])
POINTS = st.lists(st.tuples(STEPS, WALLS, VALUES), max_size=40)


def curve(points: Sequence[Point], source: Source = "log") -> Curve:
    return from_block(b"".join(pack_point(*one) for one in points), source)


def meta(
    file: str = "log/rank_0/info.log",
    *,
    source: Source = "log",
    generation: int = 0,
    rank: int | None = 0,
    metric: str | None = "loss",
    tag: str = "loss",
) -> SeriesMeta:
    return SeriesMeta(file, generation, tag, metric, rank, source)


def points(found: Curve) -> list[Point]:
    return list(zip(found.steps.tolist(), found.walls.tolist(), found.values.tolist(), strict=True))


def counted(found: Sequence[Point]) -> Counter[str]:
    """Points as a multiset; every NaN is the same NaN."""
    return Counter(repr((step, wall, value + 0.0)) for step, wall, value in found)
