"""A curve in one line of characters. Pure.

Points are cut into runs of equal count; each gives its lowest and its highest finite value as two neighbouring
characters, in the order in which they came, so that no peak and no dip is lost. NaN and infinities are letters of
ASCII, which every terminal shows one column wide, and every run of points that has one shows it.
"""

from __future__ import annotations

import numpy as np

from app.series.curve import Floats

LEVELS = "▁▂▃▄▅▆▇█"
NAN, UP, DOWN = "x", "^", "v"


def sparkline(values: Floats, width: int) -> str:
    """At most ``width`` characters; nothing for a curve without points."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    return "".join(character(one, low, high) for one in thinned(values, max(2, width)))


def thinned(values: Floats, width: int) -> list[float]:
    """What is drawn: every value when they fit, else two of each run of points."""
    if len(values) <= width:
        return [float(one) for one in values]
    parts = np.array_split(values, width // 2)
    return [one for part in parts for one in two(part)]


def two(part: Floats) -> tuple[float, float]:
    """The lowest and the highest in their order; a value that is not finite takes the place of the one that stands out
    less."""
    finite = np.isfinite(part)
    strange = part[~finite]
    if not finite.any():
        return float(strange[0]), float(strange[-1])
    low, high = int(np.where(finite, part, np.inf).argmin()), int(np.where(finite, part, -np.inf).argmax())
    if len(strange):
        middle = float(np.median(part[finite]))
        far = max(low, high, key=lambda at: abs(part[at] - middle))
        pair = (far, int(np.flatnonzero(~finite)[0]))
    else:
        pair = (low, high)
    return float(part[min(pair)]), float(part[max(pair)])


def character(value: float, low: float, high: float) -> str:
    """One value between the curve's lowest and highest."""
    if np.isnan(value):
        return NAN
    if np.isinf(value):
        return UP if value > 0 else DOWN
    if high <= low:
        return LEVELS[0]
    share = value / 2 - low / 2, high / 2 - low / 2  # halves: the difference of two large numbers may be infinite
    return LEVELS[min(len(LEVELS) - 1, int(share[0] / share[1] * len(LEVELS)))]
