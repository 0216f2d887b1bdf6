"""One class of trouble as an episode: it opens once, may grow worse, ends, and does not open again at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.diagnosis.course import Course
from app.diagnosis.row import Row
from app.diagnosis.signal import Act, Class, Evidence, Severity, Signal

NOTHING: Sequence[Signal] = ()
NONE = Evidence()
COOL = 25  # rows after the end in which the same class does not open again
GRAVITY: dict[Severity, int] = {"info": 0, "warning": 1, "critical": 2}


@dataclass(slots=True)
class Opening:
    """State of the episode of one class. ``first`` is its first step, ``cold`` the row until which it stays shut."""

    about: Class
    cool: int = COOL
    is_open: bool = False
    first: int = 0
    cold: int = -1
    part: str = ""
    severity: Severity = "warning"
    since: int = 0  # row number at which it opened

    def begin(
        self, row: Row, course: Course, part: str, severity: Severity, evidence: Evidence, first: int | None = None
    ) -> Sequence[Signal]:
        """Open it, or say that it is graver than it was; nothing while it is cooling down or as grave already."""
        if self.is_open:
            if GRAVITY[severity] <= GRAVITY[self.severity]:
                return NOTHING
            self.severity, self.part = severity, part
            return (self._say("update", row, evidence),)
        if course.n <= self.cold:
            return NOTHING
        self.is_open, self.first, self.since = True, row.step if first is None else first, course.n
        self.severity, self.part = severity, part
        course.open.append(self.about)
        return (self._say("raise", row, evidence),)

    def tell(self, row: Row, evidence: Evidence) -> Sequence[Signal]:
        """Say how it stands now, without being graver: a new peak."""
        return (self._say("update", row, evidence),) if self.is_open else NOTHING

    def end(self, row: Row, course: Course, evidence: Evidence = NONE) -> Sequence[Signal]:
        """Close it, if it is open."""
        if not self.is_open:
            return NOTHING
        self.is_open, self.cold = False, course.n + self.cool
        course.open.remove(self.about)
        return (self._say("clear", row, evidence),)

    def _say(self, act: Act, row: Row, evidence: Evidence) -> Signal:
        return Signal(act, self.about, self.part, self.severity, row.step, self.first, row.t, evidence)
