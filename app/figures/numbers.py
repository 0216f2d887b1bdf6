"""Numbers as people read them. Pure; the browser's twin is assets/numbers.js."""

from __future__ import annotations

import math

# From this size on, divided by that, with that prefix; four digits are still read at a glance.
PREFIXES = ((1e12, 1e12, "T"), (1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k"))


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
    """Three significant digits and a prefix from ten thousand on: 1.24 M."""
    if not math.isfinite(number):
        return value(number)
    for size, divisor, prefix in PREFIXES:
        if abs(number) >= size:
            return f"{number / divisor:.3g} {prefix}"
    return value(float(f"{number:.3g}"))


def size(count_of_bytes: float) -> str:
    """Bytes as 812 B, 4.1 MB, 1.7 GB."""
    for unit, divisor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count_of_bytes >= divisor:
            return f"{count_of_bytes / divisor:.1f} {unit}"
    return f"{count_of_bytes:.0f} B"


def percent(share: float) -> str:
    """A share of one as 92.3 %; what is little is not said as none."""
    if 0 < share < 0.001:
        return "< 0.1 %"
    return f"{share * 100:.1f} %" if share < 1 else "100 %"


def milliseconds(number: float) -> str:
    """418 ms, 12.3 s, 3.5 min."""
    if number < 10_000:
        return f"{number:,.0f} ms" if number >= 10 else f"{number:.2g} ms"
    return f"{number / 1e3:.1f} s" if number < 100_000 else f"{number / 6e4:.1f} min"


def duration(seconds: float) -> str:
    """12 s, 26 min, 2 h 5 min, 4 d 3 h: two units at most."""
    if seconds < 10 and seconds != round(seconds):
        return f"{seconds:.1f} s"
    if round(seconds) < 100:
        return f"{round(seconds)} s"
    minutes = round(seconds / 60)
    if minutes < 100:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {rest} min" if rest else f"{hours} h"
    days, rest = divmod(hours, 24)
    return f"{days} d {rest} h" if rest else f"{days} d"
