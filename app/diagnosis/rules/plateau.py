"""``plateau``: a run from random weights that does not learn, or has stopped to while it is far from done.

Only runs that start near ln V are meant: elsewhere nobody can say from a curve what is to be learnt. P1: the loss is
still where it began. P2: it fell and is stuck high. Both need a learning rate at which something should happen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from app.diagnosis.course import Course
from app.diagnosis.memory import Ring
from app.diagnosis.opening import NOTHING, Opening
from app.diagnosis.row import Row
from app.diagnosis.rules.level import loss_of
from app.diagnosis.signal import Evidence, Severity, Signal

SCRATCH = 8.5, 15.0  # nats: ln V of a vocabulary of 5,000; of a million, and what bad initial weights add
FIRST = 10  # rows that say where a run began
BLOCK = 20  # rows
SHORT, LONG = 3, 15  # blocks
PARTS = (1 / 3, 2 / 3)  # of the run: stuck is who has not moved in it; a sound loss falls ever slower, but falls in it
QUIET = 0.003  # sigma of the comparison over the shorter part; with more noise only the longer one shows anything
MOST = 60  # blocks that are remembered; more of them are joined in pairs
EARLY = 200  # rows before which nothing is said
WARM, VERY_WARM = 1.5, 2.0  # warm-ups
RATE = 0.3  # of the highest learning rate
STILL = 0.93  # of the first loss
HIGH = 0.51
FALL, FALL_SIGMAS = 0.004, 0.7  # log loss, and sigmas of the comparison, that count as none
MOVED = 5.0  # sigmas
LEARNING = 0.02  # log loss, a fall that ends it
NORMAL = 1.4826 / math.sqrt(2)  # median of absolute differences → sigma
INSTEAD = ("nan_inf", "divergence", "loss_spike")  # open, they explain a high loss


@dataclass(slots=True)
class Past:
    """Log loss of a whole run in at most MOST blocks: ``joined`` blocks of BLOCK rows each are one, ``waiting`` those
    that are not one yet."""

    blocks: list[float] = field(default_factory=list)
    joined: int = 1
    waiting: list[float] = field(default_factory=list)

    def append(self, block: float) -> None:
        """One more block of BLOCK rows."""
        self.waiting.append(block)
        if len(self.waiting) < self.joined:
            return
        self.blocks.append(sum(self.waiting) / self.joined)
        self.waiting.clear()
        if len(self.blocks) == MOST:
            self.blocks = [(a + b) / 2 for a, b in zip(self.blocks[::2], self.blocks[1::2], strict=True)]
            self.joined *= 2

    @property
    def is_falling(self) -> bool:
        """Whether the newest third of the run is clearly lower than the one before."""
        third = len(self.blocks) // 3
        if not third:
            return False
        return sum(self.blocks[-2 * third : -third]) - sum(self.blocks[-third:]) > LEARNING * third

    def go_back(self, rows: int) -> None:
        """What was learnt in the newest rows is to be learnt again: that the same losses come is no standstill."""
        self.waiting.clear()
        self.blocks = self.blocks[: max(0, len(self.blocks) - 1 - rows // (BLOCK * self.joined))]

    def is_flat(self) -> bool:
        """No fall from third to third of the newest part that its own scatter would not explain."""
        least = LONG // 3 if self.joined == 1 else 1
        short, long = (max(least, int(part * len(self.blocks) / 3)) for part in PARTS)
        if len(self.blocks) < 3 * least:
            return False
        scatter = median(abs(b - a) for a, b in pairwise(self.blocks[-3 * long :])) * NORMAL
        third = short if scatter < QUIET * math.sqrt(short) else long
        sigma = scatter / math.sqrt(third)
        newest = self.blocks[-3 * third :]
        means = [sum(newest[k : k + third]) / third for k in range(0, 3 * third, third)]
        is_moved = max(means) - min(means) > FALL + MOVED * sigma
        return max(means[0], means[1]) - means[2] < FALL + FALL_SIGMAS * sigma and not is_moved


@dataclass(slots=True)
class Plateau:
    """``start`` is where the run began, in nats; ``rows`` of the block being filled, ``newest`` blocks of log loss;
    ``level`` of log loss where it was when it opened."""

    opening: Opening = field(default_factory=lambda: Opening("plateau"))
    first: Ring = field(default_factory=lambda: Ring(FIRST))
    start: float = 0.0
    rows: Ring = field(default_factory=lambda: Ring(BLOCK))
    newest: Ring = field(default_factory=lambda: Ring(SHORT))
    past: Past = field(default_factory=Past)
    level: float = 0.0

    def take(self, row: Row, course: Course) -> Sequence[Signal]:
        """Something is said at the end of a block only."""
        told = course.loss
        if course.back:
            self.rows.clear()
            self.past.go_back(course.back)
        if not told.is_fresh or not self._is_from_scratch(told.loss):
            return NOTHING
        self.rows.append(told.x)
        if len(self.rows) < BLOCK:
            return NOTHING
        block = median(self.rows.values)
        self.newest.append(block)
        self.past.append(block)
        self.rows.clear()
        return self._judge(row, course)

    def _is_from_scratch(self, loss: float) -> bool:
        if len(self.first) < FIRST:
            self.first.append(loss)
            self.start = median(self.first.values)
        return SCRATCH[0] < self.start < SCRATCH[1]

    def _judge(self, row: Row, course: Course) -> Sequence[Signal]:
        now = sum(self.newest.values) / len(self.newest)
        loss = loss_of(now)
        if self.opening.is_open and now < self.level - LEARNING:
            return self.opening.end(row, course, Evidence(loss, self.start, ratio=loss / self.start))
        if not self._should_learn(row, course):
            return NOTHING
        if loss > STILL * self.start and not self.past.is_falling:
            return self._open("P1", row, course, now)
        return self._open("P2", row, course, now) if loss > HIGH * self.start and self.past.is_flat() else NOTHING

    def _open(self, part: str, row: Row, course: Course, now: float) -> Sequence[Signal]:
        is_late = part == "P1" and 0 < VERY_WARM * course.plan.warmup < row.step
        severity: Severity = "critical" if is_late else "warning"
        if not self.opening.is_open:
            self.level = now
        rows, loss = BLOCK * (SHORT if part == "P1" else LONG), loss_of(now)
        evidence = Evidence(loss, self.start, ratio=loss / self.start, points=rows)
        return self.opening.begin(row, course, part, severity, evidence)

    def _should_learn(self, row: Row, course: Course) -> bool:
        has_rate = row.lr is None or row.lr > RATE * course.lr_most
        is_warm = row.step > WARM * course.plan.warmup and course.n >= EARLY
        is_explained = any(one in course.open for one in INSTEAD)
        return has_rate and is_warm and course.is_settled and not is_explained
