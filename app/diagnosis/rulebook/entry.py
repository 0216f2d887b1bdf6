"""One part of a rule in words."""

from __future__ import annotations

import math
from dataclasses import dataclass

from app.diagnosis.signal import Class


@dataclass(frozen=True, slots=True)
class Entry:
    """What a part of a rule ``says``, its ``threshold``, and after how many rows from the onset at the soonest; noise
    and small faults take longer."""

    about: Class
    part: str
    says: str
    threshold: str
    delay: str


def share(part: float) -> str:
    """0.05 → 5 %."""
    return f"{100 * part:.3g} %"


def grown(log: float) -> str:
    """A difference of logarithms as a factor."""
    return f"{math.exp(log):.3g}×"


def more(log: float) -> str:
    """A difference of logarithms as what is more."""
    return share(math.exp(log) - 1)
