"""Numbers as people read them in the language of the request. Pure; the browser's twin is assets/numbers.js.

What a Chinese reader writes differently is in MANNERS: seconds, minutes, hours and days, and counts by 万 and 亿. Units
that engineers spell alike in both languages stay: bytes, milliseconds (the log says per_step_time in ms), throughput.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.language import language

LEAST = 1e4  # from here on a number is said with a prefix: four digits are still read at a glance


@dataclass(frozen=True, slots=True)
class Manner:
    """How a language writes times and counts; prefixes are (size, sign), largest first."""

    second: str
    minute: str
    hour: str
    day: str
    hour_minute: str
    day_hour: str
    percent: str
    prefixes: Sequence[tuple[float, str]]


MANNERS: Mapping[str, Manner] = {
    "en": Manner(
        "{} s", "{} min", "{} h", "{} d", "{} h {} min", "{} d {} h", "{} %",
        ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")),
    ),
    "zh": Manner(
        "{} 秒", "{} 分钟", "{} 小时", "{} 天", "{} 小时 {} 分", "{} 天 {} 小时", "{}%",
        ((1e12, "万亿"), (1e8, "亿"), (1e4, "万")),
    ),
}  # fmt: skip
SI = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def manner() -> Manner:
    """That of the request's language."""
    return MANNERS[language()]


def count(number: float) -> str:
    """A whole number with thousands separated: 12,345."""
    return f"{round(number):,}"


def value(number: float) -> str:
    """Four significant digits; an exponent below 1e-3; NaN and infinities as words."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "+Inf" if number > 0 else "−Inf"
    size = abs(number)
    if size == 0:
        return "0"
    if size < 1e-3 or size >= 1e9:
        mantissa, exponent = f"{number:.2e}".split("e")
        return f"{mantissa}e{int(exponent)}"
    return count(number) if size >= 1e4 else f"{float(f'{number:.4g}'):,}".removesuffix(".0")


def compact(number: float) -> str:
    """A count in three significant digits, with a prefix from ten thousand on: 1.24 M, 124 万."""
    return _prefixed(number, manner().prefixes)


def engineering(number: float) -> str:
    """A rate in three significant digits, with the prefixes of units in any language: 15.4 k (tokens/s)."""
    return _prefixed(number, SI)


def _prefixed(number: float, prefixes: Sequence[tuple[float, str]]) -> str:
    if not math.isfinite(number):
        return value(number)
    rounded = float(f"{number:.3g}")  # before the prefix is chosen: 999,999 is 1 M
    for size, prefix in prefixes:
        if abs(rounded) >= max(size, LEAST):
            return f"{float(f'{rounded / size:.3g}'):,}".removesuffix(".0") + f" {prefix}"
    return value(rounded)


def size(count_of_bytes: float) -> str:
    """Bytes as 812 B, 4.1 MB, 1.7 GB."""
    for unit, divisor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count_of_bytes >= divisor:
            return f"{count_of_bytes / divisor:.1f} {unit}"
    return f"{count_of_bytes:.0f} B"


def percent(share: float) -> str:
    """A share of one as 92.3 %; what is little is not said as none."""
    if 0 < share < 0.001:
        return "< " + manner().percent.format("0.1")
    return manner().percent.format(f"{share * 100:.1f}" if share < 1 else "100")


def done(share: float) -> str:
    """How much is done, as 62 %: nothing is through before it is."""
    return manner().percent.format(int(share * 100))


def milliseconds(number: float) -> str:
    """418 ms, 12.3 s, 3.5 min."""
    if number < 10_000:
        return f"{number:,.0f} ms" if number >= 10 else f"{number:.2g} ms"
    said = manner()
    return said.second.format(f"{number / 1e3:.1f}") if number < 100_000 else said.minute.format(f"{number / 6e4:.1f}")


def duration(seconds: float) -> str:
    """12 s, 26 min, 2 h 5 min, 4 d 3 h: two units at most."""
    said = manner()
    if seconds < 10 and seconds != round(seconds):
        return said.second.format(f"{seconds:.1f}")
    if round(seconds) < 100:
        return said.second.format(round(seconds))
    minutes = round(seconds / 60)
    if minutes < 100:
        return said.minute.format(minutes)
    hours, rest = divmod(minutes, 60)
    if hours < 48:
        return said.hour_minute.format(hours, rest) if rest else said.hour.format(hours)
    days, rest = divmod(hours, 24)
    return said.day_hour.format(days, rest) if rest else said.day.format(days)
