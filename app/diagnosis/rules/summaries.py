"""``tb_missing``: the log has losses, and the summaries that were to be written hold none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.diagnosis.course import Course
from app.diagnosis.opening import NOTHING, Opening
from app.diagnosis.row import Row
from app.diagnosis.signal import Evidence, Signal

ROWS = 50
SECONDS = 300.0  # summary writers empty their buffers every 120 s


@dataclass(slots=True)
class Summaries:
    """``expects``: this run was to write summaries; ``shown``: a scalar of theirs has been read; ``since`` is the time
    of the first row with a loss (Unix seconds)."""

    opening: Opening = field(default_factory=lambda: Opening("tb_missing"))
    expects: bool = False
    shown: bool = False
    rows: int = 0
    since: float | None = None

    def take(self, row: Row, course: Course) -> Sequence[Signal]:
        """What one more row says."""
        if self.shown:
            return self.opening.end(row, course)
        if not self.expects or row.loss is None or row.t is None:
            return NOTHING
        self.rows += 1
        self.since = row.t if self.since is None else self.since
        waited = row.t - self.since
        if self.rows <= ROWS or waited < SECONDS:
            return NOTHING
        return self.opening.begin(row, course, "B1", "warning", Evidence(waited, points=self.rows))

    def show(self) -> None:
        """A scalar of the summaries was read."""
        self.shown = True
