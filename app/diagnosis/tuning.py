"""What a deployment says of built-in classes: which of them it does not want to hear of, how grave others are. Pure.

It is applied to what was found, never to what rules remember: a change takes effect on the alerts there are at once,
and everything is found again as it was when it is taken back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.diagnosis.alert import Alert
from app.diagnosis.signal import Class, Severity


@dataclass(frozen=True, slots=True)
class Tuned:
    """One class: ``mute`` and nothing of it is an alert; ``severity`` is that of all its alerts, None: the rule's."""

    mute: bool = False
    severity: Severity | None = None


Tuning = Mapping[Class, Tuned]
UNTUNED = Tuned()


def tuned(found: Mapping[str, Alert], tuning: Tuning) -> dict[str, Alert]:
    """The alerts as a deployment wants them, by id; what a muted one explained stands for itself."""
    if not tuning:
        return dict(found)
    kept = {name: one for name, one in found.items() if not tuning.get(one.about, UNTUNED).mute}
    return {name: _said(one, tuning.get(one.about, UNTUNED), found, kept) for name, one in kept.items()}


def _said(one: Alert, mine: Tuned, found: Mapping[str, Alert], kept: Mapping[str, Alert]) -> Alert:
    cause = None if one.cause in found and one.cause not in kept else one.cause
    severity = mine.severity or one.severity
    return one if (cause, severity) == (one.cause, one.severity) else replace(one, cause=cause, severity=severity)
