"""Which checkpoint to go back to after something went wrong, and what that costs at the run's own speed. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from app.series.attempts import Attempt
from app.series.happening import Happening

Health = Literal["healthy", "unhealthy", "unknown"]
MOST = 6  # checkpoints that are worth a look; older ones cost only more


@dataclass(frozen=True, slots=True)
class Pace:
    """What a step costs: ``step_ms`` of the run's usual step, ``npus`` of the whole job; None where nobody knows."""

    step_ms: float | None = None
    npus: int | None = None


@dataclass(frozen=True, slots=True)
class Way:
    """A checkpoint from before the onset. ``steps`` are those that would be done again, ``seconds`` and ``npu_hours``
    what they take; ``wall`` when it was saved (Unix seconds)."""

    step: int
    health: Health
    name: str
    wall: float | None
    steps: int
    seconds: float | None
    npu_hours: float | None


@dataclass(frozen=True, slots=True)
class Rollback:
    """``onset``: the first step of what went wrong; ``now``: how far the run is; ``ways``, the newest first."""

    onset: int
    now: int
    ways: Sequence[Way] = ()

    @property
    def advised(self) -> Way | None:
        """The newest that was found healthy."""
        return next((one for one in self.ways if one.health == "healthy"), None)

    @property
    def fallback(self) -> Way | None:
        """The newest of which nobody said anything, where none was found healthy."""
        return None if self.advised else next((one for one in self.ways if one.health == "unknown"), None)


def rollback(
    events: Sequence[Happening], attempts: Sequence[Attempt], onset: tuple[int, int], now: int, pace: Pace
) -> Rollback:
    """``onset`` is attempt and step; of ``events`` (oldest first) the checkpoints are looked at. A step that was saved
    twice counts as it was saved last; what a restart went back behind is no way back."""
    attempt, first = onset
    saved = {}
    for one in events:
        if one.kind == "checkpoint" and one.step is not None and one.step < first and _stands(one, attempts, attempt):
            saved[one.step] = one
    newest = sorted(saved.values(), key=lambda one: -(one.step or 0))
    ways = [_way(one, now, pace) for one in newest]
    return Rollback(first, now, _shown(ways))


def _stands(one: Happening, attempts: Sequence[Attempt], attempt: int) -> bool:
    """Whether the attempt at which things went wrong came from it."""
    later = [other.first_step for other in attempts if one.attempt < other.attempt <= attempt]
    return one.attempt <= attempt and all((one.step or 0) < first for first in later)


def _way(one: Happening, now: int, pace: Pace) -> Way:
    step = one.step or 0
    steps = max(0, now - step)
    seconds = None if pace.step_ms is None else steps * pace.step_ms / 1000
    hours = None if seconds is None or pace.npus is None else seconds * pace.npus / 3600
    told = one.detail.get("health")
    health: Health = "healthy" if told == "healthy" else "unhealthy" if told == "unhealthy" else "unknown"
    return Way(step, health, str(one.detail.get("name") or ""), one.wall, steps, seconds, hours)


def _shown(ways: Sequence[Way]) -> list[Way]:
    """The newest few, and the newest healthy one however old it is."""
    shown = list(ways[:MOST])
    healthy = next((one for one in ways if one.health == "healthy"), None)
    return shown if healthy is None or healthy in shown else [*shown, healthy]
