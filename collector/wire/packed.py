"""Older points of a series, packed: the very same points, to the last bit, in a third to a half of their bytes.

A packed string begins with its front: ``HEAD`` (how many chunks there are) and of each chunk one byte, its kind. The
chunks follow, oldest first, each of CHUNK_POINTS points in columns: ``BASE`` (first step, stride, bits of the first
wall), the steps where they have no constant stride, the walls, the values.

Walls are what the bits of each, read as an integer, are more than those of the one before: 32 bits hold 1,024 s of a
clock of today. Where one goes back or further on, the walls of that chunk are stored as they are. Values are 32-bit
numbers where that loses nothing, as TensorBoard's scalars are; else they are stored as they are.

A string of packed points lies between what is folded of a series (wire.folded) and its exact points: older than these.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from itertools import accumulate, chain

CHUNK_POINTS = 128
HEAD = struct.Struct("<I")  # chunks
BASE = struct.Struct("<qqq")
WIDE_VALUES, RAW_WALLS, RAW_STEPS = 1, 2, 4  # bits of a kind
KINDS = 8
_WALLS = struct.Struct(f"<{CHUNK_POINTS}I")
_VALUES = struct.Struct(f"<{CHUNK_POINTS}f")
_WIDE = struct.Struct(f"<{CHUNK_POINTS}d")
_BITS = struct.Struct(f"<{CHUNK_POINTS}q")  # eight bytes each, as they are
_POINTS = struct.Struct("<" + "qqq" * CHUNK_POINTS)


def _size_of(kind: int) -> int:
    values = _BITS.size if kind & WIDE_VALUES else _VALUES.size
    walls = _BITS.size if kind & RAW_WALLS else _WALLS.size
    return BASE.size + (_BITS.size if kind & RAW_STEPS else 0) + walls + values


SIZES = tuple(_size_of(kind) for kind in range(KINDS))  # bytes of one chunk, by its kind


def size_of(kinds: bytes) -> int:
    """Bytes of chunks of these kinds."""
    return sum(SIZES[kind] for kind in kinds)


def count_of(text: bytes) -> int:
    """How many points are packed in a string; HEAD itself suffices, no text is none."""
    return int(HEAD.unpack_from(text)[0]) * CHUNK_POINTS if text else 0


def front_size(text: bytes) -> int:
    """How many bytes of a string come before its first chunk; HEAD itself suffices."""
    return HEAD.size + int(HEAD.unpack_from(text)[0]) if text else 0


def kinds_of(front: bytes) -> bytes:
    """The kinds of all chunks, of a front or b""."""
    return front[HEAD.size :]


def front_of(kinds: bytes) -> bytes:
    """What a string of chunks of these kinds begins with; b"" without any, since then there is no string."""
    return HEAD.pack(len(kinds)) + kinds if kinds else b""


def points_of(text: bytes) -> bytes:
    """Every point of a packed string, in order of arrival, as 24-byte points (wire.records)."""
    front = front_size(text)
    return unpacked(kinds_of(text[:front]), text[front:])


def unpacked(kinds: bytes, body: bytes) -> bytes:
    """The points of chunks, as 24-byte points."""
    starts = accumulate((SIZES[kind] for kind in kinds), initial=0)
    return b"".join(_unpacked(kind, body, at) for kind, at in zip(kinds, starts, strict=False))


def _unpacked(kind: int, body: bytes, at: int) -> bytes:
    step, stride, wall = BASE.unpack_from(body, at)
    at += BASE.size
    steps: Iterable[int] = (step + stride * one for one in range(CHUNK_POINTS))
    if kind & RAW_STEPS:
        steps, at = _BITS.unpack_from(body, at), at + _BITS.size
    if kind & RAW_WALLS:
        walls, at = _BITS.unpack_from(body, at), at + _BITS.size
    else:
        more, at = _WALLS.unpack_from(body, at), at + _WALLS.size
        walls = tuple(accumulate(more, initial=wall))[1:]
    wide = kind & WIDE_VALUES
    values = _BITS.unpack_from(body, at) if wide else _BITS.unpack(_WIDE.pack(*_VALUES.unpack_from(body, at)))
    return _POINTS.pack(*chain.from_iterable(zip(steps, walls, values, strict=True)))
