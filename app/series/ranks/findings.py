"""What is wrong with ranks: each kind of trouble by itself, the newest stretch of it in each rank."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.series.curve import Bytes, Flags, Ints
from app.series.ranks import meaning
from app.series.ranks.cohorts import Cohorts
from app.series.ranks.course import far, smoothed
from app.series.ranks.deviation import Deviation, alive
from app.series.ranks.episodes import Episodes, episodes, held, none
from app.series.ranks.grid import DOWN, FROZEN, NAN, Grid
from app.series.ranks.middle import Singles
from app.series.ranks.reduction import broken
from app.series.ranks.silence import silent

Trouble = Literal["nan", "silent", "broken_reduction", "frozen", "straggler", "outlier"]

CLEARED = 1.3  # |mean of z| that ends a stretch
OFTEN = 6  # of a rank's last ten values are far
SLOWLY = 0.08  # weight of the newest mean in a longer one, which a few wild values next to each other do not move
STAYED = 1.5  # of that
WARM = 3  # steps before which nothing is said
TWICE = 2  # a single NaN, or a single line of another attempt, is not yet anything


@dataclass(frozen=True, slots=True)
class Limits:
    """From which mean of z, and from which relative difference on, a rank is off; a time only when it is longer."""

    mean: float
    relative: float
    upwards: bool


VALUE = Limits(2.6, 0.03, upwards=False)  # 2.6 is eight times the mean's scatter: enough for ten thousand ranks
TIME = Limits(3.0, 0.10, upwards=True)


def findings(
    grid: Grid, cells: Bytes, groups: Ints, metric: str, went: Deviation
) -> Iterator[tuple[Trouble, Episodes]]:
    """The heaviest first. All ranks of the grid are such that should have a value; ``cells`` are their kinds."""
    yield "nan", not_finite(grid, cells, groups)
    yield "silent", silence(grid)
    if meaning.is_reduced(metric):
        yield "broken_reduction", episodes(broken(grid.values, alive(grid), groups), grid.there, TWICE)
    yield "frozen", episodes(cells == FROZEN, grid.there)
    if meaning.is_own_time(metric):
        yield "straggler", off(grid, went, TIME)
    elif not meaning.is_synchronised(metric):
        yield "outlier", off(grid, went, VALUE)


def not_finite(grid: Grid, cells: Bytes, groups: Ints) -> Episodes:
    """Two values in a row or more that are none, as long as more than half of the group has some; or still now."""
    bad = (cells >= NAN) & (cells <= DOWN)
    if not bad.any():
        return none(len(bad))
    cohorts = Cohorts.together(groups)
    there, good = (cohorts.counts(cohorts.flags(one)) for one in (grid.there, grid.there & ~bad))
    most_good = cohorts.untabled(cohorts.spread(2 * good > there))
    now = episodes(bad, grid.there, TWICE)
    alone = episodes(bad & most_good, grid.there, TWICE)
    return now.only(now.open & alive(grid).any(axis=1)).other(alone)


def silence(grid: Grid) -> Episodes:
    """From a rank's last value on."""
    mine, _, _ = silent(grid)
    last = np.where(mine, np.searchsorted(grid.steps, grid.seen), 0)
    return Episodes(last, last, mine.astype(np.int64), mine).only(mine)


def off(grid: Grid, went: Deviation, limits: Limits) -> Episodes:
    """Ranks that stay away from what is usual."""
    size: Singles = went.course.mean if limits.upwards else np.abs(went.course.mean)
    some = np.flatnonzero(size.max(axis=0, initial=0) > limits.mean)
    if not len(some) or went.lone:
        return none(len(grid.ranks))
    opened = held(_begins(went, size, some, limits), size[:, some] < CLEARED)
    so = np.zeros(grid.shape, np.bool_)
    so[went.cohorts.order[some]] = opened.T
    return episodes(so & grid.there, grid.there)


def _begins(went: Deviation, size: Singles, some: Ints, limits: Limits) -> Flags:
    relative = went.course.relative[:, some]
    begins = (size[:, some] > limits.mean) & (far(went.standing.z[:, some], went.course.mean[:, some]) >= OFTEN)
    begins &= (relative if limits.upwards else np.abs(relative)) > limits.relative
    begins &= np.abs(smoothed(went.course.mean[:, some], np.full(len(some), np.inf, np.float32), SLOWLY)) > STAYED
    begins[:WARM] = False
    return begins
