"""All rules of one run over its rows: the one place that knows in which order they speak. Pure; a clock is an argument.

What is said is a function of the rows alone: rows in pieces of any size, or going on from a saved state, make the same
signals at the same rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.diagnosis.course import Course
from app.diagnosis.memory import Saved, restore, save
from app.diagnosis.row import Plan, Row
from app.diagnosis.rule import Rule
from app.diagnosis.rules.drift import Drift
from app.diagnosis.rules.finite import Finite
from app.diagnosis.rules.gradient import Gradient
from app.diagnosis.rules.jitter import Jitter
from app.diagnosis.rules.level import Level
from app.diagnosis.rules.order import Order
from app.diagnosis.rules.plateau import Plateau
from app.diagnosis.rules.spike import Spike
from app.diagnosis.signal import Signal


@dataclass(slots=True)
class Watch:
    """The rules with all that they remember."""

    course: Course = field(default_factory=Course)
    order: Order = field(default_factory=Order)
    finite: Finite = field(default_factory=Finite)
    gradient: Gradient = field(default_factory=Gradient)
    level: Level = field(default_factory=Level)
    spike: Spike = field(default_factory=Spike)
    drift: Drift = field(default_factory=Drift)
    jitter: Jitter = field(default_factory=Jitter)
    plateau: Plateau = field(default_factory=Plateau)

    @classmethod
    def of(cls, plan: Plan) -> Watch:
        """Of a run that has no row yet."""
        return cls(Course(plan, interval=plan.interval))

    @property
    def rules(self) -> Sequence[Rule]:
        """In the order in which they are asked: what tells others comes before them."""
        return self.finite, self.gradient, self.level, self.spike, self.drift, self.jitter, self.plateau

    def take(self, row: Row) -> list[Signal]:
        """What is to be said after one more row."""
        counts, said = self.order.take(row, self.course)
        found = list(said)
        if counts:
            for rule in self.rules:
                found += rule.take(row, self.course)
        return found

    def save(self) -> Saved:
        """Everything that is remembered, as JSON values."""
        return save(self)

    @classmethod
    def restore(cls, saved: Saved) -> Watch:
        """One that goes on where ``save`` was called."""
        return restore(cls, saved)
