"""Whether a rank stays off: means of its scores over short and long times, each against what chance makes of it.

A score is what a row says by itself: the deviation from the others less what the row before lets expect of it, in
units of what is usual, and clipped. So one wild value counts once however slowly it fades, and a mean of scores has
tails that are known whatever distribution the noise is of: LIMITS are where a mean of clipped, heavy-tailed noise (t
with four degrees of freedom) is found once in 1e10 rows, by its cumulants.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.diagnosis.ranks.past import Moment, Past
from app.series.curve import Flags
from app.series.ranks.cohorts import Cohorts
from app.series.ranks.course import SLACK
from app.series.ranks.middle import Singles

WEIGHTS = np.array([0.2, 0.05, 0.02, 0.01], np.float32)  # of the newest score: some 10, 40, 100 and 200 rows
CLIPPED = 3.0
POWER = 1.307  # mean square of clipped scores of such noise
LIMITS = np.array([2.301, 1.183, 0.739, 0.519], np.float32)
SCATTER = np.sqrt(WEIGHTS / (2 - WEIGHTS) * np.float32(POWER))  # of each mean
LEAST, MOST = 0.4, 4.0  # of the width that scores are made
JUMPS = 1.2  # scores go from row to row, about
LONG = 0.02  # weight of the newest row in what is usual
JUMP = 6.0  # a larger step between two scores counts as one of this size
RESTLESS = 1.25  # times the others' jumps: a rank whose own are larger is given more room
FIRST = 4  # rows, as which what is expected of noise counts before any is seen


@dataclass(slots=True, eq=False)
class Means:
    """Of n ranks: ``means`` (4, n) of their scores, the ``newest`` score, how far scores ``jump`` on average."""

    means: Singles
    newest: Singles
    jump: Singles

    @classmethod
    def blank(cls, count: int) -> Means:
        zeros = np.zeros(count, np.float32)
        means = np.zeros((len(WEIGHTS), count), np.float32)
        return cls(means, zeros, zeros + np.float32(JUMPS))

    def forget(self, ranks: Flags) -> None:
        """What was an episode of these is over."""
        self.means[:, ranks] = 0


@dataclass(slots=True, eq=False)
class Usual:
    """Of k cohorts: how many ``rows`` they had, how much ``wide`` scores are
    made so that their mean square is POWER, by how much means ``scatter``
    (4, k) more than chance lets them, and a cohort's usual ``jump``."""

    rows: Singles
    wide: Singles
    scatter: Singles
    jump: Singles

    @classmethod
    def blank(cls, count: int) -> Usual:
        ones = np.ones(count, np.float32)
        scatter = np.ones((len(WEIGHTS), count), np.float32)
        return cls(ones * 0, ones.copy(), scatter, ones * np.float32(JUMPS))


def take(mine: Means, past: Past, usual: Usual, cohorts: Cohorts, away: Singles, odd: Flags, now: Moment) -> Singles:
    """Take a row of ranks' surprises (n; NaN where a rank has none); what each mean is of its limit (4, n), measured
    from the others and from what the rank always was, the smaller of both; of ``odd`` ranks from the others alone."""
    known = ~np.isnan(away)
    score = _scores(mine, usual, cohorts, away)
    weight = known.astype(np.float32)
    mine.jump += weight * np.float32(LONG) * (np.minimum(np.abs(score - mine.newest), np.float32(JUMP)) - mine.jump)
    mine.newest = np.where(known, score, mine.newest)
    mine.means += WEIGHTS[:, None] * weight * (score - mine.means)
    past.take(np.where(known, score, np.float32(np.nan)), now)
    usual.rows += cohorts.counts(known[None])[0] > 0
    _learn(mine, usual, cohorts, np.where(known & ~now.suspected, score, np.nan), now)
    return _parts(mine, np.where(odd, np.float32(0), past.usual)) / cohorts.spread(_limits(usual, now))


def _scores(mine: Means, usual: Usual, cohorts: Cohorts, away: Singles) -> Singles:
    room = np.maximum(mine.jump / cohorts.spread(usual.jump * np.float32(RESTLESS)), np.float32(1))
    room = room * cohorts.spread(usual.wide)
    found: Singles = np.clip(np.nan_to_num(away / room), -CLIPPED, CLIPPED).astype(np.float32)
    return found


def _parts(mine: Means, always: Singles) -> Singles:
    """The part of each mean that is not what the rank always was: what is between both, on the side of the mean."""
    low, high = np.minimum(always, 0), np.maximum(always, 0)
    return np.maximum(mine.means - high, 0) + np.minimum(mine.means - low, 0)


def _limits(usual: Usual, now: Moment) -> Singles:
    """Of k cohorts (4, k). The longest mean is as long as an own level is remembered: it would say how uncertain that
    is."""
    found: Singles = LIMITS[:, None] * np.maximum(usual.scatter / np.float32(SLACK), np.float32(1))
    found[-1, now.own] = np.inf
    return found


def _learn(mine: Means, usual: Usual, cohorts: Cohorts, score: Singles, now: Moment) -> None:
    """What is usual, from ranks that are not suspected; the means' scatter one of four after the other."""
    count = cohorts.counts(~np.isnan(score)[None])[0]
    square = np.add.reduceat(np.nan_to_num(score * score), cohorts.starts) / np.maximum(count, 1)
    gain = np.where((count > 0) & ~now.held, np.maximum(LONG, 1 / (usual.rows + FIRST)), 0).astype(np.float32)
    change = 1 + gain / 2 * (square.astype(np.float32) / np.float32(POWER) - 1)
    usual.wide = np.clip(usual.wide * change, LEAST, MOST).astype(np.float32)
    if now.at % len(WEIGHTS) == 0:
        jump = np.fmax(cohorts.medians(now.left(mine.jump)[None])[0], np.float32(0.1))
        usual.jump = np.where(now.held, usual.jump, jump)
    scale = now.at % len(WEIGHTS)
    means = np.where(mine.means[scale] == 0, np.float32(np.nan), now.left(np.abs(mine.means[scale])))
    grown = SCATTER[scale] * np.sqrt(1 - (1 - WEIGHTS[scale]) ** (2 * np.maximum(usual.rows, 1)))
    wide = cohorts.medians(means[None])[0] * now.wider / grown
    seen = np.isfinite(wide) & ~now.alone  # one of two or three would be much of what is usual
    gain = np.where(seen, np.maximum(LONG, 1 / (usual.rows / len(WEIGHTS) + 1)), 0).astype(np.float32)
    usual.scatter[scale] += gain * (np.where(seen, wide, 0) - usual.scatter[scale])
