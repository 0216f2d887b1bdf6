"""What a rule says of a run: which rule, how bad, how often. Words are the page's business."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Rule = Literal["nan_inf", "nan_stop", "norm_stop", "overflow", "skipped", "unhealthy", "unreadable"]
Severity = Literal["good", "past", "warning", "critical"]
"""``past``: it was bad, and training has gone on past it since."""


@dataclass(frozen=True, slots=True)
class Finding:
    """``count`` is how many points, steps or records it rests on; None for good news and for a stop told in words.
    ``step`` is where a stop was that is past."""

    rule: Rule
    severity: Severity
    count: int | None = None
    step: int | None = None

    @property
    def is_trouble(self) -> bool:
        """Whether somebody has to know of it now."""
        return self.severity in ("warning", "critical")
