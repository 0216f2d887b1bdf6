"""Damage that knows nothing of formats: what disks, networks, editors and careless scripts do to bytes."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

LONGEST = 4 << 20  # bytes of a blown-up input: large enough that anything but linear work shows


def flip(rng: random.Random, data: bytes) -> bytes:
    """A few bits the other way."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        if out:
            out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def truncate(rng: random.Random, data: bytes) -> bytes:
    """The end is missing."""
    return data[: rng.randrange(len(data) + 1)]


def behead(rng: random.Random, data: bytes) -> bytes:
    """The beginning is missing."""
    return data[rng.randrange(len(data) + 1) :]


def cut_out(rng: random.Random, data: bytes) -> bytes:
    """A piece is missing in the middle."""
    begin, end = _span(rng, data)
    return data[:begin] + data[end:]


def double(rng: random.Random, data: bytes) -> bytes:
    """A piece stands there several times."""
    begin, end = _span(rng, data)
    return data[:end] + data[begin:end] * rng.choice((1, 1, 2, 7)) + data[end:]


def zero(rng: random.Random, data: bytes) -> bytes:
    """A piece reads as zeros, as NFS shows what has not arrived."""
    begin, end = _span(rng, data)
    return data[:begin] + bytes(end - begin) + data[end:]


def scramble(rng: random.Random, data: bytes) -> bytes:
    """A short piece is noise."""
    begin, end = _span(rng, data, 16)
    return data[:begin] + rng.randbytes(end - begin) + data[end:]


def swap(rng: random.Random, data: bytes) -> bytes:
    """Two neighbouring pieces changed places."""
    first, middle, last = sorted(rng.randrange(len(data) + 1) for _ in range(3))
    return data[:first] + data[middle:last] + data[first:middle] + data[last:]


def blow_up(rng: random.Random, data: bytes) -> bytes:
    """One piece repeated until the input is large: what takes more than linear time or memory shows here."""
    begin, end = _span(rng, data, rng.choice((1, 4, 64, 4096)))
    piece = data[begin:end] or b" "
    return data[:begin] + piece * (rng.choice((1 << 16, 1 << 19, LONGEST // 2)) // len(piece)) + data[end:]


PLAIN: Sequence[Callable[[random.Random, bytes], bytes]] = (
    flip,
    flip,
    truncate,
    behead,
    cut_out,
    double,
    zero,
    scramble,
    swap,
)


def damaged(rng: random.Random, data: bytes) -> bytes:
    """``data`` after one to three of these accidents; rarely blown up."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        data = rng.choice(PLAIN)(rng, data)
    return blow_up(rng, data) if rng.random() < 0.004 else data


def inserted(rng: random.Random, data: bytes, piece: bytes) -> bytes:
    """``piece`` at a random place."""
    at = rng.randrange(len(data) + 1)
    return data[:at] + piece + data[at:]


def _span(rng: random.Random, data: bytes, longest: int = 256) -> tuple[int, int]:
    begin = rng.randrange(len(data) + 1)
    return begin, min(len(data), begin + rng.randrange(longest + 1))
