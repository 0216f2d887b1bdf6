"""When each file is looked at next. Pure."""

from __future__ import annotations

import heapq

from collector.tracked import Tracked


class Agenda:
    """A heap of files by the time of their next look; entries that a later ``note`` has overtaken are passed over."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, str]] = []

    def note(self, tracked: Tracked) -> None:
        """It is to be looked at when its ``look_at`` says."""
        heapq.heappush(self._heap, (tracked.look_at, tracked.path))

    def due(self, now: float, paths: dict[str, Tracked], most: int) -> list[Tracked]:
        """At most ``most`` of the files whose time has come, the longest overdue first."""
        found: list[Tracked] = []
        while self._heap and self._heap[0][0] <= now and len(found) < most:
            at, path = heapq.heappop(self._heap)
            tracked = paths.get(path)
            if tracked is not None and tracked.look_at == at:
                found.append(tracked)
        return found

    @property
    def next(self) -> float:
        """When somebody may be due; infinity when nobody is."""
        return self._heap[0][0] if self._heap else float("inf")
