"""``loss_spike``: rows in turn above what this run does by itself; and ``divergence`` where they never come back.

Surprises of rows are put in bins, and each bin has odds: how often a spike falls into it, over how often this run does
(a heavy-tailed guess, corrected by its own rows). The logarithms of the odds are summed as CUSUM does, starting anew at
zero: a healthy run then passes a sum of h once in e^h rows, whatever its noise. A hard batch alone never gets that
far; in a run that has many of them two do not either.
S1: the odds of at least two rows. S2: a gradient norm that had been rising for rows, which no hard batch does.
D1: it has not come back for as long as spikes take.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.diagnosis.course import Course
from app.diagnosis.memory import Ring
from app.diagnosis.opening import NOTHING, Opening
from app.diagnosis.reading import Reading
from app.diagnosis.row import Row
from app.diagnosis.rules.level import loss_of
from app.diagnosis.signal import Evidence, Signal

EDGES = (1.0, 2.0, 3.0, 4.5, 6.5, 9.0)  # sigmas of surprise
SPIKE = (0.05, 0.12, 0.17, 0.20, 0.16, 0.10, 0.20)  # how often a row of a spike falls between them
USUAL = (0.84, 0.122, 0.026, 0.0085, 0.0023, 0.0007, 0.0005)  # a row of a healthy run, before anything is known of it
USUAL_ROWS = 400.0  # what that guess is worth
LATE = 20_000.0  # rows after which old ones count half: noise changes with a run
SURE = 14.0  # e^14 is a million rows
LASTING = 3.0  # sigmas: a row that far up speaks for a spike though it does not surprise
LASTING_SCORE = -0.5
LEAST = 0.05  # log loss: less than five per cent is nobody's business
START = 40  # rows before anything is said
RISEN = 2.5  # gradient norm over its baseline that counts as rising
LEADS = (0.0, 0.0, 4.0, 7.0)  # log odds of so many of the newest five norms having risen
CALM = 5  # rows in turn near the baseline that end a spike
NEAR, NEAR_SIGMAS = 0.03, 3.0
LASTS = 100  # rows after which a spike that has not come back is a divergence …
LASTS_FALLING = 170  # … unless it is on its way back
AWAY, AWAY_SIGMAS = 0.05, 2.0
OVER = 260  # rows after which the run is taken to be where it is now
RECENT = 20


@dataclass(slots=True)
class Odds:
    """How often this run's rows fall into each bin; ``waiting`` are bins of rows that may belong to a spike."""

    counts: list[float] = field(default_factory=lambda: [part * USUAL_ROWS for part in USUAL])
    total: float = USUAL_ROWS
    waiting: list[int] = field(default_factory=list)

    def score(self, told: Reading) -> float:
        """Log odds of the row for a spike."""
        at = bisect_right(EDGES, told.surprise)
        self.waiting.append(at)
        if at == 0 and told.z >= LASTING:
            return LASTING_SCORE
        return math.log(SPIKE[at] * self.total / self.counts[at])

    def learn(self) -> None:
        """What was waiting was healthy."""
        for at in self.waiting:
            self.counts[at] += 1.0
        self.total += len(self.waiting)
        self.waiting.clear()
        if self.total > LATE:
            self.counts = [one / 2 for one in self.counts]
            self.total /= 2


@dataclass(slots=True)
class Spike:
    """``sum`` of odds over ``rows``, begun at step ``first``. Of an open one: ``median`` and ``sigma`` before it,
    ``peak`` of log loss, ``age`` in rows, ``calm`` rows in turn near the baseline."""

    opening: Opening = field(default_factory=lambda: Opening("loss_spike"))
    lost: Opening = field(default_factory=lambda: Opening("divergence"))
    odds: Odds = field(default_factory=Odds)
    sum: float = 0.0
    rows: int = 0
    first: int = 0
    median: float = 0.0
    sigma: float = 1.0
    peak: float = 0.0
    age: int = 0
    calm: int = 0
    newest: Ring = field(default_factory=lambda: Ring(3 * RECENT))

    def take(self, row: Row, course: Course) -> Sequence[Signal]:
        """What the row's loss says of a spike."""
        told = course.loss
        if not told.is_fresh or not told.is_ready:
            return NOTHING
        if self.opening.is_open:
            return self._follow(row, course)
        if not course.is_settled or course.n <= START:
            self._forget()
            return NOTHING
        return self._weigh(row, course)

    def _forget(self) -> None:
        self.sum, self.rows = 0.0, 0
        self.odds.waiting.clear()

    def _weigh(self, row: Row, course: Course) -> Sequence[Signal]:
        told = course.loss
        if not self.rows:
            self.first = row.step
        self.sum += self.odds.score(told)
        self.rows += 1
        if self.sum <= 0.0 or told.z < 0.0:
            self.sum, self.rows = 0.0, 0
            self.odds.learn()
            return NOTHING
        return self._judge(row, course)

    def _judge(self, row: Row, course: Course) -> Sequence[Signal]:
        told = course.loss
        lead = LEADS[min(3, sum(one >= RISEN for one in course.ratios.values))]
        is_sure = self.sum >= SURE and self.rows > 1
        is_led = self.sum + lead >= SURE and lead > 0.0
        if not (is_sure or is_led) or told.rise < LEAST or told.z < LASTING or "jitter" in course.open:
            return NOTHING
        return self._open(row, course, "S1" if is_sure else "S2")

    def _open(self, row: Row, course: Course, part: str) -> Sequence[Signal]:
        told = course.loss
        self.median, self.sigma, self.peak = told.median, told.sigma, told.x
        self.age = self.calm = 0
        said = self.opening.begin(row, course, part, "warning", self._evidence(course), self.first)
        course.is_bumped = self.opening.is_open
        self.newest.clear()
        self._forget()
        return said

    def _evidence(self, course: Course) -> Evidence:
        told, median = course.loss, self.median
        ratios = course.ratios.values
        beside = [("peak", loss_of(self.peak)), ("rows", float(max(self.rows, self.age))), ("rho", told.rho)]
        if ratios:
            beside.append(("gradient_ratio", max(ratios)))
        return Evidence(
            value=told.loss,
            median=loss_of(median),
            sigma=self.sigma * math.exp(median),
            z=(told.x - median) / self.sigma,
            ratio=math.exp(told.x - median),
            points=max(self.rows, self.age),
            beside=tuple(beside),
        )

    def _follow(self, row: Row, course: Course) -> Sequence[Signal]:
        x = course.loss.x
        self.age += 1
        self.peak = max(self.peak, x)
        self.newest.append(x)
        is_near = x < self.median + max(NEAR, NEAR_SIGMAS * self.sigma)
        self.calm = self.calm + 1 if is_near else 0
        if self.calm >= CALM:
            return self._close(row, course)
        said = self._lost(row, course) if self.age >= LASTS else NOTHING
        return [*said, *self._close(row, course)] if self.age >= OVER else said

    def _close(self, row: Row, course: Course) -> Sequence[Signal]:
        course.is_bumped = False
        evidence = self._evidence(course)
        return [*self.opening.end(row, course, evidence), *self.lost.end(row, course, evidence)]

    def _lost(self, row: Row, course: Course) -> Sequence[Signal]:
        values = self.newest.values
        now, before = sorted(values[-RECENT:])[RECENT // 2], sorted(values[:RECENT])[RECENT // 2]
        away = now - self.median
        is_falling = away < 0.8 * (before - self.median) and self.age < LASTS_FALLING
        if is_falling or away < max(AWAY, AWAY_SIGMAS * self.sigma) or "divergence" in course.open:
            return NOTHING
        return self.lost.begin(row, course, "D1", "critical", self._evidence(course), self.opening.first)
