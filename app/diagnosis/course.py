"""What one row's rules tell one another: where the run is, and what the rules before have found at this row."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.diagnosis.memory import Ring
from app.diagnosis.reading import Bump, Reading
from app.diagnosis.row import Declared, Plan

HOLD = 12  # rows after a step that went back: the first of them has compile time in it, data and moments are cold
MUTED = 250  # rows after a declared change of data or learning rate


@dataclass(slots=True)
class Course:
    """``n`` counts accepted rows, ``interval`` is steps between two of them (running median), ``back`` how many rows
    this one goes back: the model is the one of that time again. ``hold`` is for how many rows nothing that needs a
    settled run is said, ``muted`` the same after something was declared. ``ratios`` are the newest
    five of gradient norm over its baseline; ``exploding`` for how many rows grad_explode is open (0 = it is not)."""

    plan: Plan = field(default_factory=Plan)
    n: int = 0
    interval: float = 1.0
    back: int = 0
    hold: int = 0
    muted: int = 0
    ratios: Ring = field(default_factory=lambda: Ring(5))
    exploding: int = 0
    loss: Reading = field(default_factory=Reading)
    bump: Bump | None = None  # its rows are not the baseline's
    open: list[str] = field(default_factory=list)  # classes that are open now
    lr_most: float = 0.0  # highest learning rate so far
    lr_now: float | None = None

    @property
    def is_settled(self) -> bool:
        return not self.hold and not self.muted

    def is_warm(self, step: int) -> bool:
        """Past the warm-up, as far as anybody told how long it is."""
        return step > self.plan.warmup

    def declared_at(self, before: int, step: int) -> list[Declared]:
        """What was declared for steps after ``before`` up to ``step``."""
        return [one for one in self.plan.declared if before < one.step <= step]
