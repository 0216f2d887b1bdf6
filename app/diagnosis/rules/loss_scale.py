"""``loss_scale``: FP16 training overflows so often that its loss scale keeps falling, or has come to its floor.

A scale that halves now and then and grows again (a saw-tooth) is sound, and so is the search for the first scale, which
may halve it twenty times. A scale that never moves (BF16, a fixed one) says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.diagnosis.course import Course
from app.diagnosis.memory import Ring
from app.diagnosis.opening import NOTHING, Opening
from app.diagnosis.row import Row
from app.diagnosis.signal import Evidence, Severity, Signal

SEARCH = 60  # rows in which the first scale may be searched for
NEAR, FAR = 40, 200  # rows of a steep fall, and of a slow one
STEEP, SLOW = 5.0, 6.0  # halvings
SEEN = 100  # rows among which overflows are counted
OFTEN = 8  # of them: 40 times what a scale that is doubled every 1,000 steps and halved once makes
SELDOM = 2


@dataclass(slots=True)
class LossScale:
    """Scales are logarithms to base 2, those of the search are left out. ``shocks`` are 1 for a row that overflowed (or
    whose scale fell, where rows do not say whether they overflowed), else 0; ``quiet`` counts rows without either."""

    opening: Opening = field(default_factory=lambda: Opening("loss_scale"))
    scales: Ring = field(default_factory=lambda: Ring(FAR))
    shocks: Ring = field(default_factory=lambda: Ring(SEEN))
    rows: int = 0
    last: float | None = None
    quiet: int = 0
    has_moved: bool = False
    has_grown: bool = False
    has_flags: bool = False
    shaken: int = 0  # sum of ``shocks``
    most: float = -math.inf  # highest scale ever

    def take(self, row: Row, course: Course) -> Sequence[Signal]:
        """What one row's scale makes of it; a row without one tells nothing."""
        scale = row.loss_scale
        if scale is None or not 0 < scale < math.inf:
            return NOTHING
        self._note(math.log2(scale), row.overflow)
        if not self.has_moved or not len(self.scales):
            return NOTHING
        part = self._part()
        if part is not None:
            grave: Severity = "critical" if part == "L3" else "warning"
            return self.opening.begin(row, course, part, grave, self._evidence(row))
        if self.opening.is_open and self.rows > SEEN and self.shaken <= SELDOM and self._fallen(NEAR) <= SELDOM:
            return self.opening.end(row, course, self._evidence(row))
        return NOTHING

    def _note(self, scale: float, overflow: bool) -> None:
        before = scale if self.last is None else self.last
        self.rows, self.last = self.rows + 1, scale
        self.has_flags |= overflow
        self.has_grown |= scale > before
        moved = scale != before or overflow
        self.has_moved |= moved
        self.quiet = 0 if moved else self.quiet + 1
        if self.rows <= SEARCH and not self.has_grown:
            return
        self.most = max(self.most, scale)
        self.scales.append(scale)
        if len(self.shocks) == SEEN:
            self.shaken -= int(self.shocks.values[0])
        self.shocks.append(int(overflow if self.has_flags else scale < before))
        self.shaken += int(self.shocks.values[-1])

    def _part(self) -> str | None:
        """Which way the scale is not sound, None when it is."""
        scales = self.scales.values
        if scales[-1] <= 0 < self.most and max(scales) > 2:
            return "L3"
        if self.quiet >= NEAR:
            return None
        if self.shaken >= OFTEN:
            return "L2"
        return "L1" if self._fallen(NEAR) >= STEEP or self._fallen(FAR) >= SLOW else None

    def _fallen(self, rows: int) -> float:
        """Halvings that the scale is below the highest of the newest rows."""
        scales = self.scales.values
        return max(scales if rows >= len(scales) else scales[-rows:]) - scales[-1]

    def _evidence(self, row: Row) -> Evidence:
        fallen = self._fallen(FAR)
        return Evidence(
            row.loss_scale,
            points=max(1, len(self.shocks)),
            beside=(("overflows", self.shaken), ("halvings", fallen)),
        )
