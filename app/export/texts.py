"""Numbers and moments as text that reads back equal: the shortest there is. Pure, and most of what an export costs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import lru_cache

import numpy as np
from pydantic_core import to_json

from app.export.rows import Values
from app.series.curve import Floats, Ints

TWO = tuple(f"{number:02}" for number in range(60))
FIRST, LAST = -62_135_596_800, 253_402_300_800  # seconds; the years 1 and 10,000 begin
NANO = 10**9
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def whole(numbers: Ints) -> list[str]:
    """Integers."""
    return list(map(str, numbers.tolist()))


def numbers(values: Floats) -> list[str]:
    """The shortest decimals of float64 that read back equal; NaN, Infinity, -Infinity. pydantic-core, which is there
    for Dash, writes them four times as fast as ``repr``."""
    if not len(values):
        return []
    return to_json(values.tolist(), inf_nan_mode="constants").decode()[1:-1].split(",")


def cells(column: Values | None, count: int, nothing: str = "") -> Sequence[str]:
    """A column of a table; ``nothing`` where there is no value."""
    if column is None:
        return [nothing] * count
    if column.present is None:
        return numbers(column.values)
    found = [nothing] * count
    there = np.flatnonzero(column.present)
    for at, text in zip(there.tolist(), numbers(column.values[there]), strict=True):
        found[at] = text
    return found


def moments(walls: Floats, nothing: str = "") -> tuple[list[str], list[str]]:
    """Unix seconds as moments (ISO 8601, UTC, with as much of a fraction as the seconds have) and as numbers;
    ``nothing`` without a clock."""
    known = np.isfinite(walls)
    if known.all():
        seconds = numbers(walls)
        return _moments(walls, seconds), seconds
    texts, times = [nothing] * len(walls), [nothing] * len(walls)
    there = walls[known]
    seconds = numbers(there)
    for at, text, time in zip(np.flatnonzero(known).tolist(), seconds, _moments(there, seconds), strict=True):
        texts[at], times[at] = text, time
    return times, texts


def _moments(walls: Floats, seconds: Sequence[str]) -> list[str]:
    """One by one where a moment is unusual: before 1970, after 9999, or told with an exponent."""
    if not len(walls) or walls.min() < 0 or walls.max() >= LAST or any("e" in one for one in seconds):
        return list(map(moment, seconds))
    minutes, rest = np.divmod(walls.astype(np.int64), 60)
    told, at = np.unique(minutes, return_inverse=True)
    begun = [_minute(one) for one in told.tolist()]
    parts = zip(at.tolist(), rest.tolist(), seconds, strict=True)
    return [
        f"{begun[minute]}{TWO[second]}{text[text.index('.') :].removesuffix('.0')}Z" for minute, second, text in parts
    ]


def moment(seconds: str) -> str:
    """The moment of Unix seconds as they are written, to the nanosecond below; nothing for one that no calendar has."""
    floor, nanos = divmod((Fraction(seconds) * NANO).__floor__(), NANO)
    if not FIRST <= floor < LAST:
        return ""
    fraction = f".{nanos:09}".rstrip("0") if nanos else ""
    return (EPOCH + timedelta(seconds=floor)).strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0") + f"{fraction}Z"


@lru_cache(maxsize=4096)
def _minute(minute: int) -> str:
    """``2026-11-29T14:10:`` of the minutes since 1970."""
    return (EPOCH + timedelta(minutes=minute)).strftime("%Y-%m-%dT%H:%M:")
