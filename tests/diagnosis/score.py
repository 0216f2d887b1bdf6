"""What was said against what was to be found.

A label is found by a raise of its class in [start - 2 intervals, deadline], naming its rank where both name one. Later
but before its end is late: a miss, not a false alarm. Repeats of a class inside its label, and classes that may follow
from a label, count for nothing. Everything else is a false alarm, those of a class within 50 rows are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from app.diagnosis.signal import Signal
from tests.diagnosis.simulate.cases import Label, Labelled

BEFORE = 2  # intervals
TOGETHER = 50  # rows


@dataclass
class Tally:
    """Of one class; ``delays`` in rows, ``missed`` and ``false`` by the kind of the case."""

    found: int = 0
    late: int = 0
    delays: list[float] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float | None:
        return self.found / (self.found + len(self.missed)) if self.found or self.missed else None

    @property
    def precision(self) -> float | None:
        return self.found / (self.found + len(self.false)) if self.found or self.false else None

    @property
    def delay(self) -> float | None:
        return median(self.delays) if self.delays else None


@dataclass
class Score:
    """By class; false alarms of healthy cases with the rows of these."""

    classes: dict[str, Tally] = field(default_factory=dict)
    rows: int = 0
    false: int = 0
    critical: int = 0

    def of(self, about: str) -> Tally:
        return self.classes.setdefault(about, Tally())

    def add(self, one: Labelled, said: Iterable[Signal]) -> None:
        """Count a case."""
        raised = [signal for signal in said if signal.act == "raise"]
        used = {k for label in one.labels for k in self._match(one, label, raised)}
        false = alone(one, [signal for k, signal in enumerate(raised) if k not in used])
        for signal in false:
            self.of(signal.about).false.append(f"{one.case.name}@{signal.step}")
        if not one.labels:
            self.rows += len(one.case.rows)
            self.false += len(false)
            self.critical += sum(signal.severity == "critical" for signal in false)

    def _match(self, one: Labelled, label: Label, raised: Sequence[Signal]) -> list[int]:
        li, tally = one.case.plan.interval, self.of(label.about)
        last = max(label.end, label.deadline)
        near = [k for k, signal in enumerate(raised) if is_of(signal, label, label.start - BEFORE * li, last)]
        steps = [raised[k].step for k in near]
        if steps and steps[0] <= label.deadline:
            tally.found += 1
            tally.delays.append(max(0.0, (steps[0] - label.start) / li))
        else:
            tally.late += bool(steps)
            tally.missed.append(one.case.name + (" late" if steps else ""))
        return near


def is_of(signal: Signal, label: Label, first: float, last: float) -> bool:
    """Whether a raise may be the label's."""
    is_rank = label.rank is None or signal.rank is None or signal.rank == label.rank
    return signal.about == label.about and is_rank and first <= signal.step <= last


def alone(one: Labelled, raised: Sequence[Signal]) -> list[Signal]:
    """False alarms: what no label and no consequence explains, the first of each cluster."""
    li = one.case.plan.interval
    since = min((label.start for label in one.labels), default=0) - (BEFORE + 6) * li
    newest: dict[str, int] = {}
    found = []
    for signal in raised:
        if signal.about in one.allowed and signal.step >= since:
            continue
        if signal.step - newest.get(signal.about, -(10**9)) > TOGETHER * li:
            found.append(signal)
        newest[signal.about] = signal.step
    return found
