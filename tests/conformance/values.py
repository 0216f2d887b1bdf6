"""What two readers found in one directory, and where they differ."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from collector.read import read
from collector.wire.records import Source, unpack_points

Point = tuple[int, float, float]
Curves = Mapping[str, Sequence[Point]]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many points two readers agree on, and one sentence for each tag where they do not."""

    points: int
    differences: tuple[str, ...] = ()

    def __add__(self, other: Agreement) -> Agreement:
        return Agreement(self.points + other.points, self.differences + other.differences)


def ours(directory: Path, source: Source) -> Curves:
    """Every point that ``python -m collector read`` gives for the directory itself, by tag, in order of arrival."""
    run = read(directory).runs.get(".")
    series = run.series if run else ()
    return {one.tag: list(unpack_points(one.points)) for one in series if one.source == source}


def equal(name: str, mine: Curves, theirs: Curves) -> Agreement:
    """Tag by tag the same points in the same order; NaN equals NaN."""
    found = Agreement(0)
    for tag in sorted(mine.keys() | theirs.keys()):
        left, right = mine.get(tag, ()), theirs.get(tag, ())
        found += _alike(f"{name} {tag!r}", left, right)
    return found


def holds(name: str, mine: Curves, theirs: Curves) -> Agreement:
    """Every point that the other kept is ours too, in the same order: it keeps a part only."""
    found = Agreement(0)
    for tag, right in theirs.items():
        rest = iter(map(_key, mine.get(tag, ())))
        lost = next((point for point in right if _key(point) not in rest), None)
        found += Agreement(len(right), () if lost is None else (f"{name} {tag!r}: {lost} is not among ours",))
    return found + Agreement(0, tuple(f"{name} {tag!r}: only we have it" for tag in mine.keys() - theirs.keys()))


def _alike(name: str, left: Sequence[Point], right: Sequence[Point]) -> Agreement:
    for number, (one, other) in enumerate(zip(left, right, strict=False)):
        if _key(one) != _key(other):
            return Agreement(number, (f"{name}, point {number}: ours {one}, theirs {other}",))
    if len(left) != len(right):
        return Agreement(min(len(left), len(right)), (f"{name}: ours {len(left)} points, theirs {len(right)}",))
    return Agreement(len(left))


def _key(point: Point) -> tuple[object, ...]:
    return tuple("NaN" if isinstance(part, float) and math.isnan(part) else part for part in point)
