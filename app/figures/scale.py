"""From values to places along an axis, and the few numbers that stand beside it. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.figures.numbers import count, value
from app.series.curve import Floats

WIDE = 20.0  # the highest is so many times the median, or the median the lowest: on a linear axis one of them is lost
ROOM = 0.06  # of the height above and below
ALMOST = 1e-6  # of the spacing: 2.3 is a multiple of 0.05
MOST = 1e300  # what is larger is drawn as that: a difference of two must stay finite


@dataclass(frozen=True, slots=True)
class Tick:
    """A value and what is written beside it."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Scale:
    """``low`` lies at pixel ``start``, ``high`` at ``end``; of logarithms where ``log``."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def place(self, number: float) -> float:
        """Pixel of a value."""
        return float(self.places(np.array([number]))[0])

    def places(self, values: Floats) -> Floats:
        """Pixels of values (n)."""
        known = np.clip(np.asarray(values, np.float64), -MOST, MOST)
        if self.log:
            low, high, known = math.log10(self.low), math.log10(self.high), np.log10(known)
        else:
            low, high = self.low, self.high
        places: Floats = self.start + (known - low) / (high - low) * (self.end - self.start)
        return places


def is_wide(finite: Floats) -> bool:
    """Whether values need a logarithmic axis to be told apart."""
    if not len(finite) or finite.min() <= 0:
        return False
    middle = float(np.partition(finite, len(finite) // 2)[len(finite) // 2])
    return float(finite.max()) > WIDE * middle or middle > WIDE * float(finite.min())


def scale(finite: Floats, start: float, end: float, *, log: bool) -> Scale:
    """That of finite values, with room around them; of none one from 0 to 1."""
    if not len(finite):
        return Scale(0.0, 1.0, start, end)
    low, high = (max(-MOST, min(MOST, float(one))) for one in (finite.min(), finite.max()))
    if log:
        room = max(ROOM * math.log10(high / low) if high / low < math.inf else 1.0, 0.05)
        return Scale(max(low / 10**room, 1e-307), min(high * 10**room, MOST), start, end, True)
    room = (high - low) * ROOM or abs(high) * 0.05 or 1.0
    return Scale(low - room, high + room, start, end)


def ticks(of: Scale, wanted: int) -> Sequence[Tick]:
    """About ``wanted`` round values within a scale."""
    if of.log:
        return _powers(of, wanted)
    spacing = _round((of.high - of.low) / max(1, wanted))
    found = _multiples(of.low, of.high, spacing)
    return [Tick(one, _text(one, spacing, max(map(abs, found)))) for one in found]


def steps(of: Scale, wanted: int) -> Sequence[Tick]:
    """About ``wanted`` steps within a scale."""
    spacing = max(1.0, _round((of.high - of.low) / max(1, wanted)))
    return [Tick(one, count(one)) for one in _multiples(of.low, of.high, spacing) if one >= 0]


def _round(rough: float) -> float:
    """1, 2 or 5 times a power of ten, not below ``rough``."""
    power: float = 10.0 ** math.floor(math.log10(rough))
    return next((many * power for many in (1, 2, 5) if many * power >= rough * 0.999), 10 * power)


def _multiples(low: float, high: float, spacing: float) -> list[float]:
    first, last = math.ceil(low / spacing - ALMOST), math.floor(high / spacing + ALMOST)
    return [one * spacing for one in range(first, last + 1)]


def _powers(of: Scale, wanted: int) -> Sequence[Tick]:
    first, last = math.floor(math.log10(of.low)), math.ceil(math.log10(of.high))
    every = max(1, math.ceil((last - first) / max(1, wanted)))
    for factors in ((1,), (1, 3), (1, 2, 5)):
        found = [many * 10.0**power for power in range(first, last + 1, every) for many in factors]
        found = [one for one in found if of.low <= one <= of.high]
        if len(found) >= 3:
            break
    return [Tick(one, value(one)) for one in found]


def _text(number: float, spacing: float, largest: float) -> str:
    """As many digits as tell neighbours apart."""
    finest = math.floor(math.log10(spacing) + 1e-9)
    if number and (largest < 1e-2 or largest >= 1e6):
        mantissa, exponent = f"{number:.{max(0, min(9, math.floor(math.log10(largest)) - finest))}e}".split("e")
        return f"{mantissa}e{int(exponent)}"
    return f"{number:,.{max(0, -finest)}f}" if number else "0"
