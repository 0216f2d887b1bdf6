"""What every rule is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from app.diagnosis.course import Course
from app.diagnosis.row import Row
from app.diagnosis.signal import Signal


class Rule(Protocol):
    """State of one rule: a dataclass that app.diagnosis.memory can save. Work and memory of a row are constant."""

    def take(self, row: Row, course: Course) -> Sequence[Signal]:
        """What the row makes the rule say; ``course`` tells and is told."""
        ...
