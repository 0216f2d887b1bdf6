"""For how long a run has been silent, and whether that is anybody's business. Pure."""

from __future__ import annotations

from app.series.overview import Overview

WORKS = ("evaluation", "checkpoint", "compiling")
OURS = ("behind", "stale")  # the collector's trouble, not the job's
HISTORY_SECONDS = 86_400.0  # a run that was silent for so long when it was first looked at is history


def is_asked(seen: Overview, silent: float) -> bool:
    """Whether silence of so many seconds may be a stall: the job has not ended, does nothing that takes its time, and
    somebody reads its files."""
    fresh = seen.freshness
    if fresh.state not in ("live", "quiet") or silent > HISTORY_SECONDS or fresh.cause in OURS:
        return False
    return fresh.cause not in WORKS or fresh.overdue


def silence(now: float, heard: float, wall: float, ahead: float, age: float | None) -> float:
    """Seconds without a row at ``now``: since it was ``heard`` (0: nobody waited for it), else by its own clock
    ``wall``, which is ``ahead`` of ours, or by the files' times where these say less: a log's clock has no zone."""
    if heard:
        return now - heard
    told = now + ahead - wall
    return told if age is None else age if told < 0 else min(told, age)
