"""Numbers and moments as text."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.export import texts


@given(st.lists(st.floats(width=64), max_size=20))
def test_every_number_reads_back_equal(values: list[float]) -> None:
    found = texts.numbers(np.array(values, dtype=np.float64))
    assert len(found) == len(values)
    for text, value in zip(found, values, strict=True):
        read = float(text.replace("Infinity", "inf"))
        assert (
            math.isnan(read)
            if math.isnan(value)
            else (read, math.copysign(1, read)) == (value, math.copysign(1, value))
        )
        assert len(text) <= len(repr(value)) + 8  # 0.00001 and 1e-05


@given(
    st.lists(
        st.floats(-1e10, 2.6e11) | st.sampled_from([0.0, -0.5, 1e-7, 253402300799.5, math.nan, math.inf]), max_size=12
    )
)
def test_a_moment_has_the_digits_of_its_seconds(walls: list[float]) -> None:
    times, seconds = texts.moments(np.array(walls, dtype=np.float64))
    for time, text, wall in zip(times, seconds, walls, strict=True):
        if not math.isfinite(wall):
            assert (time, text) == ("", "")
            continue
        assert float(text) == wall
        if not wall < texts.LAST:
            assert time == ""
            continue
        begun, _, fraction = time.removesuffix("Z").partition(".")
        whole = int(datetime.fromisoformat(begun).replace(tzinfo=UTC).timestamp())
        beyond = Fraction(text) - whole - Fraction(f"0.{fraction or 0}")
        assert 0 <= beyond < Fraction(1, 10**9)
        assert beyond == 0 or min(walls) < 0 or "e" in "".join(seconds)
        assert not fraction.endswith("0")


@pytest.mark.parametrize(
    ("wall", "time"),
    [
        (1795961307.58, "2026-11-29T14:08:27.58Z"),
        (1795961307.0, "2026-11-29T14:08:27Z"),
        (1795961307.1234567, "2026-11-29T14:08:27.1234567Z"),
        (0.0, "1970-01-01T00:00:00Z"),
        (-1.5, "1969-12-31T23:59:58.5Z"),
        (1e-7, "1970-01-01T00:00:00.0000001Z"),
        (1e17, ""),
        (-1e17, ""),
    ],
)
def test_moments(wall: float, time: str) -> None:
    assert texts.moments(np.array([wall]))[0] == [time]
    assert texts.moments(np.array([wall, math.nan]), "null")[0] == [time, "null"]
