"""Whether a rank stays off: one value far from the others says nothing, the same side again and again does.

The exponential mean of z over a rank's own values is what persists. Its scatter among the ranks of a cohort is a third
where each step is by itself; where neighbouring steps are alike (a rank reads related samples, or is always a little
off), it is larger, and so is what a rank must exceed. A rank whose own values jump more than the others' do must exceed
more, too. Every recursion goes over steps, with vectors of ranks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.series.curve import Bytes, Ints
from app.series.ranks.cohorts import Cohorts
from app.series.ranks.middle import Singles, medians, over

NEWEST = 0.2  # weight of a value in the mean
CLIPPED = 4.0  # so that three hard batches in a row are not enough; a rank that stays off needs more values anyway
SCATTER = 1 / 3  # of that mean, where each z is by itself and of unit size
SLACK = 1.25  # more scatter than this is more than chance and heavy tails make of it
ROBUST = 1.4826
FAR = 2.0  # |z| of a value that is counted
LAST = 10  # of a rank's values are looked at for it
SETTLED = 4  # steps, before which the mean is not one
SAMPLE = 32, 64  # steps that scatter and jumps are estimated from
UNSURE = 0.7  # / √n: what is estimated of few ranks as the same may be chance
LATER = 8  # steps, longer than the mean remembers
FEWEST = 12  # jumps that say something
COUNTED = np.array([one.bit_count() for one in range(1 << LAST)], np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """Tables (m, n): ``mean`` of z in units of the cohort's scatter, ``relative`` the same mean of the relative
    difference. ``scatter`` (k) of each cohort, 1 = by chance; ``same`` (k) how much of its deviations lasts."""

    mean: Singles
    relative: Singles
    scatter: Singles
    same: Singles


def course(z: Singles, relative: Singles, cohorts: Cohorts) -> Course:
    """Of tables, NaN where a rank has no value."""
    calm = over(z, np.maximum(jumps(z, 1), np.float32(1)))
    means = smoothed(calm, np.full(z.shape[1], CLIPPED, np.float32))
    same, follows = lasting(z, cohorts)
    scatter = np.maximum(scatters(means, cohorts), follows)
    scatter[scatter < SLACK] = 1
    if (scatter > 1).any():
        wide = cohorts.spread(scatter)
        means = over(smoothed(calm, wide * np.float32(CLIPPED)), wide)
    return Course(means, smoothed(relative, np.ones(z.shape[1], np.float32)), scatter, same)


def jumps(z: Singles, apart: int) -> Singles:
    """Between two values of each rank, ``apart`` steps from each other: 1 for independent values of unit size, and for
    a rank of which too little is known."""
    if len(z) < apart + FEWEST:
        return np.ones(z.shape[1], np.float32)
    at = np.unique(np.linspace(apart, len(z) - 1, SAMPLE[1]).astype(np.int64))
    steps = np.abs(z[at] - z[at - apart])
    enough = np.count_nonzero(~np.isnan(steps), axis=0) >= FEWEST
    middle = medians(np.ascontiguousarray(steps.T)) * np.float32(ROBUST / 2**0.5)
    return np.where(enough, middle, np.float32(1)).astype(np.float32)


def lasting(z: Singles, cohorts: Cohorts) -> tuple[Singles, Singles]:
    """How much of z is the same LATER, as a part of its square (k; 0 where little is known), and the scatter of means
    that follows from that."""
    moved = cohorts.medians(jumps(z, LATER)[None])[0]
    at = np.unique(np.linspace(0, max(len(z) - 1, 0), SAMPLE[1]).astype(np.int64))[: len(z)]
    whole = medians(np.ascontiguousarray(cohorts.medians(np.abs(z[at])).T)) * np.float32(ROBUST)
    part = 1 - np.square(over(moved, whole))
    # What one small cohort leaves unsure many of them tell together.
    same = np.fmax(_surely(part, cohorts.sizes), _surely(medians(part[None]), cohorts.sizes.sum(keepdims=True)))
    scatter = np.nan_to_num(whole * np.sqrt(same + (1 - same) * SCATTER**2) / SCATTER)
    return same, scatter.astype(np.float32)


def _surely(part: Singles, ranks: Ints) -> Singles:
    """A part as far as it is more than chance makes of so many ranks."""
    chance = UNSURE / np.sqrt(np.maximum(ranks, 1))
    return np.nan_to_num(np.clip((part - chance) / (1 - chance), 0, 1)).astype(np.float32)


def smoothed(table: Singles, most: Singles, newest: float = NEWEST) -> Singles:
    """Exponential means along each column of a table, values clipped; where there is none it stays."""
    pull: Singles = np.minimum(np.maximum(table, -most), most) * np.float32(newest)
    missing = np.isnan(pull)
    keep = np.where(missing, np.float32(1), np.float32(1 - newest))
    pull[missing] = 0
    mean = np.zeros(table.shape[1], np.float32)
    for step in range(len(table)):
        mean = mean * keep[step] + pull[step]
        pull[step] = mean
    return pull


def scatters(means: Singles, cohorts: Cohorts) -> Singles:
    """Robustly over ranks and steps; at least 1."""
    if len(means) <= SETTLED:
        return np.ones(len(cohorts.sizes), np.float32)
    at = np.unique(np.linspace(SETTLED, len(means) - 1, SAMPLE[0]).astype(np.int64))
    # A mean that is still zero is that of a rank without values.
    middles = cohorts.medians(np.where(means[at] == 0, np.float32(np.nan), np.abs(means[at])))
    found: Singles = np.fmax(
        medians(np.ascontiguousarray(middles.T)) * np.float32(ROBUST / SCATTER / SLACK), np.float32(1)
    )
    return found


def far(z: Singles, means: Singles) -> Bytes:
    """How many of the last values of each rank were far, at each step, on the side of its mean then."""
    seen, hit = ~np.isnan(z), np.copysign(z, z * means) > FAR
    last = np.zeros(z.shape[1], np.int16)
    found = np.zeros(z.shape, np.uint8)
    for step in range(len(z)):
        moved = (last << 1 | hit[step]) & (len(COUNTED) - 1)
        last = np.where(seen[step], moved, last)
        found[step] = COUNTED[last]
    return found
