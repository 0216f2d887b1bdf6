"""What is packed comes back as the very same bytes, and in a third of them where a curve is an ordinary one."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collector.pack import pack
from collector.wire.packed import (
    CHUNK_POINTS,
    HEAD,
    RAW_STEPS,
    RAW_WALLS,
    SIZES,
    WIDE_VALUES,
    count_of,
    front_of,
    front_size,
    kinds_of,
    points_of,
    size_of,
    unpacked,
)
from collector.wire.records import POINT, pack_point

ALL = range(CHUNK_POINTS)
BITS = struct.Struct("<qQQ")


def packed(block: bytes) -> bytes:
    """As a string of the store."""
    (found,) = pack([block])
    assert len(found.body) == size_of(found.kinds)
    return front_of(found.kinds) + found.body


def block(step: object = None, wall: object = None, value: object = None) -> bytes:
    """A chunk; each column a function of the place."""
    steps, walls, values = step or (lambda at: at), wall or (lambda at: 1.79e9 + at), value or (lambda at: at / 4)
    return b"".join(pack_point(steps(at), walls(at), values(at)) for at in ALL)  # type: ignore[operator]


def kind(points: bytes) -> int:
    text = packed(points)
    assert points_of(text) == points
    return kinds_of(text[: front_size(text)])[0]


@settings(max_examples=60, deadline=None)
@given(st.binary(min_size=CHUNK_POINTS * 24, max_size=CHUNK_POINTS * 24))
def test_any_bytes_come_back(points: bytes) -> None:
    assert points_of(packed(points)) == points


whole = st.integers(-(2**63), 2**63 - 1)
bits = st.one_of(
    st.floats(width=32).map(lambda one: struct.unpack("<Q", struct.pack("<d", one))[0]),
    st.integers(0, 2**64 - 1),
    st.sampled_from([0x7FF0000000000001, 0x7FF8000000000001, 0xFFF8000000000000, 0x8000000000000000]),
)


@settings(max_examples=100, deadline=None)
@given(whole, st.integers(-(2**41), 2**41), bits, st.integers(0, 2**33), st.lists(bits, min_size=1, max_size=4))
def test_columns_with_any_beginning_stride_and_bits_come_back(
    step: int, stride: int, wall: int, more: int, values: list[int]
) -> None:
    def wrapped(number: int) -> int:
        return (number + 2**63) % 2**64 - 2**63

    points = b"".join(
        BITS.pack(wrapped(step + at * stride), (wall + at * more) % 2**64, values[at % len(values)]) for at in ALL
    )
    assert points_of(packed(points)) == points


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        (block(), 0),
        (block(step=lambda at: 7), 0),
        (block(step=lambda at: 1000 - 5 * at), 0),
        (block(step=lambda at: at + (at > 9)), RAW_STEPS),
        (block(step=lambda at: 2**63 - 100 + at), RAW_STEPS),
        (block(wall=lambda at: math.nan), 0),
        (block(wall=lambda at: 1.79e9 + 1000 * at), 0),
        (block(wall=lambda at: 1.79e9 + 1030 * at), RAW_WALLS),
        (block(wall=lambda at: 1.79e9 - at), RAW_WALLS),
        (block(wall=lambda at: 1.79e9 if at < 64 else math.nan), RAW_WALLS),
        (block(value=lambda at: 0.1), WIDE_VALUES),
        (block(value=lambda at: struct.unpack("<f", struct.pack("<f", 0.1))[0]), 0),
        (block(value=lambda at: [math.nan, math.inf, -math.inf, -0.0, 1e-45][at % 5]), WIDE_VALUES),
        (block(value=lambda at: [math.nan, math.inf, -math.inf, -0.0, 2.0**-149][at % 5]), 0),
        (block(value=lambda at: 1e300), WIDE_VALUES),
    ],
)
def test_a_column_is_as_narrow_as_loses_nothing(points: bytes, expected: int) -> None:
    assert kind(points) == expected


def test_signalling_nan_keep_their_bits() -> None:
    points = bytearray(block())
    points[16:24] = (0x7FF0000020000000).to_bytes(8, "little")  # one that 32 bits could hold
    assert kind(bytes(points)) == WIDE_VALUES


def test_chunks_of_several_series_and_kinds_are_told_apart() -> None:
    first = block() + block(value=lambda at: 0.1)
    second = block(wall=lambda at: -at)
    one, other = pack([first, second])
    assert (list(one.kinds), list(other.kinds)) == ([0, WIDE_VALUES], [RAW_WALLS])
    assert (unpacked(one.kinds, one.body), unpacked(other.kinds, other.body)) == (first, second)
    assert pack([]) == []


def test_a_string_tells_how_much_it_holds() -> None:
    text = packed(block() * 3)
    assert (count_of(text), count_of(text[: HEAD.size]), count_of(b"")) == (3 * CHUNK_POINTS, 3 * CHUNK_POINTS, 0)
    assert (front_size(text), front_size(b""), front_of(b"")) == (HEAD.size + 3, 0, b"")
    assert points_of(b"") == b""


def test_what_an_ordinary_curve_takes() -> None:
    assert SIZES[0] / CHUNK_POINTS < 8.2
    assert SIZES[WIDE_VALUES] / CHUNK_POINTS < 12.2
    assert max(SIZES) / CHUNK_POINTS < POINT.size + 0.2
