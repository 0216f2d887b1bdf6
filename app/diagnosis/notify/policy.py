"""When a channel may speak, as people set it. Pure; times are Unix seconds and seconds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from app.diagnosis.opening import GRAVITY
from app.diagnosis.signal import Severity

HOUR, DAY = 3600.0, 86_400.0
LONGEST = 50.0  # seconds that anything waits for what belongs to it: with a look a second it is told within a minute


@dataclass(frozen=True, slots=True)
class Quiet:
    """Hours in which a channel is silent: minutes after midnight in ``zone`` (IANA); ``ends`` before ``begins`` is the
    next morning. ``but_critical``: what is critical is told all the same."""

    begins: int
    ends: int
    zone: str = "UTC"
    but_critical: bool = True

    def holds(self, now: float) -> bool:
        """Whether ``now`` is in them."""
        there = datetime.fromtimestamp(now, ZoneInfo(self.zone))
        minute = there.hour * 60 + there.minute
        if self.begins <= self.ends:
            return self.begins <= minute < self.ends
        return minute >= self.begins or minute < self.ends


@dataclass(frozen=True, slots=True)
class Policy:
    """``least``: what is less grave is not told. ``wait``: seconds without anything new of a run after which what there
    is of it becomes one message. ``rate``: tries an hour, on the wire. ``escalate``: seconds after which an episode
    that nobody acknowledged is told once more, as it is when it becomes critical; None: never. ``only_escalations``:
    nothing else is told, and of ends those of what was escalated."""

    least: Severity = "warning"
    wait: float = 10.0
    rate: int = 20
    quiet: Quiet | None = None
    escalate: float | None = None
    only_escalations: bool = False

    def counts(self, severity: Severity) -> bool:
        """Whether something so grave is told at all."""
        return GRAVITY[severity] >= GRAVITY[self.least]

    def speaks(self, severity: Severity, now: float) -> bool:
        """Whether it may be told now."""
        if self.quiet is None or not self.quiet.holds(now):
            return True
        return severity == "critical" and self.quiet.but_critical


def pause(tries: int) -> float:
    """Seconds until the next try after so many: 5, 10, 20 … 600."""
    return min(600.0, 5.0 * 2.0 ** min(tries - 1, 10))
