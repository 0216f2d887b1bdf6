"""Ranks that print another number than everyone else does, of a metric that was reduced over all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.diagnosis.ranks.strange import among
from app.series.curve import Flags, Floats, Ints
from app.series.ranks.cohorts import Cohorts
from app.series.ranks.findings import TWICE
from app.series.ranks.middle import Singles
from app.series.ranks.reduction import DIGITS, EXACT, LOOKED_AT, MOSTLY, digits

LEAST = 4  # rows, of which MOSTLY means something


@dataclass(slots=True, eq=False)
class Unlike:
    """Of n ranks: how often in a row each was unlike the others, since which step, and the last decimal ``place`` of
    its values; at how many ``rows`` of its cohort there was a comparison, and at how many most were ``alike``."""

    run: Ints
    began: Ints
    place: Singles
    rows: Ints
    alike: Ints

    @classmethod
    def blank(cls, count: int) -> Unlike:
        zeros = np.zeros(count, np.int64)
        return cls(zeros, zeros - 1, np.full(count, np.inf, np.float32), zeros.copy(), zeros.copy())


def take(mine: Unlike, cohorts: Cohorts, step: int, values: Singles) -> tuple[Flags, Flags]:
    """Take a row of values (n, NaN where one does not count): which ranks have been unlike two rows or more, which are
    as the others again."""
    known = ~np.isnan(values)
    middle = _spread(cohorts, values)
    near = np.abs(values - middle) <= np.abs(middle) * np.float32(EXACT) + _rounding(mine, cohorts, values, known)
    count, same = among(cohorts, known), among(cohorts, known & near)
    most = (2 * same > count) & (count > 1)
    mine.rows += count > 1
    mine.alike += most
    told = (mine.rows >= LEAST) & (mine.alike >= MOSTLY * mine.rows) & (most | (count == 2))
    odd = known & ~near & told
    mine.began = np.where(odd & (mine.run == 0), step, mine.began)
    mine.run = np.where(odd, mine.run + 1, np.where(known, 0, mine.run))
    begins: Flags = mine.run >= TWICE
    return begins, known & near


def _spread(cohorts: Cohorts, values: Singles) -> Singles:
    found = np.empty_like(values)
    found[cohorts.order] = cohorts.spread(cohorts.medians(values[cohorts.order][None])[0])
    return found


def _rounding(mine: Unlike, cohorts: Cohorts, values: Singles, known: Flags) -> Singles:
    """Half a unit of the last place that a rank prints, and of what its cohort does; places are looked at in the first
    rows only."""
    early = known & (mine.rows < LOOKED_AT)
    if early.any():
        mine.place[early] = np.minimum(mine.place[early], digits(values[early][None]))
    place = np.where(np.isfinite(mine.place), mine.place, np.float32(10.0**-DIGITS))
    found: Singles = (place + _spread(cohorts, place)) * np.float32(0.5)
    return found


def reduced(mine: Unlike) -> bool:
    """Whether some cohort's ranks mostly print the same."""
    return bool(((mine.rows >= LEAST) & (mine.alike >= MOSTLY * mine.rows)).any())


def numbers(values: Floats, there: Flags) -> Singles:
    """Values that count, in single precision."""
    return np.where(there, values, np.nan).astype(np.float32)
