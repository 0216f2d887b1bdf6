"""The points around a stretch of steps out of long series, without reading them whole. Raises StoreAway."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from app.series.curve import POINT, Points
from app.stored import RunStore
from collector.wire.records import POINT_BYTES, RunId, unpack_points

LEAST_AROUND, AROUND = 200, 3  # rows on each side: so many, or so many times those of the stretch
MOST = 500_000  # rows that are read of one series
SERIES = 8  # that one excerpt is made of: a run that starts again and again has many
PROBES = 64  # places that are looked at at once to find a step


@dataclass(frozen=True, slots=True)
class Stretch:
    """First and last step, both included, and when the last was written (Unix seconds, None without a clock)."""

    first: int
    last: int
    wall: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """``points`` of a series from place ``start`` on."""

    sid: str
    start: int
    points: Points


@dataclass(frozen=True, slots=True)
class _Head:
    """First point of a series."""

    wall: float
    number: int
    sid: str
    step: int


def excerpt(store: RunStore, run: RunId, sids: Sequence[str], around: Stretch) -> Sequence[Piece]:
    """Pieces in order, one a series; where a later series has steps again, those of the earlier are left out. What was
    begun after the stretch is no part of it. The same lines in two files are drawn once."""
    found: list[Piece] = []
    need, cut = 0, None
    for head in reversed(_heads(store, run, sids, around)):
        if len(found) >= SERIES or (found and need <= 0):
            break
        if head.step > around.last or (cut is not None and head.step >= cut):
            continue
        piece, need = _piece(store, run, head.sid, around, cut, need)
        found.append(piece)
        cut = head.step
    return found[::-1]


def _heads(store: RunStore, run: RunId, sids: Sequence[str], around: Stretch) -> list[_Head]:
    """Of the series that had begun, in the order in which they began."""
    found = []
    for number, (sid, block) in enumerate(zip(sids, store.heads(run, sids), strict=True)):
        for step, wall, _ in unpack_points(block):
            if around.wall is None or isnan(wall) or wall <= around.wall:
                found.append(_Head(float("-inf") if isnan(wall) else wall, number, sid, step))
    return sorted(found, key=lambda one: (one.wall, one.number))


def _piece(store: RunStore, run: RunId, sid: str, around: Stretch, cut: int | None, need: int) -> tuple[Piece, int]:
    """Rows of one series, and how many before the stretch are still missing; ``need`` of them are wanted where a later
    series was read, which begins at step ``cut``."""
    (length,) = store.lengths(run, [sid])
    low = place(store, run, sid, length, around.first)
    if cut is None:
        high = place(store, run, sid, length, around.last + 1)
        need = min(max(LEAST_AROUND, AROUND * (high - low)), max(LEAST_AROUND, (MOST - high + low) // 2))
        end = min(length, high + need)
    else:
        end = place(store, run, sid, length, cut)
    start = max(0, min(low, end) - need, end - MOST)
    (block,) = store.ranges(run, [(sid, start, end - start)])
    return Piece(sid, start, points(block)), need - (min(low, end) - start)


def points(block: bytes) -> Points:
    """Packed points as columns; a torn last one is left out."""
    return np.frombuffer(block, POINT, count=len(block) // POINT_BYTES)


def place(store: RunStore, run: RunId, sid: str, length: int, step: int) -> int:
    """How many points of a series lie before a step; about that, where its steps do not rise."""
    low, high = 0, length
    while low < high:
        looked = sorted({low + (high - 1 - low) * one // PROBES for one in range(PROBES + 1)})
        steps = [one for one, _, _ in unpack_points(store.points_at(run, sid, looked))]
        if len(steps) < len(looked):
            return low  # flushed or folded in between
        at = bisect_left(steps, step)
        low, high = (looked[at - 1] + 1 if at else low), (looked[at] if at < len(looked) else high)
        if at in (0, len(looked)):
            return low if at == 0 else high
    return low


def newest(store: RunStore, run: RunId, sids: Sequence[str], count: int) -> Points:
    """The last ``count`` points of each of some series that follow one another, by their clocks."""
    found = np.concatenate([np.zeros(0, POINT), *map(points, store.tails(run, sids[-SERIES:], count))])
    return found[np.argsort(found["wall"], kind="stable")]


def alike(store: RunStore, run: RunId, pieces: Sequence[Piece], sids: Sequence[Sequence[str]]) -> Iterator[Points]:
    """What other ranks have at the places of ``pieces``; ``sids``: for each of them the series that stand for those of
    the pieces."""
    wanted = [(sid, piece.start, len(piece.points)) for mine in sids for sid, piece in zip(mine, pieces, strict=True)]
    yield from map(points, store.ranges(run, wanted) if wanted else ())
