"""The baseline of the loss: where it was, how much it scatters, how far a row foretells the next one.

Everything is said of x = ln(loss + 0.05): a difference is a ratio, and the five hundredths keep the noise of a loss
that goes to nothing from looking large. A strong autocorrelation makes one shock last for several rows, which would
look like a spike: rules are therefore given the surprise of a row, what is left when the row before is accounted for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.diagnosis.course import Course
from app.diagnosis.memory import Ring, Window
from app.diagnosis.row import Row
from app.diagnosis.signal import Signal

FLOOR = 0.05  # nats
LEAST = 0.004  # sigma of log loss: a loss is printed with that many digits
ROWS = 40  # that the level is the median of
OFFS = 64  # of which the scatter is taken
LAG = 0.65  # quantile of these by which the level is lower than its median says: a fall slows down, so not all of it
EVERY = 8  # rows between two levels that are remembered …
PAST = 128  # … for a start that goes back
READY = 32  # rows before a baseline is one
OUTLIER = 4.0  # sigmas above the baseline that do not belong to it
GIVEN_UP = 100  # rows beyond it after which the run is somewhere else and has a new baseline
MEMORY = 1 / 250  # of the autocorrelation, a row
CLIPPED = 3.0  # sigmas: a shock must not decide what the autocorrelation is
PRIOR = 0.4  # autocorrelation before it is known, worth PRIOR_ROWS
PRIOR_ROWS = 40.0
MOST = 0.9


def log_loss(loss: float) -> float:
    """x of a finite loss that is not negative."""
    return math.log(loss + FLOOR)


def loss_of(x: float) -> float:
    """The loss in nats."""
    return math.exp(x) - FLOOR


@dataclass(slots=True)
class Level:
    """``kept`` are the newest rows that belong to the baseline, ``off`` how far each was from the median of its time,
    which lags behind a loss that falls; ``beyond`` rows in turn that did not belong; ``product`` and ``square`` make
    the autocorrelation, of rows in the middle of ``kept``; ``middle`` is the last of these, ``last`` z of the row
    before."""

    kept: Window = field(default_factory=lambda: Window(ROWS))
    past: Ring = field(default_factory=lambda: Ring(PAST))
    off: Window = field(default_factory=lambda: Window(OFFS))
    beyond: int = 0
    product: float = PRIOR * PRIOR_ROWS
    square: float = PRIOR_ROWS
    middle: float = 0.0
    last: float = 0.0

    def take(self, row: Row, course: Course) -> Sequence[Signal]:
        """Tell the course of this row's loss."""
        loss, told = row.loss, course.loss
        if course.back:
            self._go_back(course.back)
        told.is_fresh = loss is not None and math.isfinite(loss) and loss >= 0.0
        if loss is None or not told.is_fresh:
            return ()
        told.loss, told.x = loss, math.log(loss + FLOOR)
        told.is_ready = len(self.kept) >= READY
        if told.is_ready:
            self._compare(course)
        self._keep(course)
        return ()

    def _go_back(self, rows: int) -> None:
        """The model is the one of some rows ago, and so is the level of its loss: a loss that falls is higher there."""
        there = rows // EVERY + 1
        if there > len(self.past):
            self.kept.clear()
        elif self.kept.values:
            self.kept.shift(max(0.0, self.past.values[-there] - self.kept.median))
        self.past.values = self.past.values[: max(0, len(self.past) - there + 1)]
        self.beyond = 0

    def _compare(self, course: Course) -> None:
        told, off = course.loss, self.off
        if len(off) < READY:
            told.median, told.sigma = self.kept.median, max(self.kept.spread(), LEAST)
        else:
            told.median, told.sigma = self.kept.median + min(0.0, off.quantile(LAG)), max(off.spread(), LEAST)
        told.z = z = (told.x - told.median) / told.sigma
        told.rho = rho = self._rho()
        told.surprise = (z - rho * self.last) / math.sqrt(1.0 - rho * rho)
        self.last = z

    def _rho(self) -> float:
        """A median of few rows follows their waves: the autocorrelation of what is left looks smaller than it is."""
        seen = self.product / self.square
        return min(MOST, max(0.0, seen + (1.0 + seen) / ROWS))

    def _learn(self, sigma: float) -> None:
        here = (self.kept.values[len(self.kept) // 2] - self.kept.median) / sigma
        here = max(-CLIPPED, min(CLIPPED, here))
        self.product += here * self.middle - self.product * MEMORY
        self.square += here * here - self.square * MEMORY
        self.middle = here

    def _keep(self, course: Course) -> None:
        told = course.loss
        if told.is_ready and not course.muted and (told.z >= OUTLIER or course.bump):
            self.beyond += 1
            if self.beyond <= GIVEN_UP or course.bump:
                return
            self.kept.clear()
            self.off.clear()
        self.beyond = 0
        if told.is_ready and len(self.kept) == ROWS:
            self.off.append(told.x - self.kept.median)
            self._learn(told.sigma)
        self.kept.append(told.x)
        if course.n % EVERY == 0:
            self.past.append(self.kept.median)
