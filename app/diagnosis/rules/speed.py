"""``throughput``: a step takes longer than this run's steps take, for long enough to be no pause.

Measured is the time of a step over its global batch, so that a growing batch is no slow-down. Its noise has a heavy
right tail (evaluations, checkpoints) and may have two modes: so blocks of rows are compared by their trimmed means,
which move evenly with the share of slow rows, against the spread that this run's blocks have.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.diagnosis.course import Course
from app.diagnosis.opening import NOTHING, Opening
from app.diagnosis.row import Row
from app.diagnosis.signal import Evidence, Severity, Signal

BLOCK = 25  # rows
LEAST, MOST = 2, 6  # rows of a block that are left out: the quickest and the slowest
BLOCKS = 40
KNOWN = 3  # blocks before anything is compared
FEW = 8  # blocks whose differences tell little of how far blocks scatter
MODE = math.log(1.6)
COLD = 3  # rows after a start: compilation
SLOW = math.log(1.045)
GRAVE = math.log(1.25)
SIGMAS = 4.0
USUAL = 0.25  # quantile of the blocks that is the run's pace: what it keeps up, not its best
IN_ROW = 2  # slow blocks; one more where they are little slower
MOST_STEPS, MOST_SIGMAS = 0.8, 1.28  # steps between blocks: so many are within so many sigmas; few are changes of pace


@dataclass(slots=True)
class Speed:
    """Everything is the logarithm of seconds a step and sample. ``within`` are the blocks' own spreads."""

    opening: Opening = field(default_factory=lambda: Opening("throughput"))
    block: list[float] = field(default_factory=list)
    blocks: list[float] = field(default_factory=list)
    within: list[float] = field(default_factory=list)
    cold: int = COLD
    slow: int = 0
    began: int = 0  # first step of the slow blocks
    first: int = 0  # step at which the block began
    batch: float = 1.0  # samples, as the newest row says that says it
    has_times: bool = False
    step: int = 0  # of the last row that had a time
    t: float | None = None  # its time

    def take(self, row: Row, course: Course) -> Sequence[Signal]:
        """What one row's step time makes of it; a row without one tells nothing."""
        seconds = self._seconds(row)
        if course.back:
            self.block.clear()
            self.cold = COLD
        if seconds is None or not 0 < seconds < math.inf:
            return NOTHING
        if self.cold:
            self.cold -= 1
            return NOTHING
        if not self.block:
            self.first = row.step
        if row.gbs is not None and 0 < row.gbs < math.inf:
            self.batch = row.gbs
        self.block.append(math.log(seconds) - math.log(self.batch))
        return self._judge(row, course) if len(self.block) == BLOCK else NOTHING

    def _seconds(self, row: Row) -> float | None:
        """As it was printed; in a run that never prints it, by the clock of its rows."""
        self.has_times |= row.step_time is not None
        step, t, self.step = self.step, self.t, row.step
        self.t = row.t
        if self.has_times or row.t is None or t is None or row.step <= step:
            return row.step_time
        return (row.t - t) / (row.step - step)

    def _judge(self, row: Row, course: Course) -> Sequence[Signal]:
        block = sorted(self.block)
        kept = block[LEAST:-MOST]
        self.block = []
        mean = sum(kept) / len(kept)
        said = self._compare(row, course, mean) if len(self.blocks) >= KNOWN else NOTHING
        self.blocks = [*self.blocks, mean][-BLOCKS:]
        self.within = [*self.within, scatter(block)][-BLOCKS:]
        return said

    def _compare(self, row: Row, course: Course, mean: float) -> Sequence[Signal]:
        usual, sigma = self._pace()
        above, margin = mean - usual, max(SLOW, SIGMAS * sigma)
        if above > margin:
            self.began = self.began if self.slow else self.first
            self.slow += 1
        elif above < margin / 2 or not self.opening.is_open:
            self.slow = 0
        evidence = Evidence(math.exp(mean), math.exp(usual), z=above / sigma, ratio=math.exp(above), points=BLOCK)
        if not self.slow:
            return self.opening.end(row, course, evidence)
        if self.slow < (IN_ROW if above > 1.5 * margin else IN_ROW + 1) or course.hold:
            return NOTHING
        grave: Severity = "critical" if above > GRAVE else "warning"
        return self.opening.begin(row, course, "T1", grave, evidence, self.began)

    def _pace(self) -> tuple[float, float]:
        """The pace that the run keeps up, and one sigma of a block's mean."""
        ordered = sorted(self.blocks)
        usual = ordered[int(USUAL * (len(ordered) - 1))]
        steps = sorted(abs(b - a) for a, b in zip(self.blocks, self.blocks[1:], strict=False))
        between = steps[int(MOST_STEPS * (len(steps) - 1))] / (MOST_SIGMAS * math.sqrt(2))
        single = sorted(self.within)[len(self.within) // 2] / math.sqrt(BLOCK)
        return usual, max(between, single if len(self.blocks) < FEW else single / 2, 0.001)


def scatter(block: Sequence[float]) -> float:
    """The standard deviation of one block, in order, in which nothing is further from its median than a slow mode is:
    a pause is no mode."""
    middle = block[len(block) // 2]
    away = [max(-MODE, min(MODE, one - middle)) for one in block]
    mean = sum(away) / len(away)
    return math.sqrt(sum((one - mean) ** 2 for one in away) / len(away))
