"""``custom``: what people want to be told of any metric or tag, in their own words. Streaming, like every other rule.

A rule sees the points of its own series alone, so that rows of different rhythm do not disturb one another.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Literal

from app.diagnosis.course import Course
from app.diagnosis.memory import Ring
from app.diagnosis.opening import NOTHING, Opening
from app.diagnosis.row import Row
from app.diagnosis.signal import Evidence, Severity, Signal

Condition = Literal["above", "below", "rises_by", "falls_by", "not_finite", "missing_for"]
LONGEST = 10_000  # points that a change may be asked for over
ENDS = 5  # points at each end of the stretch that a change is measured between: their medians


@dataclass(frozen=True, slots=True)
class UserRule:
    """``metric`` is a canonical name, or ``tag`` one of a file; ``number`` the threshold, a share of one for changes,
    seconds for ``missing_for``. It has to hold for ``rows`` points one after the other, or ``seconds`` long by the
    run's clock; ``within`` is the stretch of points that a change is measured over. ``runs`` are patterns of run ids,
    none: all."""

    name: str
    condition: Condition
    number: float = 0.0
    metric: str = ""
    tag: str = ""
    rows: int = 1
    seconds: float = 0.0
    within: int = 100
    severity: Severity = "warning"
    runs: tuple[str, ...] = ()


@dataclass(slots=True)
class Custom:
    """State of one rule of one run. ``held`` and ``free`` count points one after the other for which it holds and does
    not, ``since`` is the time of the first of those that it holds for; ``heard`` when the newest point was written."""

    rule: UserRule
    course: Course = field(default_factory=Course)
    opening: Opening = field(default_factory=lambda: Opening("custom"))
    window: Ring = field(default_factory=lambda: Ring(LONGEST))
    held: int = 0
    free: int = 0
    since: float | None = None
    first: int = 0
    heard: float | None = None
    newest: int = 0

    @classmethod
    def of(cls, rule: UserRule) -> Custom:
        """Of a run that has no point yet."""
        return cls(rule, window=Ring(rule.within))

    def take(self, step: int, t: float | None, value: float) -> Sequence[Signal]:
        """One more point; ``t`` in Unix seconds by the run's clock, None without one."""
        self.course.n += 1
        self.heard, self.newest = (self.heard if t is None else t), step
        if self.rule.condition == "missing_for":
            return self._release(Row(step, t), value)
        measured = self._measure(value)
        holds = measured is not None and self._holds(measured)
        if not holds and not self.opening.is_open:
            self.held = 0
            return NOTHING
        row = Row(step, t)
        return self._hold(row, measured) if holds and measured is not None else self._release(row, value)

    def at(self, now: float) -> Sequence[Signal]:
        """It is ``now`` by the run's clock (Unix seconds), and no point has come."""
        if self.rule.condition != "missing_for":
            return NOTHING
        if self.heard is None:
            self.heard = now  # nothing can have been missing for longer than it is waited for
        if now - self.heard < self.rule.number:
            return NOTHING
        row = Row(self.newest, now)
        evidence = Evidence(now - self.heard, beside=(("threshold", self.rule.number),))
        return self.opening.begin(row, self.course, self.rule.name, self.rule.severity, evidence)

    def _measure(self, value: float) -> float | None:
        """What is compared: the value, or by which share it has changed; None where that is not known yet."""
        if self.rule.condition not in ("rises_by", "falls_by"):
            return value
        if not math.isfinite(value):
            return None
        self.window.append(value)
        if len(self.window) < self.rule.within:
            return None
        few = max(1, min(ENDS, self.rule.within // 4))
        before, now = median(self.window.values[:few]), median(self.window.values[-few:])
        return None if before == 0 else (now - before) / abs(before)

    def _holds(self, measured: float) -> bool:
        condition, number = self.rule.condition, self.rule.number
        if condition == "not_finite":
            return not math.isfinite(measured)
        if condition in ("above", "rises_by"):
            return measured > number
        return measured < (number if condition == "below" else -number)

    def _hold(self, row: Row, measured: float) -> Sequence[Signal]:
        if not self.held:
            self.since, self.first = row.t, row.step
        self.held, self.free = self.held + 1, 0
        is_long = row.t is not None and self.since is not None and row.t - self.since >= self.rule.seconds
        if self.held < self.rule.rows or (self.rule.seconds and not is_long):
            return NOTHING
        evidence = self._evidence(measured)
        return self.opening.begin(row, self.course, self.rule.name, self.rule.severity, evidence, self.first)

    def _release(self, row: Row, value: float) -> Sequence[Signal]:
        self.held, self.free = 0, self.free + 1
        if not self.opening.is_open or self.free < self.rule.rows:
            return NOTHING
        return self.opening.end(row, self.course, self._evidence(value))

    def _evidence(self, value: float) -> Evidence:
        beside = () if self.rule.condition == "not_finite" else (("threshold", self.rule.number),)
        return Evidence(value, points=max(1, self.held), beside=beside)
