"""What keeps the newest content of a run's files from being seen, as far as its collectors say."""

from __future__ import annotations

from collections.abc import Sequence

from app.stored import StoredRun
from collector.wire.records import FileState, Heartbeat

RECENT = 600.0  # seconds; a file that others have outlived by so much was left, and is missed by nobody
BEHIND = 60.0  # seconds that a point may be newer than its file: two clocks differ, and a write takes a while


def trouble(run: StoredRun, following: Sequence[Heartbeat], exact: float | None) -> str | None:
    """One line of what the collector met, or "" when the newest point was written at ``exact`` (Unix seconds by a clock
    that can be trusted; None: it cannot), long after its file is said to have changed; None when all is well."""
    met = [told for beat in following for one in beat.problems if (told := _told(one, run)) is not None]
    if met:
        return met[0]
    changed = max((one.mtime for one in run.cursors.values()), default=None)
    return "" if changed is not None and exact is not None and exact - changed > BEHIND else None


def _told(problem: FileState, run: StoredRun) -> str | None:
    """The problem, if it is at a file of this run that should grow, or at a directory that holds the run."""
    cursor = run.cursors.get(problem.file)
    if cursor is None:
        above = problem.file.rstrip("/")
        holds = above.startswith("/") and f"{run.record.path}/".startswith(f"{above}/")
        return f"{problem.file}: {problem.reason}" if holds else None
    # Names below a run's directory repeat from run to run; how far it is read tells them apart.
    newest = max(one.mtime for one in run.cursors.values())
    mine = cursor.offset == problem.offset and cursor.mtime >= newest - RECENT
    return f"{problem.file}: {problem.reason}" if mine else None
