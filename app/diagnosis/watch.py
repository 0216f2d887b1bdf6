"""All rules of one run over its rows: the one place that knows in which order they speak. Pure; a clock is an argument.

What is said is a function of what was told alone: rows in pieces of any size, or going on from a saved state, make the
same signals at the same rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.diagnosis.causes import explained
from app.diagnosis.course import Course
from app.diagnosis.memory import Saved, restore, save
from app.diagnosis.row import Evaluation, Plan, Row
from app.diagnosis.rule import Rule
from app.diagnosis.rules.divergence import Divergence
from app.diagnosis.rules.finite import Finite
from app.diagnosis.rules.gradient import Gradient
from app.diagnosis.rules.jitter import Jitter
from app.diagnosis.rules.level import Level
from app.diagnosis.rules.loss_scale import LossScale
from app.diagnosis.rules.order import Order
from app.diagnosis.rules.overfit import Overfit
from app.diagnosis.rules.plateau import Plateau
from app.diagnosis.rules.schedule import LearningRate
from app.diagnosis.rules.silence import LEAST, Silence
from app.diagnosis.rules.speed import Speed
from app.diagnosis.rules.spike import Spike
from app.diagnosis.rules.summaries import Summaries
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
    divergence: Divergence = field(default_factory=Divergence)
    jitter: Jitter = field(default_factory=Jitter)
    plateau: Plateau = field(default_factory=Plateau)
    silence: Silence = field(default_factory=Silence)
    scale: LossScale = field(default_factory=LossScale)
    learning_rate: LearningRate = field(default_factory=LearningRate)
    speed: Speed = field(default_factory=Speed)
    overfit: Overfit = field(default_factory=Overfit)
    summaries: Summaries = field(default_factory=Summaries)

    @classmethod
    def of(cls, plan: Plan, *, expects: bool = False, least_silence: float = LEAST) -> Watch:
        """Of a run that has no row yet. ``expects``: it was to write summaries; ``least_silence``: seconds of silence
        that are never a stall."""
        silence, summaries = Silence(least=least_silence), Summaries(expects=expects)
        return cls(Course(plan, interval=plan.interval), silence=silence, summaries=summaries)

    @property
    def rules(self) -> Sequence[Rule]:
        """In the order in which they are asked: what tells others comes before them."""
        told = (self.scale, self.learning_rate, self.finite, self.gradient, self.level)
        loss = (self.spike, self.divergence, self.jitter, self.plateau)
        return (*told, *loss, self.speed, self.overfit, self.summaries)

    def take(self, row: Row) -> Sequence[Signal]:
        """What is to be said after one more row."""
        standing = [*self.course.open]
        counts, said = self.order.take(row, self.course)
        found = [*said, *self.silence.take(row, self.course, counts=counts)]
        if counts:
            for rule in self.rules:
                found += rule.take(row, self.course)
        return explained(found, standing, row)

    def evaluated(self, told: Evaluation) -> Sequence[Signal]:
        """What is to be said after one more evaluation."""
        return self.overfit.evaluated(told, self.course)

    def at(self, now: float) -> Sequence[Signal]:
        """What is to be said at ``now`` (Unix seconds) of no row having come; not to be asked of a run that is over."""
        return self.silence.at(now, self.course)

    def show(self) -> None:
        """A scalar of the summaries has been read."""
        self.summaries.show()

    def save(self) -> Saved:
        """Everything that is remembered, as JSON values."""
        return save(self)

    @classmethod
    def restore(cls, saved: Saved) -> Watch:
        """One that goes on where ``save`` was called."""
        return restore(cls, saved)
