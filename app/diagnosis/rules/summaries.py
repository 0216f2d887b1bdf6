"""``tb_missing``: the log has losses, and the summaries that were to be written hold none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.diagnosis.course import Course
from app.diagnosis.opening import NOTHING, Opening
from app.diagnosis.row import Row
from app.diagnosis.signal import Evidence, Severity, Signal

ROWS = 50
UNASKED = "B3"  # the part of runs that nobody wanted summaries of: worth a note, no more
SECONDS = 300.0  # summary writers empty their buffers every 120 s


@dataclass(slots=True)
class Summaries:
    """``expects``: this run was to write summaries; ``shown``: a scalar of theirs has been read; ``since`` is the time
    of the first row with a loss (Unix seconds), ``first`` its step. ``part`` says why there is none
    (app.diagnosis.unwritten), of so many ``files``, ``sealed`` of which cannot be read."""

    opening: Opening = field(default_factory=lambda: Opening("tb_missing"))
    expects: bool = False
    shown: bool = False
    rows: int = 0
    since: float | None = None
    first: int = 0
    part: str = "B1"
    files: int = 0
    sealed: int = 0

    def take(self, row: Row, course: Course) -> Sequence[Signal]:
        """What one more row says. The episode begins with the first loss, whenever it is known why."""
        if self.shown:
            return self.opening.end(row, course)
        if row.loss is None or row.t is None:
            return NOTHING
        if self.since is None:
            self.since, self.first = row.t, row.step
        self.rows += 1
        waited, unasked = row.t - self.since, self.part == UNASKED and not self.expects
        if self.rows <= ROWS or waited < SECONDS or not (self.expects or unasked):
            return NOTHING
        beside = tuple((name, float(count)) for name, count in self._counts if count)
        severity: Severity = "info" if unasked else "warning"
        evidence = Evidence(waited, points=self.rows, beside=beside)
        return self.opening.begin(row, course, self.part, severity, evidence, self.first)

    def because(self, part: str, files: int, sealed: int, *, expects: bool) -> None:
        """Why there is none, as far as is known now."""
        self.part, self.files, self.sealed, self.expects = part, files, sealed, expects

    @property
    def _counts(self) -> Sequence[tuple[str, int]]:
        return ("empty_files", self.files - self.sealed), ("sealed_files", self.sealed)

    def show(self) -> None:
        """A scalar of the summaries was read."""
        self.shown = True
