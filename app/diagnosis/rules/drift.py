"""``divergence`` that creeps: blocks of rows lie above the best that the run has held, further than blocks scatter.

D2: the newest 3, 4, 6 or 10 blocks of 25 rows. A block is the mean of its middle rows; how much blocks scatter is
measured in the run itself twice, from one block to the next and from the noise of rows with its autocorrelation, and
the larger of the two holds. The best is a low quantile of the blocks before, not their minimum, which many blocks of
noise push down. A level that is falling again is a spike that recovers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from app.diagnosis.course import Course
from app.diagnosis.memory import Ring, Window
from app.diagnosis.opening import NOTHING, Opening
from app.diagnosis.row import Row
from app.diagnosis.rules.level import loss_of
from app.diagnosis.signal import Evidence, Signal

BLOCK = 25  # rows
PAST = 40  # blocks
SPANS = (3, 4, 6, 10)  # newest blocks that are looked at together
ENOUGH = 5  # blocks before them
BEST = 0.15  # quantile of the blocks before
BIAS = 1.04  # sigmas of a block that this quantile lies below the middle of its noise
SIGMAS = 5.0
LEAST = 0.03  # log loss
CLEAR = 0.5  # of what raised it
INSTEAD = ("loss_spike", "divergence", "jitter")  # open, they explain a high block
WILD = 1.15  # the middle mean of heavy-tailed rows scatters so much more than a normal one's mean


@dataclass(slots=True)
class Drift:
    """``rows`` of the block that is being filled, ``blocks`` those before; ``level`` and ``limit`` of what is open."""

    opening: Opening = field(default_factory=lambda: Opening("divergence"))
    rows: Window = field(default_factory=lambda: Window(BLOCK))
    blocks: Ring = field(default_factory=lambda: Ring(PAST + SPANS[-1]))
    noise: Ring = field(default_factory=lambda: Ring(PAST))  # sigma of a block as its rows foretell it
    level: float = 0.0
    limit: float = 0.0

    def take(self, row: Row, course: Course) -> Sequence[Signal]:
        """Something is said at the end of a block only."""
        told = course.loss
        if not told.is_fresh:
            return NOTHING
        if course.muted:
            self.rows.clear()
            self.blocks.clear()
            return NOTHING
        self.rows.append(told.x)
        if len(self.rows) < BLOCK:
            return NOTHING
        self._end_block(course)
        return self._judge(row, course)

    def _end_block(self, course: Course) -> None:
        middle = self.rows.ordered[BLOCK // 5 : -(BLOCK // 5)]
        rho = course.loss.rho
        self.noise.append(WILD * self.rows.spread() * math.sqrt((1 + rho) / (1 - rho) / BLOCK))
        self.blocks.append(sum(middle) / len(middle))
        self.rows.clear()

    def _judge(self, row: Row, course: Course) -> Sequence[Signal]:
        if self.opening.is_open:
            return self._follow(row, course)
        if not course.is_settled or not course.is_warm(row.step) or any(one in course.open for one in INSTEAD):
            return NOTHING
        for span in SPANS:
            found = self._above(span)
            if found:
                best, sigma, limit = found
                self.level, self.limit = best, limit
                return self.opening.begin(row, course, "D2", "critical", self._evidence(row, best, sigma, span))
        return NOTHING

    def _above(self, span: int) -> tuple[float, float, float] | None:
        """Best, sigma of a block and limit, if all of the newest blocks lie above the limit."""
        blocks = self.blocks.values
        newest, before = blocks[-span:], sorted(blocks[:-span][-PAST:])
        if len(before) < ENOUGH:
            return None
        best = before[int(BEST * (len(before) - 1))]
        if newest[-1] < best + LEAST:
            return None
        sigma = self._scatter(span)
        limit = max(LEAST, sigma * (BIAS + SIGMAS / math.sqrt(span)))
        mean = sum(newest) / span
        is_falling = newest[-1] < newest[0] - sigma
        is_above = min(newest) > best + LEAST / 2 and newest[-1] > best + limit and mean > best + limit
        return None if is_falling or not is_above else (best, sigma, limit)

    def _scatter(self, span: int) -> float:
        before = self.blocks.values[:-span]
        steps = sorted(abs(b - a) for a, b in pairwise(before[1:]))
        measured = steps[len(steps) // 2] * 1.4826 / math.sqrt(2)
        foretold = sorted(self.noise.values)[len(self.noise) // 2]
        return max(measured, foretold)

    def _follow(self, row: Row, course: Course) -> Sequence[Signal]:
        if self.blocks.values[-1] > self.level + CLEAR * self.limit:
            return NOTHING
        return self.opening.end(row, course, self._evidence(row, self.level, 1.0, 1))

    def _evidence(self, row: Row, best: float, sigma: float, span: int) -> Evidence:
        mean = sum(self.blocks.values[-span:]) / span
        return Evidence(
            value=loss_of(mean),
            median=loss_of(best),
            sigma=sigma * math.exp(best),
            z=(mean - best) / sigma,
            ratio=math.exp(mean - best),
            points=span * BLOCK,
        )
