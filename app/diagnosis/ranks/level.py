"""What a rank itself usually has: its value as a part of its cohort's median, or the value itself where it has none to
be compared with. Ranks of experts or of long samples keep a distance from the others for good, and that is no fault."""

from __future__ import annotations

import numpy as np

from app.diagnosis.ranks.past import BLOCK, NONE, Moment, Past
from app.series.curve import Flags
from app.series.ranks.cohorts import FEW_WIDER, Cohorts
from app.series.ranks.course import ROBUST
from app.series.ranks.deviation import FLOOR
from app.series.ranks.middle import Singles, over

PULL = 3.0  # spreads, further than which a value does not pull
BEGINS, ENDS = 0.6, 0.45  # of the spread of values are lasting distances of ranks
CHANCE = 4.5  # / √rows: two and a half times what noise that lasts makes of it
KNOWN = 3  # blocks from which that can be told: until then chance makes distances of a third of the spread
FAR = 8.0  # spreads of levels
FURTHER = 4.0  # times the next
ENOUGH = 8  # ranks, of which it can be said that one alone is unlike the others


def follow(levels: Past, cohorts: Cohorts, part: Singles, unit: Singles, now: Moment) -> None:
    """Take a row of parts (n, NaN without one), whose usual relative spread is ``unit`` (n)."""
    fresh = (levels.blocks == 0) & (levels.count == 0) & np.isfinite(part)
    levels.usual[fresh] = part[fresh]
    most = np.abs(levels.usual) * unit * np.float32(PULL)
    near = levels.usual + np.clip(part - levels.usual, -most, most)
    before = levels.usual.copy()
    levels.take(near.astype(np.float32), now)
    if now.off.any() and now.at % BLOCK == BLOCK - 1:
        _go_along(levels, cohorts, before, now)


def _go_along(levels: Past, cohorts: Cohorts, before: Singles, now: Moment) -> None:
    """Ranks that are off teach nothing, but what they should have goes where that of the others goes: a loss falls."""
    change = cohorts.spread(cohorts.medians(now.left(over(levels.usual, before))[None])[0])
    goes = now.off & np.isfinite(change)
    levels.usual[goes] = before[goes] * change[goes]


def lasting(mine: Past, cohorts: Cohorts, unit: Singles) -> tuple[Flags, Flags]:
    """Cohorts (k) whose ranks keep distances from one another, and those of which it cannot be said that they do not;
    ``unit`` (k) is the usual relative spread of a row."""
    level = np.where(mine.blocks >= KNOWN, mine.usual, NONE)
    middle = cohorts.medians(level[None])
    away = np.abs(level / cohorts.spread(middle)[0] - 1)
    wide = cohorts.medians(away[None])[0] * (ROBUST * (1 + FEW_WIDER / cohorts.sizes))
    rows = cohorts.medians(mine.blocks[None])[0] * BLOCK
    unit = np.maximum(unit, np.float32(FLOOR))
    surely = np.maximum(BEGINS, CHANCE / np.sqrt(np.maximum(rows, 1)))
    return wide > surely * unit, wide > ENDS * unit


def odd(mine: Past, cohorts: Cohorts, unit: Singles, relative: float) -> Flags:
    """Ranks (n) that have been off ever since they are known, at most one of a cohort: the others keep close together,
    and nobody else is nearly as far."""
    level = np.where(mine.blocks >= KNOWN, mine.usual, NONE)
    away = np.nan_to_num(np.abs(level / cohorts.spread(cohorts.medians(level[None]))[0] - 1))
    most = np.maximum.reduceat(away, cohorts.starts)
    is_most = away == cohorts.spread(most)
    next_most = np.maximum.reduceat(np.where(is_most, 0, away), cohorts.starts)
    wide = cohorts.medians(away[None])[0] * (ROBUST * (1 + FEW_WIDER / cohorts.sizes))
    close = (cohorts.sizes >= ENOUGH) & (wide < ENDS * unit)
    stands = close & (most > FURTHER * next_most) & (most > FAR * wide) & (most > relative)
    found: Flags = is_most & cohorts.spread(stands)
    return found
