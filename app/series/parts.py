"""A curve in parts of bounded length, each with what a drawing asks of it, so that it need not look at every point.

A part never changes: what is appended to a curve makes its last part anew and leaves the others as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.series.curve import EMPTY, Bytes, Curve, Flags, Floats, Ints, concat, is_constant

PART = 65_536  # points; an appended point costs as much work as one part, and a million points are sixteen parts
LEAF = 64  # points whose extremes a part knows; what it knows takes a sixtieth of the memory of the points themselves
NAN, UP, DOWN = 1, 2, 3  # kinds of values that are no number to draw

Indices = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Runs of equal non-finite values of one attempt, in order: ``[starts, ends)`` and their kinds."""

    starts: Ints
    ends: Ints
    kinds: Bytes

    def __len__(self) -> int:
        return len(self.starts)


@dataclass(frozen=True, slots=True, eq=False)
class Leaves:
    """The lowest, or the highest, finite value of each leaf and where it lies; NaN and -1 of a leaf without one."""

    at: Indices
    values: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some points of a curve that follow each other, at least one."""

    curve: Curve
    lows: Leaves
    highs: Leaves
    runs: Runs
    rises: bool  # steps never go back
    climbs: bool  # every step is higher than the one before
    timed: bool  # every wall is finite and none goes back
    attempt: int | None  # of all its points; None when they differ

    def __len__(self) -> int:
        return len(self.curve)


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Points ``[start, end)`` of a part, at least one."""

    part: Part
    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    def curve(self) -> Curve:
        """The points themselves."""
        return self.part.curve if len(self) == len(self.part) else self.part.curve.take(slice(self.start, self.end))


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A curve, or a window of one, as pieces that follow each other. Position 0 is its first point."""

    pieces: tuple[Piece, ...]

    def __len__(self) -> int:
        return sum(len(one) for one in self.pieces)

    def curve(self) -> Curve:
        """Every point."""
        return concat([one.curve() for one in self.pieces]) if self.pieces else EMPTY

    def take(self, positions: Ints) -> Curve:
        """The points at ``positions``, which rise."""
        bases = self.bases()
        edges = np.searchsorted(positions, bases).tolist()
        found = [
            piece.part.curve.take(positions[low:high] + (piece.start - base))
            for piece, base, low, high in zip(self.pieces, bases[:-1].tolist(), edges[:-1], edges[1:], strict=True)
            if low < high
        ]
        return concat(found) if found else EMPTY

    def bases(self) -> Ints:
        """The position of each piece's first point, and the length of the whole."""
        return np.cumsum([0, *(len(one) for one in self.pieces)], dtype=np.int64)


def line(curve: Curve) -> Line:
    """``curve`` cut into parts."""
    return joined([part(curve.take(slice(at, at + PART))) for at in range(0, len(curve), PART)])


def joined(parts: Sequence[Part]) -> Line:
    """One part after the other."""
    return Line(tuple(Piece(one, 0, len(one)) for one in parts))


def part(curve: Curve) -> Part:
    """What there is to know of some points, at least one."""
    curve = curve.lean()
    finite = np.isfinite(curve.values)
    return Part(
        curve,
        _leaves(curve.values, finite, np.inf),
        _leaves(curve.values, finite, -np.inf),
        _runs(curve, finite),
        rises=rises(curve),
        climbs=bool((curve.steps[1:] > curve.steps[:-1]).all()),
        timed=timed(curve),
        attempt=int(curve.attempts[0]) if is_constant(curve.attempts) else None,
    )


def rises(curve: Curve) -> bool:
    """Whether steps never go back."""
    return bool((curve.steps[1:] >= curve.steps[:-1]).all())


def timed(curve: Curve) -> bool:
    """Whether every wall is finite and none goes back."""
    return bool(np.isfinite(curve.walls).all() and (curve.walls[1:] >= curve.walls[:-1]).all())


def _leaves(values: Floats, finite: Flags, filler: float) -> Leaves:
    """The lowest of each leaf (with ``filler`` +inf) or the highest (-inf)."""
    count = -(-len(values) // LEAF)
    padded = np.full(count * LEAF, filler)
    padded[: len(values)] = values if finite.all() else np.where(finite, values, filler)
    rows = padded.reshape(count, LEAF)
    at: Indices = (rows.argmin(axis=1) if filler > 0 else rows.argmax(axis=1)).astype(np.int32)
    at += np.arange(count, dtype=np.int32) * LEAF
    found = padded[at]
    at[found == filler] = -1
    found[found == filler] = np.nan
    return Leaves(at, found)


NO_RUNS = Runs(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint8))


def _runs(curve: Curve, finite: Flags) -> Runs:
    if finite.all():
        return NO_RUNS
    kinds = np.zeros(len(curve), dtype=np.uint8)
    kinds[np.isnan(curve.values)] = NAN
    kinds[np.isposinf(curve.values)] = UP
    kinds[np.isneginf(curve.values)] = DOWN
    changes = (kinds[1:] != kinds[:-1]) | (curve.attempts[1:] != curve.attempts[:-1])
    edges = np.concatenate([[0], np.flatnonzero(changes) + 1, [len(curve)]])
    starts, ends = edges[:-1], edges[1:]
    strange = kinds[starts] > 0
    return Runs(starts[strange], ends[strange], kinds[starts[strange]])


def between(whole: Line, start: int | None, end: int | None) -> Line:
    """The points whose step lies in the window; both ends inclusive, None = open."""
    if start is None and end is None:
        return whole
    return _joined(_inside(one, one.part.curve.steps, start, end, rises=one.part.rises) for one in whole.pieces)


def during(whole: Line, since: float | None, until: float | None) -> Line:
    """The points whose wall lies in the window, both ends inclusive; points without a clock lie in none."""
    if since is None and until is None:
        return whole
    return _joined(_inside(one, one.part.curve.walls, since, until, rises=one.part.timed) for one in whole.pieces)


def _joined(several: Iterable[Sequence[Piece]]) -> Line:
    return Line(tuple(one for pieces in several for one in pieces))


def _inside(
    piece: Piece, column: Ints | Floats, low: float | None, high: float | None, *, rises: bool
) -> Sequence[Piece]:
    mine = column[piece.start : piece.end]
    if rises:
        first = 0 if low is None else int(np.searchsorted(mine, low, side="left"))
        last = len(mine) if high is None else int(np.searchsorted(mine, high, side="right"))
        return [Piece(piece.part, piece.start + first, piece.start + last)] if first < last else []
    inside = np.ones(len(mine), dtype=bool)
    if low is not None:
        inside &= mine >= low
    if high is not None:
        inside &= mine <= high
    return _chosen(piece, np.flatnonzero(inside))


def _chosen(piece: Piece, at: Ints) -> Sequence[Piece]:
    """The points at ``at`` of the piece; a part of their own when others lie between them."""
    if not len(at):
        return []
    if int(at[-1] - at[0]) + 1 == len(at):
        return [Piece(piece.part, piece.start + int(at[0]), piece.start + int(at[-1]) + 1)]
    return joined([part(piece.part.curve.take(at + piece.start))]).pieces
