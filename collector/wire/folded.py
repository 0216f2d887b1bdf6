"""Older points of a series, folded: of each bucket its count, its mean and those points that hide nothing of its range.

A folded string begins with ``HEAD``: how many points of the series were folded, its oldest ones, and how many of them
are kept. Chunks follow, one a fold: ``CHUNK``, its buckets, its kept points as they were stored.

Kept are of each bucket the first, the last, the lowest and the highest point, and both ends of every stretch of NaN or
infinity; each of them is a point that a file really holds, so whoever reads them as a series reads the truth with gaps.
Where steps do not rise, or a clock is missing or goes back, every point of the bucket is kept.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from collector.wire.records import POINT_BYTES

HEAD = struct.Struct("<QQ")  # points that were folded, those of them that are kept
CHUNK = struct.Struct("<II")  # buckets, kept points of all of them
BUCKET = struct.Struct("<HHHHHd")
BUCKET_POINTS = 64  # of which some four are kept: 1.8 bytes a point instead of 24


@dataclass(frozen=True, slots=True)
class Bucket:
    """Neighbouring points. ``nan``, ``up`` and ``down`` count those NaN and infinities that are not kept; ``mean`` is
    that of all finite values, NaN when there is none."""

    count: int
    kept: int
    nan: int
    up: int
    down: int
    mean: float


def head_of(text: bytes) -> tuple[int, int]:
    """How many points were folded and how many of them are kept; HEAD itself suffices, no text is none."""
    count, kept = HEAD.unpack_from(text) if text else (0, 0)
    return count, kept


def chunks(text: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The buckets and the kept points of each fold, oldest first, packed."""
    at = HEAD.size
    while at < len(text):
        buckets, kept = CHUNK.unpack_from(text, at)
        middle = at + CHUNK.size + buckets * BUCKET.size
        end = middle + kept * POINT_BYTES
        yield text[at + CHUNK.size : middle], text[middle:end]
        at = end


def kept_of(text: bytes) -> bytes:
    """The kept points, in order of arrival, as 24-byte points (wire.records)."""
    return b"".join(points for _, points in chunks(text))


def buckets_of(text: bytes) -> list[Bucket]:
    """The buckets, oldest first."""
    return [Bucket(*one) for buckets, _ in chunks(text) for one in BUCKET.iter_unpack(buckets)]
