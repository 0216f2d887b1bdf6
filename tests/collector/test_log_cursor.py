"""Numbers and clocks decoded in columns are those that ``float`` and ``clock`` read, to the last bit."""

from __future__ import annotations

import struct
from datetime import datetime

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from collector.parse.log.cursor import MARGIN, Cursor, Text
from collector.parse.log.prefix import clock
from collector.parse.log.value import reading

SPELLINGS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e6, 1e6, width=32).map(lambda number: str(np.float32(number))),
    st.floats(-1e6, 1e6).map(lambda number: f"{number:5.3f}"),
    st.floats(1e-12, 1e12).map(lambda number: f"{number:10.6e}"),
    st.integers(0, 10**20).map(str),
    st.from_regex(r"-?[0-9]{1,20}(\.[0-9]{0,20})?([eE][-+]?[0-9]{1,4})?", fullmatch=True),
    st.sampled_from(
        ["", "-", "nan", "inf", ".5", "1e", "1e+", "--1", "1.2.3", "5.", "0.0", "-0.0", "9007199254740993"]
    ),
)


def cursor(texts: list[str]) -> Cursor:
    content = "".join(f"{text}|\n" for text in texts).encode()
    lengths = [len(text.encode()) + 2 for text in texts]
    starts = np.cumsum([0, *lengths[:-1]]).astype(np.int64)
    return Cursor(Text(content + b"\n" * MARGIN), np.arange(len(texts), dtype=np.int64), starts)


def bits(number: float) -> bytes:
    return struct.pack("<d", number)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), SPELLINGS), min_size=1, max_size=40))
def test_a_number_is_the_same_as_read_alone_or_left_out(spelled: list[tuple[int, str]]) -> None:
    walk = cursor([" " * blanks + text for blanks, text in spelled])
    walk.number()
    walk.literal(b"|")
    for row, value in zip(walk.rows.tolist(), walk.columns[0].tolist(), strict=True):
        alone = reading(spelled[row][1].encode())
        assert alone is not None
        assert bits(alone.number) == bits(value), spelled[row]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.floats(-1e15, 1e15).map(lambda number: f"{number:.6g}") | st.integers(0, 10**15).map(str), min_size=1)
)
def test_common_numbers_are_not_left_out(texts: list[str]) -> None:
    walk = cursor(texts)
    walk.number()
    walk.literal(b"|")
    assert [bits(value) for value in walk.columns[0].tolist()] == [bits(float(text)) for text in texts]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.from_regex(
            r"20[0-9]{2}-[01][0-9]-[0-3][0-9][ T][012][0-9]:[0-6][0-9]:[0-6][0-9][,.][0-9]{2,4}", fullmatch=True
        )
        | st.datetimes().map(lambda when: f"{when:%Y-%m-%d %H:%M:%S},{when.microsecond // 1000:03d}")
        | st.sampled_from(["nothing", "2025-06-01 10:00:30,099", "2025-06-01 10:00:31", ""]),
        min_size=1,
        max_size=30,
    )
)
def test_a_clock_is_the_same_as_read_alone_or_left_out(texts: list[str]) -> None:
    walk = cursor(texts)
    walk.clock(b"|")
    for row, wall in zip(walk.rows.tolist(), walk.columns[0].tolist(), strict=True):
        text = texts[row].encode()
        assert bits(clock(text, 0, len(text))) == bits(wall)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1)), min_size=1, max_size=30))
def test_common_clocks_are_not_left_out(moments: list[datetime]) -> None:
    texts = [f"{when:%Y-%m-%d %H:%M:%S},{when.microsecond // 1000:03d}" for when in moments]
    walk = cursor(texts)
    walk.clock(b"|")
    assert [bits(wall) for wall in walk.columns[0].tolist()] == [
        bits(clock(f"{one}|".encode(), 0, 23)) for one in texts
    ]
