"""Ranks that stay off those like them: values on either side, times when they are longer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.diagnosis.memory import Saved
from app.diagnosis.ranks import arrays, bank
from app.diagnosis.ranks.bank import Means, Usual
from app.diagnosis.ranks.level import odd
from app.diagnosis.ranks.past import Moment, Past
from app.diagnosis.ranks.standing import Befores, Norms, Standing, judge, stand
from app.series.curve import Flags, Ints
from app.series.ranks.cohorts import FEW, FEW_WIDER, Cohorts
from app.series.ranks.course import ROBUST
from app.series.ranks.deviation import POOL
from app.series.ranks.findings import TIME, VALUE, Limits
from app.series.ranks.middle import Singles

RECENT = 0.1  # weight of the newest row in the relative deviation that must be large, too
CAPPED = 1.0  # relative deviation: more says no more
WARM = 10, 24  # rows of a cohort before which nothing is said; where ranks are measured by their own levels
OVER, SUSPECTED, HINT = 0.5, 0.35, 0.3  # of a limit
BACK = 6  # rows in a row, after which a rank is as it was
CALM = 0.3  # of the limits of the two shorter means: below it nothing has begun
SHUT = len(bank.WEIGHTS)
ASKED = 16  # rows, after which it is asked again whether ranks keep distances

assert VALUE.relative < TIME.relative  # nosec B101 # of two constants: nothing rests on it at run time


@dataclass(slots=True, eq=False)
class Courses:
    """Of n ranks: the mean ``recent`` relative deviation, the quickest ``mean`` that was over its limit in this episode
    (SHUT: none is open), the step at which it ``began`` (-1: it has not), the highest ``part`` of a limit now, whether
    it is ``odd``: was never like the others, and for how many rows in a row it has been ``back``."""

    recent: Singles
    mean: Ints
    began: Ints
    part: Singles
    odd: Flags
    back: Ints

    @classmethod
    def blank(cls, count: int) -> Courses:
        zeros = np.zeros(count, np.float32)
        never, odd, back = np.full(count, -1), np.zeros(count, np.bool_), np.zeros(count, np.int64)
        return cls(zeros, np.full(count, SHUT), never, zeros.copy(), odd, back)


class Offset:
    """State of the rule, ranks in the order of ``cohorts``."""

    def __init__(self, cohorts: Cohorts, limits: Limits) -> None:
        count, groups = len(cohorts.order), len(cohorts.sizes)
        self.cohorts, self.limits, self.rows = cohorts, limits, 0
        self.befores, self.means = Befores.blank(count), Means.blank(count)
        self.levels, self.always = Past.blank(count, 1.0), Past.blank(count)
        self.courses = Courses.blank(count)
        self.norms, self.usual = Norms.blank(groups), Usual.blank(groups)
        judge(self.norms, self.levels, cohorts, np.ones(groups, np.bool_))

    @property
    def _of_ranks(self) -> dict[str, object]:
        return {
            "befores": self.befores,
            "levels": self.levels,
            "means": self.means,
            "always": self.always,
            "courses": self.courses,
        }

    @property
    def _of_cohorts(self) -> dict[str, object]:
        return {"norms": self.norms, "usual": self.usual}

    def save(self) -> Saved:
        """As JSON values."""
        parts = {name: arrays.saved(one) for name, one in (self._of_ranks | self._of_cohorts).items()}
        return {"rows": self.rows, **parts}

    def fill(self, saved: Saved) -> None:
        """Go on where one of the same cohorts was saved."""
        self.rows = int(saved["rows"])
        for name, mine in (self._of_ranks | self._of_cohorts).items():
            arrays.filled(mine, saved[name])

    def follow(self, old: Offset) -> None:
        """Go on where one of other cohorts stands, with those that are the same and with their ranks."""
        self.rows = old.rows
        _, to, of = np.intersect1d(self.cohorts.keys, old.cohorts.keys, return_indices=True)
        for name, mine in self._of_cohorts.items():
            arrays.moved(mine, old._of_cohorts[name], to, of)
        place = np.empty_like(old.cohorts.order)
        place[old.cohorts.order] = np.arange(len(place))
        before = place[self.cohorts.order]
        mine_key, old_key = self.cohorts.keys[self.cohorts.own], old.cohorts.keys[old.cohorts.own[before]]
        stays = np.flatnonzero(mine_key == old_key)
        for name, rank in self._of_ranks.items():
            arrays.moved(rank, old._of_ranks[name], stays, before[stays])

    def take(self, step: int, values: Singles) -> tuple[Flags, Flags, Standing]:
        """Take a row of values (n, NaN where one does not count): which ranks are off from now on, or stay so; which
        are no more; and where each stands."""
        now = self._moment()
        found = stand(self.befores, self.levels, self.norms, self.cohorts, values, now)
        parts = bank.take(self.means, self.always, self.usual, self.cohorts, found.surprise, self.courses.odd, now)
        self.rows += 1
        begins, ends = self._course(step, found, parts)
        if self.rows % ASKED == 0:
            self._ask()
        return begins, ends, found

    def _moment(self) -> Moment:
        count, part = self.cohorts.counts, self.courses.part
        known = (self.levels.blocks > 0) | (self.levels.count > 0)
        alone = self.cohorts.are(POOL) & (count(known[None])[0] < FEW)
        own = self.norms.own
        off = self._off()
        suspected = (self.courses.mean < SHUT) | (part > self.cohorts.spread(np.where(own, OVER, SUSPECTED)))
        held = alone & (count((off | (part > HINT))[None])[0] > 0)
        wider = (ROBUST * (1 + FEW_WIDER / np.maximum(count(~off[None])[0], 1))).astype(np.float32)
        return Moment(self.rows, own, off, suspected, alone, held, wider)

    def _off(self) -> Flags:
        """Ranks that are off, as long as most of their cohort are not: else these are what is usual."""
        off = self.courses.mean < SHUT
        few = 2 * self.cohorts.counts(off[None])[0] <= self.cohorts.sizes
        found: Flags = off & self.cohorts.spread(few)
        return found

    def _course(self, step: int, found: Standing, parts: Singles) -> tuple[Flags, Flags]:
        mine = self.courses
        known = ~np.isnan(found.relative)
        near = np.clip(np.nan_to_num(found.relative), -CAPPED, CAPPED)
        mine.recent += np.float32(RECENT) * known * (near - mine.recent)
        size = parts if self.limits.upwards else np.abs(parts)
        mine.part = size.max(axis=0)
        calm = size[:2].max(axis=0) < CALM
        mine.began = np.where(calm, -1, np.where(mine.began < 0, step, mine.began))
        lasts = mine.recent if self.limits.upwards else mine.recent * np.sign(parts[np.argmax(size, axis=0), self._at])
        warm = self.cohorts.spread(self.norms.rows >= np.where(self.norms.own, WARM[1], WARM[0]))
        begins: Flags = known & warm & (mine.part > 1) & (lasts > self.limits.relative)
        quickest = np.where(size.max(axis=0) > 1, np.argmax(size > 1, axis=0), SHUT)
        mine.mean = np.where(begins | (mine.mean < SHUT), np.minimum(mine.mean, quickest), SHUT)
        return begins, self._ends(size)

    @property
    def _at(self) -> Ints:
        return np.arange(len(self.cohorts.order))

    def _ends(self, size: Singles) -> Flags:
        """Those that are near the others, and whose mean stays under half of its limit (it may by chance for a row or
        two, or as long as noise seems to last for long): their scores are forgotten, else a longer one would go on."""
        mine = self.courses
        is_open = mine.mean < SHUT
        low = (size[np.minimum(mine.mean, SHUT - 1), self._at] < OVER) & (size[0] < OVER) & (size[1] < 1)
        low &= np.abs(mine.recent) < self.limits.relative
        mine.back = np.where(is_open & low, mine.back + 1, 0)
        ends: Flags = mine.back >= BACK
        if ends.any():
            mine.mean[ends], mine.part[ends], mine.began[ends], mine.back[ends] = SHUT, 0, -1, 0
            self.means.forget(ends)
        return ends

    def _ask(self) -> None:
        quiet = self.cohorts.counts(((self.courses.part > OVER) | (self.courses.mean < SHUT))[None])[0] == 0
        changed = judge(self.norms, self.levels, self.cohorts, quiet)
        own = self.cohorts.spread(self.norms.own)
        self.courses.odd = ~own & odd(self.levels, self.cohorts, self.norms.spread, self.limits.relative)
        if changed.any():
            self._begin_again(changed)

    def _begin_again(self, changed: Flags) -> None:
        """Cohorts that are measured in another way have to be learned anew."""
        ranks = self.cohorts.spread(changed)
        own = self.norms.own.copy()
        of_ranks: tuple[Befores | Means | Past, ...] = self.befores, self.means, self.always
        for mine, some, blank in (
            *((one, ranks, type(one).blank(len(ranks))) for one in of_ranks),
            *((one, changed, type(one).blank(len(changed))) for one in (self.norms, self.usual)),
        ):
            for name, column in arrays.columns(mine).items():
                column[..., some] = arrays.columns(blank)[name][..., some]
        self.courses.recent[ranks], self.courses.part[ranks] = 0, 0
        self.norms.own = own
