"""Which files have something to read, and in which order they get their turns. Pure.

Three lanes: what has been read to its end and grew since; the backlog of files that grow now; that of all others.
So the newest points of a run that goes on never wait for gigabytes of history. In each lane who waits longest is first,
and who has more to read goes to the end: that shares the time among all files of a backlog.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from collector.tracked import Tracked

LANES = 3
TURN_COST = 16 * 1024  # bytes that could be read in the time that a turn takes which reads nothing


class Ready:
    """Paths that wait for their turn; each is in one lane."""

    def __init__(self) -> None:
        self._lanes: tuple[dict[str, None], ...] = tuple({} for _ in range(LANES))

    def __bool__(self) -> bool:
        return any(self._lanes)

    @property
    def backlog(self) -> bool:
        """Whether history waits, and not only what was just written."""
        return any(self._lanes[1:])

    def put(self, now: float, files: Iterable[Tracked]) -> None:
        """Let files wait in the lane that fits them at ``now``; who waits there already keeps the place."""
        for tracked in files:
            mine = self._lanes[tracked.lane(now)]
            for lane in self._lanes:
                if lane is not mine:
                    lane.pop(tracked.path, None)
            mine[tracked.path] = None

    def take(self, paths: Mapping[str, Tracked], budget: int) -> list[list[Tracked]]:
        """Who has a turn in this step, lane by lane: as many as ``budget`` bytes allow, but of each lane at least one,
        so that none starves."""
        chosen: list[list[Tracked]] = []
        for lane in self._lanes:
            mine: list[Tracked] = []
            while lane and (budget > 0 or not mine):
                path = next(iter(lane))
                del lane[path]
                if path in paths:
                    mine.append(paths[path])
                    budget -= TURN_COST + min(paths[path].unread, paths[path].bound)
            chosen.append(mine)
        return chosen
