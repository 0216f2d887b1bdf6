"""``plateau``: a run from random weights that does not learn, or has stopped to while it is far from done.

Only runs that start near ln V are meant: elsewhere nobody can say from a curve what is to be learnt. P1: the loss is
still where it began. P2: it fell and is stuck high. Both need a learning rate at which something should happen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from app.diagnosis.course import Course
from app.diagnosis.memory import Ring
from app.diagnosis.opening import NOTHING, Opening
from app.diagnosis.row import Row
from app.diagnosis.rules.level import loss_of
from app.diagnosis.signal import Evidence, Severity, Signal

SCRATCH = 8.5  # nats: ln V of a vocabulary of 5,000
FIRST = 10  # rows that say where a run began
BLOCK = 20  # rows
LONG, SHORT = 15, 3  # blocks
EARLY = 200  # rows before which nothing is said
WARM, VERY_WARM = 1.5, 2.0  # warm-ups
RATE = 0.3  # of the highest learning rate
STILL = 0.93  # of the first loss
HIGH = 0.51
FALL = 0.004  # over LONG
SIGMAS = 2.5
LEARNING = 0.02  # log loss, a fall that ends it


@dataclass(slots=True)
class Plateau:
    """``start`` is where the run began, in nats; ``rows`` of the block being filled, ``blocks`` are medians of x."""

    opening: Opening = field(default_factory=lambda: Opening("plateau"))
    first: Ring = field(default_factory=lambda: Ring(FIRST))
    start: float | None = None
    rows: Ring = field(default_factory=lambda: Ring(BLOCK))
    blocks: Ring = field(default_factory=lambda: Ring(LONG))
    level: float = 0.0  # of log loss when it opened

    def take(self, row: Row, course: Course) -> Sequence[Signal]:
        """Something is said at the end of a block only."""
        told = course.loss
        if not told.is_fresh:
            return NOTHING
        if self.start is None:
            self._begin(told.loss)
        self.rows.append(told.x)
        if len(self.rows) < BLOCK:
            return NOTHING
        ordered = sorted(self.rows.values)
        self.blocks.append((ordered[BLOCK // 2 - 1] + ordered[BLOCK // 2]) / 2)
        self.rows.clear()
        return self._judge(row, course) if self.start is not None and self.start > SCRATCH else NOTHING

    def _begin(self, loss: float) -> None:
        self.first.append(loss)
        if len(self.first) == FIRST:
            self.start = sorted(self.first.values)[FIRST // 2]

    def _judge(self, row: Row, course: Course) -> Sequence[Signal]:
        blocks, start = self.blocks.values, self.start or 0.0
        now = sum(blocks[-SHORT:]) / len(blocks[-SHORT:])
        loss = loss_of(now)
        if self.opening.is_open and now < self.level - LEARNING:
            return self.opening.end(row, course, Evidence(loss, median=start, ratio=loss / start))
        if not self._should_learn(row, course):
            return NOTHING
        part = "P1" if loss > STILL * start else "P2" if loss > HIGH * start and self._is_flat() else ""
        return self._open(part, row, course, now) if part else NOTHING

    def _open(self, part: str, row: Row, course: Course, now: float) -> Sequence[Signal]:
        very = part == "P1" and course.plan.warmup and row.step > VERY_WARM * course.plan.warmup
        severity: Severity = "critical" if very else "warning"
        start, loss = self.start or 0.0, loss_of(now)
        if not self.opening.is_open:
            self.level = now
        rows = BLOCK * (SHORT if part == "P1" else LONG)
        return self.opening.begin(row, course, part, severity, Evidence(loss, start, ratio=loss / start, points=rows))

    def _should_learn(self, row: Row, course: Course) -> bool:
        rate = row.lr is None or row.lr > RATE * course.lr_most
        is_warm = row.step > WARM * course.plan.warmup and course.n >= EARLY
        is_calm = not ("loss_spike" in course.open or "divergence" in course.open or "nan_inf" in course.open)
        return rate and is_warm and is_calm and course.is_settled and len(self.blocks) >= SHORT

    def _is_flat(self) -> bool:
        """No fall from third to third of the long stretch that its own scatter would not explain."""
        blocks = self.blocks.values
        if len(blocks) < LONG:
            return False
        third = LONG // 3
        means = [sum(blocks[k : k + third]) / third for k in range(0, LONG, third)]
        steps = sorted(abs(b - a) for a, b in pairwise(blocks))
        sigma = steps[len(steps) // 2] * 1.05 / math.sqrt(third)
        most = max(FALL, SIGMAS * sigma)
        return max(means[0], means[1]) - means[2] < FALL and max(means) - min(means) < 2 * most
