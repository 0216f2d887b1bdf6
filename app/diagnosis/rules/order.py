"""In which order rows are taken, how far apart they are, and ``step_regress``: a resume that goes back.

A line may come twice (two files, a retry) or a little out of order (several writers): such rows are passed over. A step
further back than that begins a new stretch: baselines stay, since the model is the same, but nothing is said for a
while. Thresholds: shared with attempts (app/series/segments.py), three log intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.diagnosis.course import HOLD, MUTED, Course
from app.diagnosis.memory import Ring, Window
from app.diagnosis.opening import Opening
from app.diagnosis.row import Row
from app.diagnosis.signal import Evidence, Severity, Signal

BACK = 3.0  # intervals that a row may be out of order
SEEN = 64  # rows among which a step may come twice
INTERVALS = 101
OFTEN, DAY = 3, 86400.0  # so many times in so many seconds


@dataclass(slots=True)
class Order:
    """``newest`` is the highest step of this stretch; ``times`` are when the newest went back (Unix seconds)."""

    newest: int | None = None
    seen: Ring = field(default_factory=lambda: Ring(SEEN))
    gaps: Window = field(default_factory=lambda: Window(INTERVALS))
    opening: Opening = field(default_factory=lambda: Opening("step_regress", cool=-1))
    times: Ring = field(default_factory=lambda: Ring(OFTEN))

    def take(self, row: Row, course: Course) -> tuple[bool, Sequence[Signal]]:
        """Whether the row counts, and what is to be said of its step."""
        step, newest = row.step, self.newest
        if newest is None:
            return self._accept(row, course), ()
        if step <= newest and (step >= newest - BACK * course.interval or self._is_copy(step, newest, course)):
            return False, ()
        if step < newest:
            return self._begin_again(row, course, newest)
        self.gaps.append(step - newest)
        course.interval = self.gaps.median
        if course.declared_at(newest, step):
            course.muted = MUTED
        self._accept(row, course)
        return True, self.opening.end(row, course) if self.opening.is_open and not course.hold else ()

    def _is_copy(self, step: int, newest: int, course: Course) -> bool:
        return step in self.seen.values and step > newest - (BACK + 1) * course.interval

    def _begin_again(self, row: Row, course: Course, newest: int) -> tuple[bool, Sequence[Signal]]:
        self.seen.clear()
        before = self.opening.end(row, course)
        self._accept(row, course)
        course.hold, course.back = HOLD, max(1, round((newest - row.step) / course.interval))
        evidence = Evidence(row.step, median=newest, beside=(("steps_back", newest - row.step),))
        return True, (*before, *self.opening.begin(row, course, "R1", self._severity(row), evidence))

    def _severity(self, row: Row) -> Severity:
        """Going back now and then is how a run goes on; several times a day it gets nowhere."""
        if row.t is None:
            return "info"
        self.times.append(row.t)
        return "warning" if len(self.times) == OFTEN and row.t - self.times.values[0] < DAY else "info"

    def _accept(self, row: Row, course: Course) -> bool:
        self.newest = row.step
        self.seen.append(row.step)
        course.n += 1
        course.back = 0
        course.hold = max(0, course.hold - 1)
        course.muted = max(0, course.muted - 1)
        return True
