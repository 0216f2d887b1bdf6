"""``lr_anomaly``: the learning rate leaves its schedule.

After its warm-up a learning rate stays, falls smoothly, or falls in steps of a third or a tenth; it does not rise, and
it is not gone before the end. What it was at a step is remembered, so that a resume which does a step again is held
against it. A jump that was told of and comes again, from and to the same values, is a schedule that restarts. Values
that are printed with few digits move in quanta, which are no jumps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from app.diagnosis.course import Course
from app.diagnosis.opening import NOTHING, Opening
from app.diagnosis.row import Row
from app.diagnosis.rules.learned import Learned
from app.diagnosis.signal import Evidence, Signal

UP = 1.25  # times the value before, in one row
RISEN = 1.5  # times the lowest value since the peak, little by little
GONE = 0.08  # of the value before: a step decay leaves a tenth
MATTERS = 0.05  # of the highest value: below that a fall is the end of a schedule
SMALL = 0.02
LATE = 0.97  # of the planned steps
ZEROS = 10  # rows
PEAK = 8  # rows without a rise end the warm-up …
PATIENT = 4  # … or so many times the longest pause of a rise that is printed in quanta
OFF = 1.5  # times what it was when the step was done first
ROWS_OFF = 3
SAME = 1.1  # times: what it was
RETURNED = 12  # rows on the old schedule end an episode …
HABIT = 250  # … and so many after which the new one is how it is now
AGAIN = 1.5  # times: where a restart begins
QUANTA = 2.9  # between printed values: a jump, not the next one that can be printed
FINE = 1e-3  # of the value: quanta that do not matter


@dataclass(slots=True)
class LearningRate:
    """``before`` is the last value; ``flat`` counts rows since the last rise, ``longest`` the longest such pause while
    it still rose; ``quantum`` is the place of the last digit that is printed; ``good`` the value before an episode;
    ``jump`` the values before and after the last jump that was told of."""

    opening: Opening = field(default_factory=lambda: Opening("lr_anomaly"))
    learned: Learned = field(default_factory=Learned)
    before: float | None = None
    step: int | None = None
    fell: float = 0.0  # how far the value went down at the row before
    flat: int = 0
    longest: int = 0
    falls: int = 0
    is_past: bool = False  # the warm-up is over
    low: float = math.inf  # least value since the peak
    quantum: float = math.inf
    zeros: int = 0
    last: float = 0.0  # that was not 0
    off: int = 0
    good: float = 0.0
    returned: int = 0
    open_rows: int = 0
    jump: list[float] = field(default_factory=list)

    def take(self, row: Row, course: Course) -> Sequence[Signal]:
        """What one row's learning rate makes of it; a row without one tells nothing."""
        value = row.lr
        if value is None or not 0 <= value < math.inf:
            return NOTHING
        before, step = self.before, self.step
        went_back = step is not None and row.step < step
        declared = course.declared_at(-1 if step is None else min(step, row.step - 1), row.step)
        self.before, self.step = value, row.step
        if before is None and value > 0:
            self.quantum = place(value)
        if any(one.kind != "data_mix_change" for one in declared):
            self._begin_again(value, row.step)
        elif before is None or went_back:
            self.off, self.low = 0, value
        else:
            return self._follow(row, course, value, before)
        course.lr_most = max(course.lr_most, value)
        course.lr_now = value
        return NOTHING

    def _begin_again(self, value: float, step: int) -> None:
        """Somebody chose to change it: what comes now is a schedule of its own."""
        self.is_past, self.flat, self.longest, self.falls, self.off = False, 0, 0, 0, 0
        self.low, self.zeros = value, 0
        self.learned.forget_from(step)

    def _follow(self, row: Row, course: Course, value: float, before: float) -> Sequence[Signal]:
        if value != before and self.quantum > FINE * value > 0:
            self.quantum = min(self.quantum, place(value))
        part = self._part(row, course, value, before)
        self._note(row, course, value, before)
        if self.opening.is_open:
            return self._go_on(row, course, value)
        if part is None:
            return NOTHING
        if part == "R1" and self._is_restart(before, value):
            self._begin_again(value, row.step)
            return NOTHING
        self.jump = [before, value] if part == "R1" else self.jump
        self.good, self.returned, self.open_rows = (self.last if part == "R3" else before), 0, 0
        return self.opening.begin(row, course, part, "warning", self._evidence(row, self.good))

    def _part(self, row: Row, course: Course, value: float, before: float) -> str | None:
        """Which way the value leaves its schedule at this row, None when it does not."""
        most, plan = course.lr_most, course.plan
        is_late = plan.total_steps > 0 and row.step > LATE * plan.total_steps
        was = self.learned.at(row.step)
        if was is not None and was[0] / SAME <= value <= was[1] * SAME:
            self.off, self.low = 0, value
            return None
        if was is not None and self._is_off(was, value, most):
            return "R4"
        if not self.is_past:
            return None
        if value > SMALL * most and self._has_risen(value, before, UP):
            return "R1"
        if value > SMALL * most and self._has_risen(value, self.low, RISEN):
            return "R5"
        gone = before > MATTERS * most and value < min(GONE * before, before - QUANTA * self.fell)
        if gone and not is_late:
            return "R2"
        zero = value == 0 and self.zeros + 1 >= ZEROS and self.last > MATTERS * most > 0
        return "R3" if zero and not is_late else None

    def _has_risen(self, value: float, low: float, times: float) -> bool:
        return value > times * low and value - low >= QUANTA * self.quantum

    def _is_restart(self, before: float, value: float) -> bool:
        """Whether the same jump was told of before."""
        if not self.jump:
            return False
        low, high = self.jump
        return low / AGAIN <= before <= low * AGAIN and high / SAME <= value <= high * SAME

    def _is_off(self, was: tuple[float, float], value: float, most: float) -> bool:
        """Whether steps that are done again have other values than they had, for some rows."""
        far = max(was[1], value) > SMALL * most and not was[0] / OFF <= value <= was[1] * OFF
        self.off = self.off + 1 if far else 0
        return self.off >= ROWS_OFF

    def _note(self, row: Row, course: Course, value: float, before: float) -> None:
        self.fell = max(0.0, before - value)
        self.zeros = self.zeros + 1 if value == 0 else 0
        if value > 0:
            self.last = value
        if not self.opening.is_open:
            self.learned.take(row.step, value)
            course.lr_most = max(course.lr_most, value)
        course.lr_now = value
        if self.is_past and not self._still_warms(course, value - before):
            self.low = min(self.low, value) if value > 0 else self.low
        else:
            self._warm(row, course, value, before)

    def _still_warms(self, course: Course, rise: float) -> bool:
        """Whether what seemed constant was a warm-up that few digits are printed of, and nobody told its length."""
        self.is_past = bool(course.plan.warmup or self.falls) or not 0 < rise < QUANTA * self.quantum
        return not self.is_past

    def _warm(self, row: Row, course: Course, value: float, before: float) -> None:
        if value > before:
            self.longest, self.flat, self.falls = max(self.longest, self.flat), 0, 0
        else:
            self.flat += 1
            self.falls += value < before
        rested = self.flat >= max(PEAK, PATIENT * self.longest)
        if value > 0 and course.is_warm(row.step) and (rested or self.falls >= PEAK):
            self.is_past, self.low = True, value

    def _go_on(self, row: Row, course: Course, value: float) -> Sequence[Signal]:
        """An episode ends where the old schedule is met again, or when the new one has lasted."""
        low, high = self.learned.at(row.step) or (self.good, self.good)
        self.open_rows += 1
        self.returned = self.returned + 1 if low / OFF <= value <= high * OFF else 0
        if self.returned < RETURNED and self.open_rows < HABIT:
            return NOTHING
        self._begin_again(value, row.step)
        return self.opening.end(row, course, self._evidence(row, high))

    def _evidence(self, row: Row, usual: float) -> Evidence:
        ratio = row.lr / usual if row.lr is not None and usual > 0 else None
        return Evidence(row.lr, usual, ratio=ratio)


def place(value: float) -> float:
    """What one in the last digit of a printed number is worth: 0.000012 → 1e-6."""
    exponent = Decimal(repr(value)).as_tuple().exponent
    return 10.0**exponent if isinstance(exponent, int) else math.inf
