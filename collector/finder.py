"""Which files are there, and when it is time to ask again: walks below the roots, a piece in each step."""

from __future__ import annotations

from collections.abc import Sequence

from collector.follow.discovery import Difference, Snapshot, Walk, difference
from collector.follow.files import Files
from collector.follow.subrun import SubRuns
from collector.runs import select

WALK_ENTRIES = 4000  # names listed in one step: 30 ms on a local disk
SOONEST = 0.05  # seconds between two walks that notifications ask for


class Finder:
    """``snapshot`` is what the last whole walk saw."""

    def __init__(self, roots: Sequence[str]) -> None:
        self.snapshot = Snapshot()
        self.walks = 0  # so many were finished
        self._roots = tuple(roots)
        self._walk: Walk | None = None
        self._subruns = SubRuns()
        self._began = self._due = float("-inf")
        self._took = 0.0  # seconds of the last walk; a quarter of the time may go into walking
        self._again = False

    def hear(self, now: float) -> None:
        """Something appeared: walk soon; a walk costs microseconds an entry, so a large tree not at each word."""
        self._again = True
        self._due = min(self._due, max(now, self._began + max(SOONEST, self.snapshot.entries * 20e-6, 2 * self._took)))

    def wait(self, now: float) -> float:
        """Seconds until there is something to do."""
        return 0.0 if self._walk else max(0.0, self._due - now)

    def look(self, now: float, files: Files, *, idle: float) -> Difference | None:
        """Go on with the walk, or begin one that is due; what it found, at its end. The next is due ``idle`` seconds
        later, unless something is heard."""
        if self._walk is None:
            if now < self._due:
                return None
            self._walk, self._began, self._again = Walk(files, self._roots, select), now, False
        snapshot = self._walk.go(WALK_ENTRIES)
        if snapshot is None:
            return None
        snapshot = self._subruns.joined(files, snapshot)
        found = difference(self.snapshot, snapshot)
        self.snapshot, self._walk = snapshot, None
        self.walks += 1
        self._took = now - self._began
        self._due = self._began + max(idle, snapshot.entries * 40e-6, 4 * self._took)
        if self._again:  # what appeared behind the walk's back
            self.hear(now)
        return found
