"""``stall``: no row for far longer than this run's pauses are. The only rule that speaks without a row.

What its pauses are is learnt: the usual one, the longest of late (evaluations, checkpoints), and notable ones of long
ago, since an evaluation every 2,000 rows is as usual as one every 50.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.diagnosis.course import Course
from app.diagnosis.memory import Window
from app.diagnosis.opening import NOTHING, Opening
from app.diagnosis.row import Row
from app.diagnosis.signal import Evidence, Signal

RECENT = 300  # pauses
KNOWN = 10  # pauses before they are believed
UNKNOWN = 1800.0  # seconds until then: compiling a graph takes as long
MEDIANS, LONGEST, NOTABLE = 20.0, 2.5, 1.5
LONG = 5.0  # medians: a pause worth remembering
REMEMBERED = 8
LEAST = 60.0  # seconds: shorter silence is nobody's business


@dataclass(slots=True)
class Silence:
    """``heard`` is the newest row's time (Unix seconds), ``step`` its step; ``notable`` long pauses of any age;
    ``patience`` what the pauses allow (seconds), as of the newest row."""

    opening: Opening = field(default_factory=lambda: Opening("stall"))
    pauses: Window = field(default_factory=lambda: Window(RECENT))
    notable: list[float] = field(default_factory=list)
    heard: float | None = None
    step: int = 0
    printed: float = 0.0  # seconds that the rows' own step times say a row takes
    least: float = LEAST

    def at(self, now: float, course: Course) -> Sequence[Signal]:
        """What is to be said at ``now`` (Unix seconds), before a row or without one. The signal's time is the moment
        at which patience ended, its step the last one that was seen."""
        if self.heard is None or self.opening.is_open or self._is_done(course):
            return NOTHING
        patience = self.patience()
        if now - self.heard <= patience:
            return NOTHING
        usual = self.pauses.median if len(self.pauses) else None
        evidence = Evidence(now - self.heard, usual, beside=(("patience", patience),), points=len(self.pauses))
        last = Row(self.step, self.heard + patience)
        return self.opening.begin(last, course, "Q1", "critical", evidence, self.step)

    def take(self, row: Row, course: Course, *, counts: bool) -> Sequence[Signal]:
        """A row was written: it ends the silence. One that does not count shows life, but is no pause's end."""
        if row.t is None:
            return NOTHING
        before = self.heard
        went_on = counts and row.step > self.step
        was_open = self.opening.is_open
        said = self.opening.end(row, course)
        self.opening.cold = -1  # each silence is one of its own
        self.heard = row.t if before is None else max(before, row.t)
        self.step = row.step if counts else self.step
        if row.step_time is not None and 0 < row.step_time < math.inf:
            self.printed = row.step_time * course.interval
        if before is not None and went_on and course.n > 1:
            self._learn(row.t - before, was_open=was_open)
        return said

    def _learn(self, pause: float, *, was_open: bool) -> None:
        if pause < 0:
            return
        if len(self.pauses) >= KNOWN and pause > LONG * self.pauses.median:
            self.notable = [*self.notable, pause / (LONGEST if was_open else 1.0)][-REMEMBERED:]
        if not was_open:
            self.pauses.append(pause)

    def patience(self) -> float:
        """Seconds of silence that are nothing unusual."""
        if len(self.pauses) < KNOWN:
            return max(UNKNOWN, MEDIANS * self.printed)
        longest = LONGEST * self.pauses.ordered[-1]
        return max(MEDIANS * self.pauses.median, longest, NOTABLE * max(self.notable, default=0.0), self.least)

    def _is_done(self, course: Course) -> bool:
        """Whether no further row is due: the last planned step may lie between two that are logged."""
        return 0 < course.plan.total_steps < self.step + course.interval
