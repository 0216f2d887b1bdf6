"""Ranks whose values are no numbers while most of their group's are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.series.curve import Flags, Floats, Ints
from app.series.ranks.cohorts import Cohorts
from app.series.ranks.findings import TWICE


@dataclass(slots=True, eq=False)
class Strange:
    """Of n ranks how many such values each had in a row, and the step of the first of them."""

    run: Ints
    began: Ints

    @classmethod
    def blank(cls, count: int) -> Strange:
        return cls(np.zeros(count, np.int64), np.full(count, -1))


def take(mine: Strange, cohorts: Cohorts, step: int, values: Floats, there: Flags) -> tuple[Flags, Flags]:
    """Take a row: which ranks have had two in a row or more, which have a number again."""
    bad = there & ~np.isfinite(values)
    ends: Flags = there & ~bad
    if not bad.any() and not mine.run.any():
        return bad, ends
    counts = bad & (2 * among(cohorts, ends) > among(cohorts, there))
    mine.run = np.where(counts, mine.run + 1, np.where(there, 0, mine.run))
    mine.began = np.where(mine.run == 1, np.where(counts, step, mine.began), mine.began)
    begins: Flags = mine.run >= TWICE
    return begins, ends


def among(cohorts: Cohorts, flags: Flags) -> Ints:
    """For each rank (n) of how many of its cohort it is so."""
    found = np.empty(len(flags), np.int64)
    found[cohorts.order] = cohorts.spread(cohorts.counts(flags[cohorts.order][None])[0])
    return found
