"""How much history is still to be read. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from collector.tracked import Tracked

MOST_RUNS = 2000  # named in a sign of life, those with most to read


@dataclass(frozen=True, slots=True)
class Backlog:
    """Bytes of all followed files, how many of them are read, how many files have more, and the same of each run that
    has: ``runs`` maps its id to (read, total)."""

    read: int = 0
    total: int = 0
    files: int = 0
    runs: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """What is read, from 0 to 1, never 1 while something is left."""
        return self.read / self.total if self.total else 1.0


def backlog_of(roster: Iterable[Tracked]) -> Backlog:
    """The backlog of all followed files; a file that cannot be read any further, or waits for its end, has none."""
    read = total = files = 0
    runs: dict[str, list[int]] = {}
    late: set[str] = set()
    for tracked in roster:
        size = tracked.stat.size if tracked.stat else 0
        done = size - tracked.unread if tracked.behind else size
        sums = runs.setdefault(tracked.run.id, [0, 0])
        sums[0] += done
        sums[1] += size
        read, total = read + done, total + size
        if tracked.behind:
            files += 1
            late.add(tracked.run.id)
    most = sorted(late, key=lambda run: runs[run][0] - runs[run][1])[:MOST_RUNS]
    return Backlog(read, total, files, {run: (runs[run][0], runs[run][1]) for run in most})
