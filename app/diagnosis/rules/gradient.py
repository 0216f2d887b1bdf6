"""``grad_explode``: the gradient norm is far above what it was, at once or little by little; and what other rules are
told of the norm: ``course.ratios`` and ``course.exploding``.

One high row is no explosion, since healthy runs have rows at eight times the baseline: what counts is that rows follow
one another (3 of 5, 2 of 2, 10 of 12), each threshold the less strict the more rows, none inside the run's own noise.
A run that has many such rows by itself has some of them side by side: there it takes more of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.diagnosis.course import Course
from app.diagnosis.opening import NOTHING, Opening
from app.diagnosis.row import Row
from app.diagnosis.rules.norm import Norm, logarithm
from app.diagnosis.rules.vanish import Vanish
from app.diagnosis.signal import Evidence, Severity, Signal

SETTLED = 30  # rows before the norm of a run says anything
RAISED, HIGH, FARTHEST, WILD = (math.log(times) for times in (4.0, 5.0, 8.0, 30.0))
ALONE = math.log(150)  # of one row
NEAR = 4  # rows in which a wild one is followed by a raised one
OF = 5  # newest rows among which high ones are counted
CHANCE = 1e-6  # a row, of so many high ones among OF by chance; of two very high ones side by side PAIR
PAIR = 2e-5
USUAL, USUAL_ROWS, LATE = 0.0015, 400.0, 20_000.0  # how often a row is high before anything is known of it; its worth;
# rows after which old ones count half
BACK = math.log(3)  # above the baseline: as it was …
CALM = 20  # … for so many rows
SLOW_NOW, SLOW_LEVEL = (
    math.log(12),
    math.log(8),
)  # the norm and its median over the least block: it grew little by little
LATELY = 8  # blocks in which a growth is quick
HALF_OF_NEWEST = 0.55  # of the newest rows nearly half are beyond it
HABIT = 200  # rows after which a norm that does not grow any more is how it is now
RECENT = 12  # rows of which most are raised
MOST = 10


@dataclass(slots=True)
class Habit:
    """How often this run has high rows by itself, a few of them in turn at most: of ``rows`` so many."""

    high: float = USUAL * USUAL_ROWS
    highest: float = USUAL * USUAL_ROWS
    rows: float = USUAL_ROWS

    def learn(self, grade: int) -> None:
        """One more row of the healthy run."""
        self.high += grade >= 2
        self.highest += grade >= 3
        self.rows += 1.0
        if self.rows > LATE:
            self.high, self.highest, self.rows = self.high / 2, self.highest / 2, self.rows / 2

    def enough(self) -> int:
        """High rows among OF that are no chance: three in most runs."""
        part = self.high / self.rows
        return next((count for count in range(3, OF) if math.comb(OF, count) * part**count < CHANCE), OF)

    @property
    def has_pairs(self) -> bool:
        """Whether two very high rows may well be side by side."""
        return (self.highest / self.rows) ** 2 > PAIR


@dataclass(slots=True)
class Gradient:
    """``high`` are the newest rows as 0 (sound), 1 (raised), 2 (high), 3 (very high), 4 (wild); ``calm`` counts rows
    that are as they were."""

    explosion: Opening = field(default_factory=lambda: Opening("grad_explode"))
    vanish: Vanish = field(default_factory=Vanish)
    norm: Norm = field(default_factory=Norm)
    habit: Habit = field(default_factory=Habit)
    high: list[int] = field(default_factory=list)
    calm: int = 0
    base: float = 0.0  # the baseline before the episode
    least: float = math.inf  # of the settled blocks …
    lately: float = math.inf  # … and of the last ones of them …
    filled: int = -1  # … when so many blocks had been filled

    def take(self, row: Row, course: Course) -> Sequence[Signal]:
        """What one row's norm makes of it; a row that overflowed, or without a finite norm, tells nothing."""
        if self.explosion.is_open:
            course.exploding += 1
        if course.back:
            self.norm.go_back(course.back)
        if row.grad_norm is None or row.overflow or not 0 <= row.grad_norm < math.inf:
            return NOTHING
        value = logarithm(row.grad_norm)
        said = self._judge(row, course, value) if self.norm.is_ready and course.n > SETTLED else NOTHING
        self.norm.take(value, row.loss, frozen=self.vanish.opening.is_open)
        return said

    def _judge(self, row: Row, course: Course, value: float) -> Sequence[Signal]:
        above = value - self.norm.level
        course.ratios.append(math.exp(min(60.0, above)))
        self._note(above)
        said = [*self.vanish.take(row, course, value, self.norm)]
        part = None if course.hold else self._part(value, above)
        if part is not None:
            said += self._begin(row, course, part, above)
        elif self.explosion.is_open:
            said += self._end(row, course, above)
        return said

    def _note(self, above: float) -> None:
        noise = self.norm.sigma
        grade = 0
        if above >= max(RAISED, 4 * noise):
            grade = 1 + (above >= max(HIGH, 4.5 * noise)) + (above >= max(FARTHEST, 6 * noise))
            grade += above >= max(WILD, 10 * noise)
        self.high.append(grade)
        if len(self.high) > RECENT:
            self.high.pop(0)
        if len(self.high) >= OF and not self.explosion.is_open:
            self.habit.learn(self.high[-OF])
        if self.explosion.is_open:
            above += self.norm.level - self.base
        self.calm = self.calm + 1 if above < max(BACK, 3 * noise) else 0

    def _part(self, value: float, above: float) -> str | None:
        """Which way the norm is too high at this row, None when it is not."""
        now = self.high[-1]
        if not now:
            return self._slow(value)
        if sum(one >= 2 for one in self.high[-OF:]) >= self.habit.enough():
            return "G1"
        if min(self.high[-2:]) >= 3 and not self.habit.has_pairs:
            return "G1"
        near = self.high[-NEAR:]
        if 4 in near and (sum(one >= 2 for one in near) >= 2 or above > max(ALONE, 12 * self.norm.sigma)):
            return "G2"
        if sum(one >= 1 for one in self.high) >= MOST:
            return "G3"
        return self._slow(value)

    def _slow(self, value: float) -> str | None:
        """The growth that the baseline has followed."""
        if self.norm.filled != self.filled:
            self.filled = self.norm.filled
            self.least = min((one.norm for one in self.norm.settled()), default=math.inf)
            self.lately = min((one.norm for one in self.norm.settled()[-LATELY:]), default=math.inf)
        noise = self.norm.sigma
        if value > self.least + max(SLOW_NOW, 6 * noise) and self.norm.level > self.least + max(SLOW_LEVEL, 4 * noise):
            return "G4"
        if value < self.lately + HIGH:
            return None
        return "G5" if self.norm.newest.quantile(HALF_OF_NEWEST) > self.lately + max(HIGH, 5 * noise) else None

    def _begin(self, row: Row, course: Course, part: str, above: float) -> Sequence[Signal]:
        # two rows may be chance, once in some hundred thousand
        few = part in ("G1", "G2") and sum(one > 0 for one in self.high[-5:]) < 3
        alone: Severity = "warning" if few else "critical"
        said = self.explosion.begin(row, course, part, alone, self._evidence(row, above))
        if said and said[0].act == "raise":
            course.exploding, self.calm = 1, 0
            self.base = min(self.least, self.norm.level) if part in ("G4", "G5") else self.norm.level
        return said

    def _end(self, row: Row, course: Course, above: float) -> Sequence[Signal]:
        is_habit = course.exploding > HABIT and self.norm.is_steady()
        if self.calm < CALM and not is_habit:
            return NOTHING
        if is_habit:
            self.norm.forget()
            self.least = self.lately = math.inf
        course.exploding = 0
        return self.explosion.end(row, course, self._evidence(row, above))

    def _evidence(self, row: Row, above: float) -> Evidence:
        level, sigma = self.norm.level, self.norm.sigma
        usual = math.exp(level)
        raised = sum(one > 0 for one in self.high)
        return Evidence(row.grad_norm, usual, usual * sigma, above / sigma, math.exp(min(700.0, above)), max(1, raised))
