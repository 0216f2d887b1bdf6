"""Packed points of many series at once, as points; wire.packed tells the form. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from collector.wire.packed import CHUNK_POINTS, RAW_STEPS, RAW_WALLS, SIZES, WIDE_VALUES

_POINT = np.dtype([("step", "<i8"), ("wall", "<i8"), ("value", "<f8")])  # the wall's bits
_PLACES = np.arange(CHUNK_POINTS)
AT_ONCE = 256  # series: some MB, which the processor's caches nearly hold

Rows = NDArray[np.void]
"""Points; of many series a row each."""


def unpacked(kinds: Sequence[bytes], bodies: Sequence[bytes]) -> list[Rows]:
    """Of each series, whose chunks are of some ``kinds``, its points; ``bodies`` are the chunks."""
    alike: dict[bytes, list[int]] = defaultdict(list)
    for number, some in enumerate(kinds):
        alike[some].append(number)
    found: list[Rows] = [np.empty(0, _POINT)] * len(kinds)
    for some, all_numbers in alike.items():
        for first in range(0, len(all_numbers), AT_ONCE):
            numbers = all_numbers[first : first + AT_ONCE]
            for number, row in zip(numbers, _rows(some, [bodies[one] for one in numbers]), strict=True):
                found[number] = row
    return found


def _rows(kinds: bytes, bodies: Sequence[bytes]) -> Rows:
    """The points of series that are all of the same kinds, as a table."""
    table = np.frombuffer(b"".join(bodies), np.uint8).reshape(len(bodies), -1)
    points = np.empty((len(bodies), len(kinds), CHUNK_POINTS), _POINT)
    first, at = 0, 0
    for kind, same in groupby(kinds):
        last = first + len(list(same))
        end = at + (last - first) * SIZES[kind]
        chunks = np.ascontiguousarray(table[:, at:end]).view(_form(kind))
        _fill(points[:, first:last], chunks, kind)
        first, at = last, end
    return points.reshape(len(bodies), -1)


def _fill(points: Rows, chunks: NDArray[np.void], kind: int) -> None:
    """The points of chunks of one kind."""
    if kind & RAW_STEPS:
        points["step"] = chunks["steps"]
    else:
        points["step"] = chunks["step"][..., None] + chunks["stride"][..., None] * _PLACES
    if kind & RAW_WALLS:
        points["wall"] = chunks["walls"]
    else:
        np.cumsum(chunks["walls"], axis=-1, dtype=np.int64, out=points["wall"])
        points["wall"] += chunks["wall"][..., None]
    points["value"] = chunks["values"]


@lru_cache
def _form(kind: int) -> np.dtype[np.void]:
    """A chunk as numpy reads it."""
    steps = [("steps", "<i8", CHUNK_POINTS)] if kind & RAW_STEPS else []
    walls = ("walls", "<i8" if kind & RAW_WALLS else "<u4", CHUNK_POINTS)
    values = ("values", "<f8" if kind & WIDE_VALUES else "<f4", CHUNK_POINTS)
    return np.dtype([("step", "<i8"), ("stride", "<i8"), ("wall", "<i8"), *steps, walls, values])
