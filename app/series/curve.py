"""A curve: parallel columns of points, in the order in which they are to be read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from collector.wire.records import POINT_BYTES, Source

SOURCES: tuple[Source, ...] = ("tensorboard", "mindspore", "log")  # exact first; the index is what columns carry
POINT = np.dtype([("step", "<i8"), ("wall", "<f8"), ("value", "<f8")])

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]
Points = NDArray[np.void]
Column = TypeVar("Column", Ints, Bytes)


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """``n`` points: five columns of one length. ``walls`` is Unix seconds, NaN without a clock; ``sources`` indexes
    SOURCES; ``attempts`` counts from 1 (0 = not yet known)."""

    steps: Ints
    walls: Floats
    values: Floats
    sources: Bytes
    attempts: Ints

    def __len__(self) -> int:
        return len(self.steps)

    def take(self, chosen: Ints | Flags | slice) -> Curve:
        """The chosen points, in the order of ``chosen``."""
        return Curve(
            self.steps[chosen], self.walls[chosen], self.values[chosen], self.sources[chosen], self.attempts[chosen]
        )

    def of_attempts(self, attempts: Ints) -> Curve:
        """The same points, each with its attempt."""
        return replace(self, attempts=attempts)

    def lean(self) -> Curve:
        """The same points; sources and attempts that are all equal take no memory."""
        return replace(self, sources=_constant(self.sources), attempts=_constant(self.attempts))

    def alone(self) -> Curve:
        """The same points in memory of their own, so that larger memory that they were taken from can be given back."""
        return replace(self, steps=self.steps.copy(), walls=self.walls.copy(), values=self.values.copy())

    def between(self, start: int | None, end: int | None) -> Curve:
        """The points whose step lies in the window; both ends inclusive, None = open."""
        if start is None and end is None:
            return self
        inside = np.ones(len(self), dtype=bool)
        if start is not None:
            inside &= self.steps >= start
        if end is not None:
            inside &= self.steps <= end
        return self.take(inside)


def is_constant(column: Column) -> bool:
    """Whether all values are known to be equal without a look at them (see ``Curve.lean``)."""
    return column.strides == (0,)


def _constant(column: Column) -> Column:
    """One value as often as needed, in no memory; the column as it is when its values differ."""
    if is_constant(column) or not len(column) or not (column == column[0]).all():
        return column
    return np.broadcast_to(column[0], len(column))


def from_block(block: bytes, source: Source) -> Curve:
    """The curve of one stored series; a torn last point is left out."""
    return next(iter(from_blocks([block], source)), EMPTY)


def from_blocks(blocks: Iterable[bytes], source: Source, count: int = 0) -> list[Curve]:
    """Blocks that follow each other, each a curve, empty ones left out. The first ``count`` points lie side by side:
    one large piece of memory is had for a third of the time that many small ones take."""
    room = np.empty((3, count))
    found: list[Curve] = []
    start = 0
    for block in blocks:
        points = np.frombuffer(block, dtype=POINT, count=len(block) // POINT_BYTES)
        end = start + len(points)
        if len(points):
            mine = room[:, start:end] if end <= count else np.empty((3, len(points)))
            found.append(_columns(points, mine, source))
        start = end
    return found


def _columns(points: Points, room: Floats, source: Source) -> Curve:
    """The points as a curve in ``room``."""
    steps = room[0].view(np.int64)
    steps[:], room[1], room[2] = points["step"], points["wall"], points["value"]
    sources = np.broadcast_to(np.uint8(SOURCES.index(source)), len(points))
    return Curve(steps, room[1], room[2], sources, np.broadcast_to(np.int64(0), len(points)))


def concat(curves: Sequence[Curve]) -> Curve:
    """All points, one curve after the other."""
    if len(curves) == 1:
        return curves[0]
    parts = [*curves, EMPTY]
    return Curve(
        np.concatenate([one.steps for one in parts]),
        np.concatenate([one.walls for one in parts]),
        np.concatenate([one.values for one in parts]),
        np.concatenate([one.sources for one in parts]),
        np.concatenate([one.attempts for one in parts]),
    )


EMPTY = _columns(np.zeros(0, dtype=POINT), np.empty((3, 0)), "log")
