"""What the learning rate was at each step: few knots, however long the run is."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TypeVar

KNOTS = 256  # at most; when they are full, every second one goes, but not the first: a run may begin again there

Number = TypeVar("Number")


@dataclass(slots=True)
class Learned:
    """A knot is kept every ``every`` rows; ``rows`` counts them."""

    steps: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    every: int = 1
    rows: int = 0
    last: int = -1  # highest step that was learnt

    def take(self, step: int, value: float) -> None:
        """One more row; a step that is known already changes nothing."""
        if step <= self.last:
            return
        self.last = step
        self.rows += 1
        if self.rows % self.every:
            return
        self.steps.append(step)
        self.values.append(value)
        if len(self.steps) >= KNOTS:
            self.steps, self.values = _thinned(self.steps), _thinned(self.values)
            self.every *= 2

    def at(self, step: int) -> tuple[float, float] | None:
        """The least and the highest value of the knots around ``step``; None beyond the last one."""
        if not self.steps or not self.steps[0] <= step <= self.steps[-1]:
            return None
        high = bisect_left(self.steps, step)
        around = self.values[high if self.steps[high] == step else high - 1 : high + 1]
        return min(around), max(around)

    def forget_from(self, step: int) -> None:
        """From ``step`` on another schedule holds."""
        keep = bisect_left(self.steps, step)
        del self.steps[keep:], self.values[keep:]
        self.last = min(self.last, step - 1)


def _thinned(knots: list[Number]) -> list[Number]:
    return knots[:1] + knots[1::2]
