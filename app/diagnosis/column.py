"""The points of one series as they are taken one by one: those that were read and not used yet. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import isnan

Point = tuple[int, float, float]
"""step, wall (Unix seconds, NaN without a clock), value"""


@dataclass(slots=True)
class Column:
    """``taken`` points were used, the last of them ``last``; ``waiting`` follow them. ``whole``: nothing more was
    stored when it was read last. ``again`` tells a series that goes on from one that was written anew."""

    sid: str
    taken: int = 0
    last: Point | None = None
    waiting: deque[Point] = field(default_factory=deque)
    whole: bool = True

    @property
    def read(self) -> int:
        """How many points were read."""
        return self.taken + len(self.waiting)

    @property
    def newest(self) -> Point | None:
        """The last point that was read."""
        return self.waiting[-1] if self.waiting else self.last

    def add(self, points: Iterable[Point], *, whole: bool) -> None:
        """What follows the points that were read; ``whole``: nothing follows them."""
        self.waiting.extend(points)
        self.whole = whole

    def take(self) -> Point:
        """Use the next point."""
        self.last = self.waiting.popleft()
        self.taken += 1
        return self.last

    def at(self, step: int, wall: float) -> float | None:
        """The value of a row, used with all that older rows left; None when it has none."""
        waiting = self.waiting
        while waiting:
            head = waiting[0]
            if head[0] == step:
                return self.take()[2]
            if not is_older(head, step, wall):
                return None
            self.take()
        return None


def is_older(point: Point, step: int, wall: float) -> bool:
    """Whether a point of another step belongs to an earlier row: by the clocks, without them by steps."""
    if isnan(point[1]) or isnan(wall):
        return point[0] < step
    return point[1] < wall


def same(one: Point | None, other: Point | None) -> bool:
    """Bit by bit, as far as numbers tell: NaN is equal to NaN."""
    return repr(one) == repr(other)
