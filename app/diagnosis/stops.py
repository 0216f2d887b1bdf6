"""Whether the stops of a run (by NaN, by its gradient norm) are news or history. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

BEYOND = 3.0  # log intervals: the line of a stop may be earlier than the last records of its own attempt, by no more


@dataclass(frozen=True, slots=True)
class Stops:
    """``open`` counts the lines that training has not gone past; ``past`` is the furthest one that it has."""

    open: int = 0
    past: int | None = None


def stops(steps: Iterable[int | None], newest: int | None, interval: float) -> Stops:
    """``steps`` of the lines that tell of a stop; ``newest`` is where training is now, which logs every ``interval``
    steps. A stop ends its job, so whoever is well beyond it has been started again."""
    edge = float("-inf") if newest is None else newest - BEYOND * interval
    known = list(steps)
    past = [step for step in known if step is not None and step < edge]
    return Stops(len(known) - len(past), max(past, default=None))
