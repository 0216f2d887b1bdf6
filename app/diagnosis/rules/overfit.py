"""``overfit``: evaluations have risen above their least while the training loss went on falling.

Evaluations are few, and each is noisy: how much is told by their own second differences, which a trend does not move.
So a steep rise needs two or three of them, a slow one as many as it takes to be told from noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from app.diagnosis.course import Course
from app.diagnosis.memory import Window
from app.diagnosis.opening import NOTHING, Opening
from app.diagnosis.row import Evaluation, Row
from app.diagnosis.signal import Evidence, Severity, Signal

TRAIN = 20  # newest rows whose median is the training loss
FLOOR = 0.01  # added to the loss
FEW = 4  # evaluations before anything is said
KEPT = 48
NOISE_OF = 16  # newest evaluations that their noise is told by
UNKNOWN, LEAST = 0.01, 0.0015  # noise while there are too few to tell, and the least that is believed
STEEP, RISE, SLOW = 0.05, 0.02, 0.012  # above the least evaluation
SLOW_OF = 6  # evaluations after the least one, for a slow rise
SURE, UNSURE = 2.5, 10.0  # sigmas of the slope, and more by the fewer evaluations there are
GRAVE = 0.10
FALLEN = 0.01  # of the training loss since the least evaluation
TOGETHER = 0.3  # an evaluation back within this part of the threshold ends it


@dataclass(slots=True)
class Point:
    """One evaluation beside the training loss at its time, both in logarithms; ``train`` is NaN where there is none."""

    step: int
    value: float
    train: float


@dataclass(slots=True)
class Overfit:
    """``least`` is the lowest evaluation so far but for the newest, ``after`` those since; ``newest`` the last ones."""

    opening: Opening = field(default_factory=lambda: Opening("overfit"))
    losses: Window = field(default_factory=lambda: Window(TRAIN))
    newest: list[float] = field(default_factory=list)
    least: Point | None = None
    after: list[Point] = field(default_factory=list)
    count: int = 0

    def take(self, row: Row, course: Course) -> Sequence[Signal]:
        """The training loss; nothing is said at rows."""
        if row.loss is not None and 0 <= row.loss < math.inf:
            self.losses.append(math.log(row.loss + FLOOR))
        return NOTHING

    def evaluated(self, told: Evaluation, course: Course) -> Sequence[Signal]:
        """What one more evaluation makes of it."""
        if not 0 <= told.loss < math.inf:
            return NOTHING
        train = self.losses.median if len(self.losses) >= 5 else math.nan
        point = Point(told.step, math.log(told.loss + FLOOR), train)
        if course.muted and self._is_changed(course, told.step):
            self._begin_again()
        self.count += 1
        self.newest = [*self.newest, point.value][-NOISE_OF:]
        row = Row(told.step, told.t, told.loss)
        if self.least is None or point.value < self.least.value:
            self.least, self.after = point, []
            return self.opening.end(row, course)
        self.after = [*self.after, point][-KEPT:]
        return self._judge(row, course, self.least)

    def _is_changed(self, course: Course, step: int) -> bool:
        since = -1 if self.least is None else self.least.step
        return any(one.kind == "data_mix_change" for one in course.declared_at(since, step))

    def _begin_again(self) -> None:
        self.least, self.after, self.newest, self.count = None, [], [], 0

    def _judge(self, row: Row, course: Course, least: Point) -> Sequence[Signal]:
        if self.count < FEW:
            return NOTHING
        sigma = self._noise()
        # the least of noisy values is too low by about their noise
        rises = [one.value - least.value - sigma for one in self.after]
        part = self._part(rises, sigma)
        evidence = self._evidence(row, least, sigma, rises[-1])
        if part is not None and self._falls(least):
            grave: Severity = "critical" if rises[-1] > GRAVE else "warning"
            return self.opening.begin(row, course, part, grave, evidence, least.step)
        back = rises[-1] < TOGETHER * max(SLOW, 2 * sigma)
        return self.opening.end(row, course, evidence) if back else NOTHING

    def _part(self, rises: Sequence[float], sigma: float) -> str | None:
        """Which way evaluations rise, None when they do not."""
        if len(rises) >= 2 and min(rises[-2:]) > max(STEEP, 4 * sigma) and rises[-1] > rises[-2]:
            return "E1"
        if len(rises) >= 3 and min(rises[-3:]) > max(RISE, 3 * sigma) and rises[-1] >= rises[-3]:
            return "E2"
        if len(rises) < SLOW_OF or median(rises[-3:]) < max(SLOW, 2 * sigma):
            return None
        return "E3" if slope(rises) > SURE + UNSURE / len(rises) else None

    def _noise(self) -> float:
        """One sigma of an evaluation."""
        values = self.newest
        bends = [abs(a - 2 * b + c) for a, b, c in zip(values, values[1:], values[2:], strict=False)]
        return max(LEAST, 1.4826 * median(bends) / math.sqrt(6)) if len(bends) >= 3 else UNKNOWN

    def _falls(self, least: Point) -> bool:
        """Whether the training loss is lower than it was at the least evaluation."""
        now = self.after[-1].train
        noise = self.losses.spread() / 2 if len(self.losses) >= 5 else 0.0
        return least.train - now > max(FALLEN, noise)

    def _evidence(self, row: Row, least: Point, sigma: float, rise: float) -> Evidence:
        usual = math.exp(least.value) - FLOOR
        fallen = least.train - self.after[-1].train
        beside = (("least_step", float(least.step)), ("train_fell", fallen))
        return Evidence(row.loss, usual, usual * sigma, rise / sigma, math.exp(rise), len(self.after), beside)


def slope(values: Sequence[float]) -> float:
    """By how many of its own sigmas the line through equally spaced values rises (Student's t)."""
    n = len(values)
    middle, mean = (n - 1) / 2, sum(values) / n
    width = (n * n - 1) * n / 12
    rise = sum((k - middle) * value for k, value in enumerate(values)) / width
    rest = sum((value - mean - rise * (k - middle)) ** 2 for k, value in enumerate(values))
    return rise / math.sqrt(max(rest, 1e-12) / (n - 2) / width)
