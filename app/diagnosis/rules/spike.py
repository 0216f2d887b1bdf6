"""``loss_spike``: rows in turn above what this run does by itself.

Surprises of rows are put in bins, and each bin has odds: how often a spike falls into it, over how often this run does
(a heavy-tailed guess, corrected by its own rows). The logarithms of the odds are summed as CUSUM does, starting anew at
zero: a healthy run then passes a sum of h once in e^h rows, whatever its noise. A hard batch alone never gets that
far; in a run that has many of them two do not either.
S1: the odds of at least two rows. S2: a gradient norm that had been rising for rows, which no hard batch does; one that
has been high for longer, without the loss having followed, foretells nothing.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.diagnosis.course import Course
from app.diagnosis.memory import Ring
from app.diagnosis.opening import NOTHING, Opening
from app.diagnosis.reading import Bump, Reading
from app.diagnosis.row import Row
from app.diagnosis.rules.level import loss_of
from app.diagnosis.signal import Evidence, Signal

EDGES = (1.0, 2.0, 3.0, 4.5, 6.5, 9.0)  # sigmas of surprise
GENTLE = (0.05, 0.12, 0.17, 0.20, 0.16, 0.10, 0.20)  # how often a row of a spike falls between them …
VIOLENT = (0.02, 0.02, 0.03, 0.03, 0.05, 0.10, 0.75)  # … and one of a spike of few rows at a wide log interval
LOG_GENTLE, LOG_VIOLENT = (tuple(math.log(part) for part in spike) for spike in (GENTLE, VIOLENT))
USUAL = (0.84, 0.122, 0.026, 0.0085, 0.0023, 0.0007, 0.0005)  # a row of a healthy run, before anything is known of it
USUAL_ROWS = 400.0  # what that guess is worth
LATE = 20_000.0  # rows after which old ones count half: noise changes with a run
SURE = 13.5  # e^13.5 is 700,000 rows; surprises of healthy rows are not quite independent of one another
WAVES, WAVY = 0.6, 4.0  # autocorrelation beyond which it takes that much more: averaged losses carry a shock for long
LASTING = 3.0  # sigmas: a row that far up speaks for a spike though it does not surprise
LASTING_SCORE = -0.5
BACK = -3.0  # surprise of a row that is back among the usual ones at once: what was before it was a hard batch
LEAST = 0.05  # log loss: less than five per cent is nobody's business
RECENT = 5  # rows: as many as the course keeps norms of
AMONG = 3  # newest rows of which two have to be that far up
START = 40  # rows before anything is said
RISEN = 2.5  # gradient norm over its baseline that counts as rising
RISEN_USUAL = 0.0025  # how often it does in a healthy run, before anything is known of it
RISEN_AGAIN = 0.2  # how often it does in the next row, too, or the one after
RISEN_SPIKE = 0.5  # how often it does before a spike
EXPLODED, FRESH = 3.0, 10  # log odds of grad_explode having opened in so many rows, where two losses are high, too
CALM = 5  # rows in turn near the baseline that end a spike
NEAR, NEAR_SIGMAS = 0.03, 2.0
OVER = 260  # rows after which the run is taken to be where it is now
INSTEAD = ("jitter", "divergence", "nan_inf")  # open, they explain high rows


@dataclass(slots=True)
class Odds:
    """How often this run's rows fall into each bin; ``waiting`` are bins of rows that may belong to a spike. ``risen``
    counts rows whose gradient norm had risen."""

    counts: list[float] = field(default_factory=lambda: [part * USUAL_ROWS for part in USUAL])
    total: float = USUAL_ROWS
    waiting: list[int] = field(default_factory=list)
    risen: float = RISEN_USUAL * USUAL_ROWS

    def lead(self, extra: int) -> float:
        """Log odds of so many more norms than losses having risen: a hard batch raises both."""
        usual = self.risen / self.total * RISEN_AGAIN ** (extra - 1)
        return max(0.0, math.log(RISEN_SPIKE / usual)) if extra > 0 else 0.0

    def score(self, told: Reading) -> tuple[float, float]:
        """Log odds of the row for a gentle and for a violent spike."""
        at = bisect_right(EDGES, told.surprise)
        self.waiting.append(at)
        if at == 0 and told.z >= LASTING:
            return LASTING_SCORE, LASTING_SCORE
        rarity = math.log(self.total / self.counts[at])
        return rarity + LOG_GENTLE[at], rarity + LOG_VIOLENT[at]

    def learn(self) -> None:
        """What was waiting was healthy."""
        for at in self.waiting:
            self.counts[at] += 1.0
        self.total += len(self.waiting)
        self.waiting.clear()
        if self.total > LATE:
            self.counts = [one / 2 for one in self.counts]
            self.total, self.risen = self.total / 2, self.risen / 2


@dataclass(slots=True)
class Spike:
    """``gentle`` and ``violent`` sums of odds over ``rows``, begun at step ``first``; ``high`` are the newest rises,
    ``risen`` counts rows in turn whose norm had risen, ``lead`` are the log odds of those that came before the losses.
    Of an open one: ``peak`` of log loss, ``calm`` rows in turn near the baseline."""

    opening: Opening = field(default_factory=lambda: Opening("loss_spike"))
    odds: Odds = field(default_factory=Odds)
    gentle: float = 0.0
    violent: float = 0.0
    rows: int = 0
    first: int = 0
    high: Ring = field(default_factory=lambda: Ring(RECENT))
    risen: int = 0
    lead: float = 0.0
    peak: float = 0.0
    calm: int = 0

    def take(self, row: Row, course: Course) -> Sequence[Signal]:
        """What the row's loss says of a spike."""
        told = course.loss
        if not told.is_fresh or not told.is_ready:
            return NOTHING
        is_risen = len(course.ratios) > 0 and course.ratios.values[-1] >= RISEN
        self.risen = self.risen + 1 if is_risen else 0
        if course.bump is not None:
            return self._follow(row, course, course.bump)
        if not course.is_settled or course.n <= START or any(one in course.open for one in INSTEAD):
            self._forget()
            return NOTHING
        return self._weigh(row, course)

    def _forget(self) -> None:
        self.gentle, self.violent, self.rows, self.lead = 0.0, 0.0, 0, 0.0
        self.odds.waiting.clear()
        self.high.clear()

    def _weigh(self, row: Row, course: Course) -> Sequence[Signal]:
        told = course.loss
        if not self.rows:
            self.first = row.step
        gentle, violent = self.odds.score(told)
        self.gentle, self.violent = max(0.0, self.gentle + gentle), max(0.0, self.violent + violent)
        self.rows += 1
        self.high.append(told.rise)
        is_back = told.z < 0.0 or (told.z < LASTING and told.surprise <= BACK)
        if is_back or max(self.gentle, self.violent) <= 0.0:
            self.odds.learn()
            self.odds.risen += self.risen > 0
            self._forget()
            return NOTHING
        return self._judge(row, course)

    def _judge(self, row: Row, course: Course) -> Sequence[Signal]:
        told, odds = course.loss, max(self.gentle, self.violent)
        if told.rise < LEAST or told.z < LASTING:
            return NOTHING
        self.lead = max(self.lead, self._lead(course))
        sure = SURE * (1.0 + WAVY * max(0.0, told.rho - WAVES))
        beside = EXPLODED if 0 < course.exploding <= FRESH else 0.0
        if odds + beside >= sure and sum(one >= LEAST for one in self.high.values[-AMONG:]) >= 2:
            return self._open(row, course, "S1")
        return self._open(row, course, "S2") if self.lead and odds + self.lead >= sure else NOTHING

    def _lead(self, course: Course) -> float:
        """Of norms that rose before the losses did, and have not fallen again. ``high`` ends where the ratios end."""
        risen = [one >= RISEN for one in course.ratios.values]
        if not any(risen[-2:]) or self.risen > RECENT:
            return 0.0
        losses = sum(one >= LEAST for one in self.high.values[risen.index(True) - len(risen) :])
        return self.odds.lead(sum(risen) - losses)

    def _open(self, row: Row, course: Course, part: str) -> Sequence[Signal]:
        told = course.loss
        bump = Bump(told.median, told.sigma, self.first)
        self.peak, self.calm = told.x, 0
        said = self.opening.begin(row, course, part, "warning", self._evidence(course, bump), self.first)
        course.bump = bump if self.opening.is_open else None
        self._forget()
        return said

    def _evidence(self, course: Course, bump: Bump) -> Evidence:
        told, rows = course.loss, max(self.rows, bump.age)
        beside = [("peak", loss_of(self.peak)), ("rho", told.rho)]
        if len(course.ratios):
            beside.append(("gradient_ratio", max(course.ratios.values)))
        above = told.x - bump.median
        median, sigma = loss_of(bump.median), bump.sigma * math.exp(bump.median)
        return Evidence(told.loss, median, sigma, above / bump.sigma, math.exp(above), rows, tuple(beside))

    def _follow(self, row: Row, course: Course, bump: Bump) -> Sequence[Signal]:
        x = course.loss.x
        bump.age += 1
        self.peak = max(self.peak, x)
        is_near = x < bump.median + max(NEAR, NEAR_SIGMAS * bump.sigma)
        self.calm = self.calm + 1 if is_near else 0
        if self.calm < CALM and bump.age < OVER:
            return NOTHING
        course.bump = None
        return self.opening.end(row, course, self._evidence(course, bump))
