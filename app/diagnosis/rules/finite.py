"""``nan_inf``: a loss or a gradient norm that is no number any more.

N1: the loss is not finite. N2: the gradient norm is not finite, and the row is no overflow that loss scaling skips. N3:
a loss of exactly zero beside a norm that is NaN or missing, after ordinary rows: what some trainers print for a NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.diagnosis.course import Course
from app.diagnosis.opening import NOTHING, Opening
from app.diagnosis.row import Row
from app.diagnosis.signal import Evidence, Severity, Signal

ORDINARY = 6  # losses that were numbers above zero, before a zero means anything
WELL = 20  # finite rows in turn that end it


@dataclass(slots=True)
class Finite:
    """``ordinary`` counts losses above zero, ``bad`` rows of this episode, ``well`` finite rows since the last bad."""

    opening: Opening = field(default_factory=lambda: Opening("nan_inf", cool=0))
    ordinary: int = 0
    bad: int = 0
    well: int = 0

    def take(self, row: Row, course: Course) -> Sequence[Signal]:
        """A raise at the first bad row; graver at the second where the first might have been an overflow."""
        part = self._part(row)
        if part:
            return self._bad(part, row, course)
        if row.loss:
            self.ordinary += 1
        if not self.opening.is_open or (row.loss is None and row.grad_norm is None):
            return NOTHING
        self.well += 1
        if self.well < WELL:
            return NOTHING
        bad, self.bad = self.bad, 0
        return self.opening.end(row, course, Evidence(row.loss, points=bad))

    def _part(self, row: Row) -> str:
        loss, norm = row.loss, row.grad_norm
        if loss is not None and not math.isfinite(loss):
            return "N1"
        is_norm_bad = norm is not None and not math.isfinite(norm)
        if is_norm_bad and not row.overflow:
            return "N2"
        is_zero = loss == 0.0 and self.ordinary >= ORDINARY
        return "N3" if is_zero and (is_norm_bad or norm is None) else ""

    def _bad(self, part: str, row: Row, course: Course) -> Sequence[Signal]:
        self.bad, self.well = self.bad + 1, 0
        value = row.grad_norm if part == "N2" else row.loss
        is_skipped = row.overflow and self.bad == 1
        severity: Severity = "warning" if is_skipped else "critical"
        return self.opening.begin(row, course, part, severity, Evidence(value, points=self.bad))
