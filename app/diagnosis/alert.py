"""One episode of trouble as it is stored and served: what was found, where, and by which numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.diagnosis.memory import restore, save
from app.diagnosis.signal import Act, Class, Evidence, Severity, Signal

# Norm too high!
UNFIT = re.compile(r"[^A-Za-z0-9_-]+")  # in an address
Span = tuple[int, int]
"""First and last rank, both included."""


@dataclass(frozen=True, slots=True)
class Alert:
    """Steps are global steps, walls Unix seconds by the run's own clock (None without one). ``rank`` is the lowest of
    ``ranks``, None where the run as a whole is meant; ``raised_step`` the row at which it was said, ``first_step``
    where it began, ``last_step`` the newest row that told of it. ``cause`` is the id of the alert that explains this
    one; ``count`` how often it was raised; ``evidence`` the newest."""

    id: str
    about: Class
    rule: str
    severity: Severity
    is_open: bool
    attempt: int
    first_step: int
    raised_step: int
    last_step: int
    evidence: Evidence
    rank: int | None = None
    ranks: tuple[Span, ...] = ()
    raised_wall: float | None = None
    ended_wall: float | None = None
    cause: str | None = None
    remedy_id: str = ""
    count: int = 1

    def encode(self) -> str:
        """JSON text; NaN and infinities as Python's json spells them."""
        return _CANONICAL(save(self))

    @classmethod
    def decode(cls, text: str | bytes) -> Alert:
        """The alert that ``encode`` wrote; fields of a newer version are passed over."""
        return restore(cls, json.loads(text))


_CANONICAL = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


def signal_of(alert: Alert, act: Act, cause: Class | None = None) -> Signal:
    """What was said last of an alert."""
    ended = act == "clear"
    return Signal(
        act,
        alert.about,
        alert.rule,
        alert.severity,
        alert.last_step,
        alert.first_step,
        alert.ended_wall if ended else alert.raised_wall,
        alert.evidence,
        alert.rank,
        cause,
    )


def identity(said: Signal, attempt: int) -> str:
    """A function of the data alone, so that whoever reads it again comes to the same: ``loss_spike-a2-1640``,
    ``rank_outlier-a1-400-r7``, ``custom.norm-high-a1-30`` (of people's own rules the name is part of it)."""
    kind = f"custom.{UNFIT.sub('-', said.rule)}" if said.about == "custom" else said.about
    return f"{kind}-a{attempt}-{said.first_step}" + ("" if said.rank is None else f"-r{said.rank}")


def spans(ranks: Sequence[int]) -> tuple[Span, ...]:
    """Ranks as spans: 0 1 2 7 → (0, 2) (7, 7)."""
    found: list[Span] = []
    for rank in sorted(set(ranks)):
        if found and rank == found[-1][1] + 1:
            found[-1] = found[-1][0], rank
        else:
            found.append((rank, rank))
    return tuple(found)
