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
    """``scales`` are logarithms to base 2; ``shocks`` 1 for a row that overflowed (or whose scale fell, where rows do
    not say whether they overflowed), else 0; ``most`` is the highest scale ever."""

    opening: Opening = field(default_factory=lambda: Opening("loss_scale"))
    scales: Ring = field(default_factory=lambda: Ring(FAR))
    shocks: Ring = field(default_factory=lambda: Ring(SEEN))
    rows: int = 0
    moves: int = 0  # how often the scale has changed
    quiet: int = 0  # rows since it, or an overflow
    has_flags: bool = False
    has_grown: bool = False
    shaken: int = 0  # sum of ``shocks``
    most: float = -math.inf

    def take(self, row: Row, course: Course) -> Sequence[Signal]:
        """What one row's scale makes of it; a row without one tells nothing."""
        scale = row.loss_scale
        if scale is None or not 0 < scale < math.inf:
            return NOTHING
        self._note(math.log2(scale), row.overflow)
        if self.moves == 0 and not self.shaken:
            return NOTHING
        part = self._part()
        if part is not None:
            grave: Severity = "critical" if part == "L3" else "warning"
            return self.opening.begin(row, course, part, grave, self._evidence(row))
        if self.opening.is_open and self.rows > SEEN and self.shaken <= SELDOM and not self._is_falling(SELDOM):
            return self.opening.end(row, course, self._evidence(row))
        return NOTHING

    def _note(self, scale: float, overflow: bool) -> None:
        before = self.scales.values[-1] if len(self.scales) else scale
        self.rows += 1
        self.has_flags |= overflow
        self.has_grown |= scale > before
        if scale != before or overflow:
            self.moves, self.quiet = self.moves + 1, 0
        else:
            self.quiet += 1
        self.most = max(self.most, scale)
        self.scales.append(scale)
        if self._is_searching():
            return
        if len(self.shocks) == SEEN:
            self.shaken -= int(self.shocks.values[0])
        self.shocks.append(int(overflow if self.has_flags else scale < before))
        self.shaken += int(self.shocks.values[-1])

    def _is_searching(self) -> bool:
        return self.rows <= SEARCH and not self.has_grown

    def _part(self) -> str | None:
        """Which way the scale is not sound, None when it is."""
        if self._is_searching():
            return None
        scales = self.scales.values
        if scales[-1] <= 0 < self.most and (self.opening.is_open or not self.has_grown or max(scales) - scales[-1] > 2):
            return "L3"
        if self.quiet >= NEAR:
            return None
        if self.shaken >= OFTEN:
            return "L2"
        return "L1" if self._is_falling(STEEP) or max(self._sound()) - scales[-1] >= SLOW else None

    def _is_falling(self, halvings: float) -> bool:
        newest = self.scales.values[max(0, self._start()) :][-NEAR:]
        return max(newest) - newest[-1] >= halvings

    def _sound(self) -> list[float]:
        return self.scales.values[max(0, self._start()) :]

    def _start(self) -> int:
        """Where in ``scales`` the search was over."""
        return len(self.scales) - len(self.shocks) if self.rows <= FAR else 0

    def _evidence(self, row: Row) -> Evidence:
        fallen = max(self._sound(), default=0.0) - self.scales.values[-1]
        return Evidence(
            row.loss_scale,
            points=max(1, len(self.shocks)),
            beside=(("overflows", self.shaken), ("halvings", fallen)),
        )
