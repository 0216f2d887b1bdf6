"""Where in many series a step is, by looks at single points. Pure.

Steps of a training run lie evenly, so where a step must be is right at once for nearly every series; what is left is
halved until it is found.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from app.series.curve import Ints

Ask = Callable[[Ints, Ints], Ints]
"""(series, place in each) → the step there."""


def seek(ask: Ask, lengths: Ints, firsts: Ints, lasts: Ints, wanted: Ints) -> Ints:
    """For each series, whose steps rise from ``firsts`` to ``lasts``, the place of the first step that is not below
    the ``wanted`` one."""
    found = np.where(wanted <= firsts, 0, np.where(wanted > lasts, lengths, -1))
    low, high = np.zeros(len(lengths), np.int64), lengths - 1  # a step below the wanted one, and one that is not
    share = (wanted - firsts) / np.maximum(lasts - firsts, 1)
    guess = np.rint(share * high).astype(np.int64)
    left, looks = np.flatnonzero(found < 0), 0
    while len(left):
        at = np.clip(guess[left], low[left] + 1, high[left] - 1)
        at = np.where(high[left] - low[left] < 2, high[left], at)
        below = ask(left, at) < wanted[left]
        low[left], high[left] = np.where(below, at, low[left]), np.where(below, high[left], at)
        done = high[left] - low[left] < 2
        found[left[done]] = high[left[done]]
        looks += 1
        near = np.where(below, at + 1, at - 1)
        guess[left] = near if looks < 3 else (low[left] + high[left]) // 2
        left = left[~done]
    return found
