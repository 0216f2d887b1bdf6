"""``divergence``: the loss is where it should not be and does not come back.

D1: a spike has not come back for as long as spikes take, longer where it is on its way, shorter where it is far away.
D2: it creeps up, slower than a spike: blocks of rows above the best before (app.diagnosis.rules.drift).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from app.diagnosis.course import Course
from app.diagnosis.memory import Ring
from app.diagnosis.opening import NOTHING, Opening
from app.diagnosis.reading import Bump
from app.diagnosis.row import Row
from app.diagnosis.rules.drift import BLOCK, Drift
from app.diagnosis.rules.level import loss_of
from app.diagnosis.signal import Evidence, Signal

LASTS = 100  # rows after which a spike that has not come back is a divergence …
LASTS_FAR, FAR = 70, 0.25  # … or fewer, where it is that far away …
LASTS_FALLING = 170  # … or more, where it is on its way back:
FALLING = 0.8  # of what it was away 40 rows before
AWAY, AWAY_SIGMAS = 0.05, 2.0
RECENT = 20  # rows
CLEAR = 0.5  # of how far it was away when it was told of
OVER = 1000  # rows after which the run is taken to be where it is now


@dataclass(slots=True)
class Divergence:
    """``newest`` rows of an open spike. Of an open divergence: ``level`` of log loss that was left, and how far."""

    opening: Opening = field(default_factory=lambda: Opening("divergence"))
    drift: Drift = field(default_factory=Drift)
    newest: Ring = field(default_factory=lambda: Ring(3 * RECENT))
    level: float = 0.0
    away: float = 0.0

    def take(self, row: Row, course: Course) -> Sequence[Signal]:
        """D1 at any row, D2 and the end at the end of a block."""
        told = course.loss
        if course.back:
            self.drift.go_back(course.back)
        if not told.is_fresh:
            return NOTHING
        if course.muted:
            self.drift.forget()
            return NOTHING
        is_block = self.drift.take(told)
        if self.opening.is_open:
            return self._follow(row, course) if is_block else NOTHING
        if course.bump is not None:
            return self._lost(row, course, course.bump)
        self.newest.clear()
        return self._crept(row, course) if is_block else NOTHING

    def _lost(self, row: Row, course: Course, bump: Bump) -> Sequence[Signal]:
        self.newest.append(course.loss.x)
        if bump.age < LASTS_FAR:
            return NOTHING
        values = self.newest.values
        away, before = median(values[-RECENT:]) - bump.median, median(values[:RECENT]) - bump.median
        least = max(FAR if bump.age < LASTS else AWAY, AWAY_SIGMAS * bump.sigma)
        if away < least or (away < FALLING * before and bump.age < LASTS_FALLING):
            return NOTHING
        evidence = tell(bump.median + away, bump.median, bump.sigma, bump.age)
        return self._open(row, course, "D1", evidence, (bump.median, away), bump.first)

    def _crept(self, row: Row, course: Course) -> Sequence[Signal]:
        if not course.is_settled or not course.is_warm(row.step) or "jitter" in course.open:
            return NOTHING
        found = self.drift.above()
        if found is None:
            return NOTHING
        evidence = tell(found.mean, found.best, found.sigma, found.span * BLOCK)
        first = row.step - round(found.span * BLOCK * course.interval)
        return self._open(row, course, "D2", evidence, (found.best, found.mean - found.best), first)

    def _open(
        self, row: Row, course: Course, part: str, evidence: Evidence, left: tuple[float, float], first: int
    ) -> Sequence[Signal]:
        self.level, self.away = left
        return self.opening.begin(row, course, part, "critical", evidence, first)

    def _follow(self, row: Row, course: Course) -> Sequence[Signal]:
        now = self.drift.newest
        if now > self.level + CLEAR * self.away and course.n - self.opening.since < OVER:
            return NOTHING
        return self.opening.end(row, course, tell(now, self.level, self.away, BLOCK))


def tell(now: float, level: float, sigma: float, rows: int) -> Evidence:
    """Log losses as evidence in nats."""
    above = now - level
    return Evidence(loss_of(now), loss_of(level), sigma * math.exp(level), above / sigma, math.exp(above), rows)
