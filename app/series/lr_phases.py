"""Where a learning rate's schedule changes its shape: end of the warm-up, start of the decay, restarts. Pure.

A schedule is a line that was computed, so it is smooth: stretches in which it really stands still are found first, and
what lies between them is cut at its turning points. Rounding in a log makes small steps of it, which are no turning
points; a line that turns all the time is no schedule, and nothing is said of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from app.series.curve import Floats, Ints

SAMPLES = 1000  # of the curve, in which phases are told apart; each is then placed among all points
LEAST = 8  # points
MOST = 12  # newest changes that are told
SWING = 0.02  # of the range: less is rounding, no turn
STILL = 1e-6  # of the range: a rate that stands still
SHORTEST_STILL = 0.08  # of all samples: near its top a cosine that was rounded stands still for less
SHORTEST_TURN = 0.03  # of all samples, in the median: less is noise
COARSE = 5  # levels of rounding, from 0 up, in which no schedule can be seen

Course = Literal["rising", "constant", "falling"]
Word = Literal["warmup_end", "decay_start", "constant", "restart", "drop", "rise"]


@dataclass(frozen=True, slots=True)
class Phase:
    """One change: ``at`` is its index in the curve, ``lr`` the rate there."""

    at: int
    step: int
    phase: Word
    before: Course
    after: Course
    lr: float


@dataclass(frozen=True, slots=True)
class _Piece:
    first: int  # samples, inclusive
    last: int
    course: Course
    jumps: bool = False  # within a sample or two: set, not scheduled


def phases(steps: Ints, rates: Floats) -> list[Phase]:
    """The changes of a rate, oldest first; ``steps`` rise. Rates that are not finite are passed over."""
    known = np.flatnonzero(np.isfinite(rates))
    if len(known) < LEAST:
        return []
    taken = known[np.unique(np.linspace(0, len(known) - 1, min(SAMPLES, len(known))).round().astype(np.int64))]
    values = rates[taken]
    span = float(values.max() - values.min())
    if span <= 1e-3 * float(np.abs(values).max()) or _is_coarse(values):
        return []
    pieces = _pieces(values, span)
    if not pieces or _is_noise(pieces, len(values)):
        return []
    found = [_phase(one, other, number) for number, (one, other) in enumerate(pairwise(pieces))]
    changes = ((at, word, one, other) for at, word, one, other in filter(None, found))
    return [_placed(change, steps, rates, taken, span) for change in changes][-MOST:]


def _is_coarse(values: Floats) -> bool:
    """Whether so few digits are printed that a schedule is a stair of a step or two: 0.000, 0.001."""
    if values.min() != 0:
        return False
    smallest = float(values[values > 0].min())
    unit = 10.0 ** np.floor(np.log10(smallest) + 1e-9)
    whole = np.abs(values / unit - np.round(values / unit)).max() < 1e-6
    return bool(whole and values.max() / unit < COARSE)


def _is_noise(pieces: Sequence[_Piece], count: int) -> bool:
    moving = [one.last - one.first for one in pieces if one.course != "constant" and not one.jumps]
    return len(moving) > 4 and float(np.median(moving)) < SHORTEST_TURN * count


def _pieces(values: Floats, span: float) -> list[_Piece]:
    """The course of the rate from piece to piece, no two neighbours alike."""
    pieces: list[_Piece] = []
    before = 0
    for first, last in [*_still(values, span), (len(values) - 1, len(values) - 1)]:
        pieces += _moving(values, before, first, SWING * span)
        if last > first:
            pieces.append(_Piece(first, last, "constant"))
        before = last
    joined: list[_Piece] = []
    for one in pieces:
        if joined and joined[-1].course == one.course and not one.jumps:
            joined[-1] = _Piece(joined[-1].first, one.last, one.course)
        else:
            joined.append(one)
    return joined


def _still(values: Floats, span: float) -> Iterator[tuple[int, int]]:
    """First and last sample of each long stretch that stands still."""
    moves = np.flatnonzero(np.abs(np.diff(values)) > STILL * span)
    edges = np.concatenate([[-1], moves, [len(values) - 1]])
    least = max(3, round(SHORTEST_STILL * len(values)))
    for one, other in pairwise(edges.tolist()):
        if other - (one + 1) >= least:
            yield one + 1, other


def _moving(values: Floats, first: int, last: int, swing: float) -> list[_Piece]:
    """What lies between two samples, cut at each turn of more than ``swing``."""
    pivots = _pivots(values[first : last + 1], swing)
    jump = 2 if len(values) >= 50 else 1
    return [
        _Piece(
            first + one,
            first + other,
            "rising" if values[first + other] > values[first + one] else "falling",
            first + one > 0 and other - one <= jump,
        )
        for one, other in pairwise(pivots)
    ]


def _pivots(values: Floats, swing: float) -> list[int]:
    """The ends and the turning points between them; nothing when all of it moves by less than ``swing``."""
    pivots = [0]
    high = low = 0
    up: bool | None = None
    for at, value in enumerate(values.tolist()):
        high = at if value > values[high] else high
        low = at if value < values[low] else low
        if up is not False and values[high] - value > swing:
            if up or high > 0:
                pivots.append(high)
            up, low = False, at
        elif up is not True and value - values[low] > swing:
            if up is False or low > 0:
                pivots.append(low)
            up, high = True, at
    end = high if up else low
    if up is None:
        return []
    return [*dict.fromkeys([*pivots, end if end > pivots[-1] else len(values) - 1])]


Change = tuple[int, Word, _Piece, _Piece]


def _phase(one: _Piece, other: _Piece, number: int) -> Change | None:
    """What it means that one piece follows the other; None for the end of a jump, which was told at its beginning."""
    word: Word | None = None
    if other.jumps:
        word = "restart" if other.course == "rising" else "drop"
    elif one.jumps:
        word = None
    elif one.course == "rising":
        word = "warmup_end" if number == 0 else "decay_start" if other.course == "falling" else "constant"
    elif other.course == "falling":
        word = "decay_start"
    else:
        word = "rise" if other.course == "rising" else "constant"
    return None if word is None else (one.last, word, one, other)


def _placed(change: Change, steps: Ints, rates: Floats, taken: Ints, span: float) -> Phase:
    """The change at its exact point: the sampled one lies within a sample of it."""
    at, word, one, other = change
    first, last = int(taken[max(0, at - 1)]), int(taken[min(len(taken) - 1, at + 1)])
    window = rates[first : last + 1]
    if one.course == "constant":
        level = rates[taken[one.last]]
        moved = np.flatnonzero(np.abs(window - level) > STILL * span)
        moved = moved[moved > int(taken[one.last]) - first]
        index = first + int(moved[0] - 1 if len(moved) and not other.jumps else moved[0] if len(moved) else at - first)
    elif other.course == "constant":
        index = first + int(np.flatnonzero(np.abs(window - rates[taken[other.first]]) <= STILL * span)[0])
    elif other.jumps:
        index = first + 1 + int(np.nanargmax(np.abs(np.diff(window)))) if len(window) > 1 else first
    else:
        index = first + int(np.nanargmax(window) if one.course == "rising" else np.nanargmin(window))
    return Phase(index, int(steps[index]), word, one.course, other.course, float(rates[index]))
