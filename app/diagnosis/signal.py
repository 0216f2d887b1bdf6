"""What a rule says at a row: that something began, is worse than it was, or is over. Words are others' business."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Class = Literal[
    "nan_inf",
    "loss_spike",
    "divergence",
    "jitter",
    "plateau",
    "overfit",
    "grad_explode",
    "grad_vanish",
    "loss_scale",
    "rank_outlier",
    "tb_missing",
    "stall",
    "throughput",
    "step_regress",
    "lr_anomaly",
    "custom",
]
"""``custom`` is a rule that people wrote themselves; ``Signal.rule`` is its name, so it is part of who it is."""

Severity = Literal["info", "warning", "critical"]
Act = Literal["raise", "update", "clear"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The numbers that a rule used. ``median`` and ``sigma`` are those of the baseline, in the unit of ``value``; ``z``
    how many sigmas ``value`` is away, ``ratio`` value over median; ``points`` how many rows it rests on. ``beside``
    says what else speaks for it: name of a number → the number."""

    value: float | None = None
    median: float | None = None
    sigma: float | None = None
    z: float | None = None
    ratio: float | None = None
    points: int = 1
    beside: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Signal:
    """``rule`` is the rule's part that spoke (``S1``); ``first_step`` where it began, ``step`` the row at which it is
    said, at ``t``. ``rank`` names the rank of rank rules, ``cause`` the class that was open already and explains this
    one: then it is a consequence, in the record but no alert of its own."""

    act: Act
    about: Class
    rule: str
    severity: Severity
    step: int
    first_step: int
    t: float | None
    evidence: Evidence = Evidence()
    rank: int | None = None
    cause: Class | None = None
