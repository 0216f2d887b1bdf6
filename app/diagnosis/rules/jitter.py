"""``jitter``: the loss scatters from row to row far more than it used to, or more than any run should.

Only differences of neighbouring rows are looked at: a trend, a step, a spike with its recovery hardly have any, while a
saw-tooth and large noise consist of them. J1: several times what the run did before, over 48 or 128 rows. J2: a sigma
of more than an eighth since the beginning.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.diagnosis.course import Course
from app.diagnosis.memory import Ring, Window
from app.diagnosis.opening import NOTHING, Opening
from app.diagnosis.row import Row
from app.diagnosis.rules.level import FLOOR
from app.diagnosis.signal import Evidence, Signal

SHORT, LONG = 48, 128  # rows
EVERY = 4  # rows between two looks
QUANTILES = (0.3, 0.5, 0.7, 0.85)
UNIT = 3.925  # their sum for differences of independent normal rows of sigma 1
WILDEST = 2.0  # of the last two quantiles, over few rows: four hard batches among 48 rows are no noise
SHORT_RATIO, LONG_RATIO = 2.5, 2.0
SWINGS, KNOWN = 4.5, 12  # of the usual noise's own swings above one are usual, too, once that many are known
FALLEN = 0.18  # log loss below where the reference is from: noise may grow as a loss falls, and the newest that is
# past counts if it is more
BUMPED = 40  # rows of an open spike after which it does not explain the noise any more
HUGE_NATS = 0.08  # sigma of the loss itself, so that a loss near nothing is not meant
OVER = 1000  # rows after which the noise is taken to be what it is now
CHECKS = 4  # looks in turn
LEAST = 0.010  # sigma of log loss
WAVES = 0.6  # autocorrelation up to which its share is added to what differences show
HUGE, HUGE_COLD = 0.12, 0.20  # sigma of log loss, after and before the warm-up
AGE = 4  # times in LONG the noise is remembered; younger than LONG it is not past yet
PAST = 50  # of what is remembered make the reference
READY = 4  # of them
WELL = 0.8  # of the ratio, below which it is over


@dataclass(slots=True)
class Jitter:
    """``before`` is x of the row before; ``past`` sigmas of the run and ``levels`` of log loss, a while ago each;
    ``waiting`` sigma and level, in turn, of those that are too young to be past; ``quick``, ``slow``, ``huge`` count
    looks in turn."""

    opening: Opening = field(default_factory=lambda: Opening("jitter", cool=60))
    before: float | None = None
    short: Window = field(default_factory=lambda: Window(SHORT))
    long: Window = field(default_factory=lambda: Window(LONG))
    past: Window = field(default_factory=lambda: Window(PAST))
    levels: Window = field(default_factory=lambda: Window(PAST))
    waiting: Ring = field(default_factory=lambda: Ring(2 * AGE))
    seen: int = 0
    quick: int = 0
    slow: int = 0
    huge: int = 0

    def take(self, row: Row, course: Course) -> Sequence[Signal]:
        """Something is said at every fourth row only."""
        told = course.loss
        if not told.is_fresh:
            return NOTHING
        if self.before is not None:
            step = abs(told.x - self.before)
            self.short.append(step)
            self.long.append(step)
        self.before = told.x
        self.seen += 1
        if self.seen % EVERY or len(self.short) < SHORT:
            return NOTHING
        return self._look(row, course)

    def _look(self, row: Row, course: Course) -> Sequence[Signal]:
        quick, slow = sigma(self.short, wildest=WILDEST), sigma(self.long)
        usual = self._usual(course)
        self._count(row, course, quick, slow, usual)
        if self.seen % (LONG // AGE) == 0:
            self._remember(course, slow)
        if self.opening.is_open:
            return self._follow(row, course, slow, usual)
        is_bumped = course.bump is not None and course.bump.age < BUMPED
        if not course.is_settled or is_bumped or max(self.quick, self.slow, self.huge) < CHECKS:
            return NOTHING
        part = "J2" if self.huge >= CHECKS else "J1"
        return self.opening.begin(row, course, part, "warning", evidence(row, max(quick, slow), usual))

    def _usual(self, course: Course) -> float | None:
        if len(self.past) < READY:
            return None
        usual = self.past.median
        is_fallen = course.loss.median < self.levels.median - FALLEN
        return max(usual, self.past.values[-1]) if is_fallen else usual

    def _swing(self) -> float:
        return 1.0 + SWINGS * self.past.spread() / self.past.median if len(self.past) >= KNOWN else 0.0

    def _count(self, row: Row, course: Course, quick: float, slow: float, usual: float | None) -> None:
        told, is_full = course.loss, len(self.long) == LONG
        much = max(HUGE if course.is_warm(row.step) else HUGE_COLD, HUGE_NATS / (told.loss + FLOOR))
        swing = self._swing()
        self.quick = self.quick + 1 if usual and quick > max(LEAST, max(SHORT_RATIO, swing) * usual) else 0
        self.slow = self.slow + 1 if usual and is_full and slow > max(LEAST, max(LONG_RATIO, swing) * usual) else 0
        whole = math.sqrt(1.0 - min(told.rho, WAVES))  # differences of waves are smaller than the waves
        self.huge = self.huge + 1 if min(quick, slow) > much * whole else 0

    def _remember(self, course: Course, slow: float) -> None:
        if self.slow or self.quick or self.opening.is_open:
            return
        values = self.waiting.values
        if len(values) == 2 * AGE:
            self.past.append(values[0])
            self.levels.append(values[1])
        self.waiting.append(slow)
        self.waiting.append(course.loss.median)

    def _follow(self, row: Row, course: Course, slow: float, usual: float | None) -> Sequence[Signal]:
        is_usual = usual is None or slow < max(LEAST, WELL * LONG_RATIO * usual)
        if course.n - self.opening.since >= OVER:
            self.past.clear()
            self.levels.clear()
            self.waiting.clear()
        elif self.quick or self.slow or self.huge or not is_usual:
            return NOTHING
        return self.opening.end(row, course, evidence(row, slow, usual))


def sigma(steps: Window, wildest: float = math.inf) -> float:
    """Of log loss, as differences of neighbouring rows show it; the largest counts as at most so many of the next."""
    *most, last = (steps.quantile(part) for part in QUANTILES)
    return (sum(most) + min(last, wildest * most[-1])) / UNIT


def evidence(row: Row, now: float, usual: float | None) -> Evidence:
    """Sigmas now and before, relative to the loss."""
    if not usual:
        return Evidence(row.loss, sigma=now, points=LONG)
    return Evidence(row.loss, sigma=now, ratio=now / usual, points=LONG, beside=(("usual_sigma", usual),))
