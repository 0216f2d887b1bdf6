"""Signals of many ranks as few findings: a thousand ranks that fail together are one thing to tell. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from app.diagnosis.alert import Span, spans
from app.diagnosis.opening import GRAVITY
from app.diagnosis.signal import Class, Severity, Signal

WINDOW = 20.0  # intervals between two rows that two beginnings of one thing lie apart at most


@dataclass(frozen=True, slots=True)
class Joint:
    """Ranks to which the same came within a few rows. ``spans`` are first and last rank of neighbours, ascending;
    ``first`` is the signal of the rank to which it came first; ``order`` lists all ranks as it came to them."""

    about: Class
    rule: str
    severity: Severity
    first: Signal
    last_step: int
    order: tuple[int, ...]
    spans: tuple[Span, ...]

    @property
    def count(self) -> int:
        """How many ranks."""
        return len(self.order)


def together(signals: Iterable[Signal], interval: float = 1.0) -> list[Joint]:
    """Of signals that raise or update and name a rank, what came together, the first to begin first; ``interval`` is
    steps between two rows. What follows within WINDOW of the one before it belongs to it."""
    kinds: dict[tuple[Class, str], list[Signal]] = {}
    for one in signals:
        if one.rank is not None and one.act != "clear":
            kinds.setdefault((one.about, one.rule), []).append(one)
    found = [_joint(some) for mine in kinds.values() for some in _times(mine, WINDOW * interval)]
    return sorted(found, key=lambda one: (one.first.first_step, one.about, one.rule))


def _times(signals: list[Signal], apart: float) -> Iterator[list[Signal]]:
    mine: list[Signal] = []
    for one in sorted(signals, key=lambda one: (one.first_step, one.step, one.rank or 0)):
        if mine and one.first_step - mine[-1].first_step > apart:
            yield mine
            mine = []
        mine.append(one)
    if mine:
        yield mine


def _joint(signals: Sequence[Signal]) -> Joint:
    first = signals[0]
    order = tuple(dict.fromkeys(one.rank for one in signals if one.rank is not None))
    severity = max((one.severity for one in signals), key=lambda one: GRAVITY[one])
    last = max(one.step for one in signals)
    return Joint(first.about, first.rule, severity, first, last, order, spans(order))
