"""What a rule says of a run: which rule, how bad, how often. Words are the page's business."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Rule = Literal["nan_inf", "nan_stop", "norm_stop", "overflow", "skipped", "unhealthy", "unreadable"]
Severity = Literal["good", "warning", "critical"]


@dataclass(frozen=True, slots=True)
class Finding:
    """``count`` is how many points, steps or records it rests on; None for good news and for a stop told in words."""

    rule: Rule
    severity: Severity
    count: int | None = None
