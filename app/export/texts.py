"""Numbers and moments as text that reads back equal: the shortest there is. Pure, and most of what an export costs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import lru_cache

import numpy as np
from pydantic_core import to_json

from app.export.rows import Values
from app.series.curve import Floats, Ints

DAY = 86_400
LAST = 253_402_300_800  # seconds; year 10,000 begins
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
    whole = walls.astype(np.int64)
    days, clocks = _days(), _clocks()
    return [
        f"{days[day] if day in days else days.setdefault(day, _date(day))}T{clocks[second]}{_fraction(text)}Z"
        for day, second, text in zip((whole // DAY).tolist(), (whole % DAY).tolist(), seconds, strict=True)
    ]


def _fraction(seconds: str) -> str:
    """``.58`` of ``1795961307.58``; nothing of ``1795961307.0``."""
    fraction = seconds[seconds.index(".") :]
    return "" if fraction == ".0" else fraction


def moment(seconds: str) -> str:
    """The moment of Unix seconds as they are written; nothing for one that no calendar has."""
    exact = Decimal(seconds)
    floor = exact.__floor__()
    if not -62_135_596_800 <= floor < LAST:
        return ""
    fraction = f"{(exact - floor).normalize():f}".partition(".")[2]
    begun = (EPOCH + timedelta(seconds=floor)).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{begun.rjust(19, '0')}{'.' + fraction if fraction else ''}Z"


@lru_cache(maxsize=1)
def _clocks() -> Sequence[str]:
    """Every second of a day."""
    return [f"{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}" for at in range(DAY)]


@lru_cache(maxsize=1)
def _days() -> dict[int, str]:
    return {}


def _date(day: int) -> str:
    return (EPOCH + timedelta(days=day)).strftime("%Y-%m-%d").rjust(10, "0")
