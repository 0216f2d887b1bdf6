"""How far each rank is from those like it at one row, and how much of that its row before did not announce.

Deviations are those of app/series/ranks/deviation.py: from the median of a cohort, or of the ratios to the ranks' own
levels where a cohort's ranks keep distances or are too few. Noise of a rank may last from row to row. How much of it
does is told by two differences, from one row to the next and to the one after, in which lasting distances cancel:
for noise with autocorrelation r their squares are as 1 to 1 + r.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.diagnosis.ranks.bank import FIRST, LONG
from app.diagnosis.ranks.level import follow, lasting
from app.diagnosis.ranks.past import NONE, Moment, Past
from app.series.curve import Flags
from app.series.ranks.cohorts import FEW, Cohorts
from app.series.ranks.deviation import COURSE, FLOOR, POOL
from app.series.ranks.middle import Singles, over

FARTHEST = 50.0  # spreads: a value further away says no more
MOST = 0.9  # autocorrelation that is taken off
EXPECTED = 0.5  # before any is seen: heavy
SLOW = 0.01  # weight of the newest row in what the two differences are
HELD = 3.0  # times what is usual: more of a row counts as that where two or three ranks are all there are
PRIOR = 10  # rows, as which what is expected counts


@dataclass(slots=True, eq=False)
class Befores:
    """Of n ranks the deviations one row and two rows ago, in spreads."""

    one: Singles
    two: Singles

    @classmethod
    def blank(cls, count: int) -> Befores:
        return cls(np.full(count, NONE), np.full(count, NONE))


@dataclass(slots=True, eq=False)
class Norms:
    """Of k cohorts: how many ``rows``, the ``spread`` of relative deviations, the ``near`` and the ``apart`` of the two
    differences, the ``unit`` of surprises, and which measure their ranks by their ``own`` levels."""

    rows: Singles
    spread: Singles
    near: Singles
    apart: Singles
    unit: Singles
    own: Flags

    @classmethod
    def blank(cls, count: int) -> Norms:
        ones = np.ones(count, np.float32)
        near = ones * np.float32(0.6745)
        apart = near * np.float32((1 + EXPECTED) ** 0.5)
        unit = ones * np.float32((1 - EXPECTED**2) ** 0.5)
        return cls(ones * 0, ones * 0, near, apart, unit, np.zeros(count, np.bool_))

    @property
    def lasts(self) -> Singles:
        """Autocorrelation (k)."""
        found = np.clip(np.square(over(self.apart, np.maximum(self.near, np.float32(1e-6)))) - 1, 0, MOST)
        lasts: Singles = found.astype(np.float32)
        return lasts


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Of n ranks, NaN where a rank has no value or nobody like it: ``relative`` deviation, ``usual`` value, ``spread``
    as a part of that, and ``surprise``, the deviation less what was to be expected, in units of what is usual."""

    relative: Singles
    usual: Singles
    spread: Singles
    surprise: Singles


def stand(before: Befores, levels: Past, norms: Norms, cohorts: Cohorts, values: Singles, now: Moment) -> Standing:
    """Take a row of values (n, NaN without one)."""
    middle = _middles(cohorts, values, now)
    part = over(values, cohorts.spread(middle))
    own = cohorts.spread(norms.own)
    ratio = np.where(own, over(part, levels.usual), part)
    common = np.where(norms.own, cohorts.medians(now.left(ratio)[None])[0], np.float32(1))
    relative = over(ratio, cohorts.spread(common)) - np.float32(1)
    relative = np.where(own & (levels.blocks == 0), NONE, relative)
    relative = _paired(cohorts, ratio, relative, now.off) * np.sign(cohorts.spread(middle))
    spread = cohorts.spread(_spread(norms, cohorts, relative, now))
    follow(levels, cohorts, part, spread, now)
    usual = over(values, 1 + relative)
    return Standing(relative, usual, spread, _surprise(before, norms, cohorts, over(relative, spread), now))


def _middles(cohorts: Cohorts, values: Singles, now: Moment) -> Singles:
    """The median (k) of each cohort with enough values; 1 for ranks whose own are too few, if there are two."""
    count = cohorts.counts(~np.isnan(values)[None])[0]
    middle = np.where(count >= FEW, cohorts.medians(now.left(values)[None])[0], NONE)
    return np.where(cohorts.are(POOL), np.where(count > 1, np.float32(1), NONE), middle).astype(np.float32)


def _paired(cohorts: Cohorts, ratio: Singles, relative: Singles, off: Flags) -> Singles:
    """Of two ranks that nobody is like, the one that is off, or moved further from its own level, is as far off as they
    are apart, and the other is where it should be."""
    pool = np.flatnonzero(cohorts.spread(cohorts.are(POOL)) & ~np.isnan(ratio))
    if len(pool) != 2:
        return relative
    found = relative.copy()
    far = pool[int(np.argmax(np.where(off[pool], np.inf, np.abs(ratio[pool] - 1))))]
    near = pool[0] + pool[1] - far
    found[far], found[near] = ratio[far] / ratio[near] - 1, 0
    return found


def _spread(norms: Norms, cohorts: Cohorts, relative: Singles, now: Moment) -> Singles:
    """Of relative deviations (k): at this row, or its course so far."""
    raw = cohorts.medians(now.left(np.abs(relative))[None])[0] * now.wider
    seen = np.isfinite(raw)
    norms.rows += seen
    steady = np.where(norms.rows > FIRST, norms.spread * np.float32(HELD), np.inf)
    raw = np.where(now.alone, np.minimum(raw, steady), raw)
    gain = np.where(seen & ~now.held, np.maximum(np.where(now.alone, LONG, COURSE), 1 / np.maximum(norms.rows, 1)), 0)
    norms.spread += gain.astype(np.float32) * (np.where(seen, raw, 0) - norms.spread)
    found: Singles = np.fmax(np.fmax(np.where(now.alone, 0, raw), norms.spread), np.float32(FLOOR))
    return found.astype(np.float32)


def _surprise(before: Befores, norms: Norms, cohorts: Cohorts, z: Singles, now: Moment) -> Singles:
    z = np.clip(z, -FARTHEST, FARTHEST).astype(np.float32)
    _compare(norms, cohorts, z, before, now)
    lasts = np.where(np.isnan(before.one), np.float32(0), cohorts.spread(norms.lasts))
    fresh = z - lasts * np.nan_to_num(before.one)
    known = ~np.isnan(z)
    before.two, before.one = np.where(known, before.one, before.two), np.where(known, z, before.one)
    middle = cohorts.medians(now.left(np.abs(fresh))[None])[0] * now.wider
    seen = np.isfinite(middle) & ~now.held
    gain = np.where(seen, np.maximum(LONG, 1 / (norms.rows + FIRST)), 0).astype(np.float32)
    norms.unit += gain * (np.where(seen, middle, 0) - norms.unit)
    return over(fresh, cohorts.spread(np.maximum(norms.unit, np.float32(0.1))))


def _compare(norms: Norms, cohorts: Cohorts, z: Singles, before: Befores, now: Moment) -> None:
    near, apart = cohorts.medians(now.left(np.abs(np.stack([z - before.one, z - before.two]))))
    seen = np.isfinite(near) & np.isfinite(apart) & ~now.held
    gain = np.where(seen, np.maximum(SLOW, 1 / (norms.rows + PRIOR)), 0).astype(np.float32)
    norms.near += gain * (np.where(seen, near, 0) - norms.near)
    norms.apart += gain * (np.where(seen, apart, 0) - norms.apart)


def judge(norms: Norms, levels: Past, cohorts: Cohorts, quiet: Flags) -> Flags:
    """Cohorts (k) that change the way their ranks are measured; only ``quiet`` ones do: nobody is suspected."""
    begins, stays = lasting(levels, cohorts, norms.spread)
    own = cohorts.are(POOL) | np.where(norms.own, stays | ~quiet, begins & quiet)
    changed: Flags = own != norms.own
    norms.own = own
    return changed


__all__ = ["Befores", "Norms", "Standing", "judge", "stand"]
