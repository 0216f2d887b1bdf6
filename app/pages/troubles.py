"""The alerts of a run in a few words: what stands in the row of badges and in the table of runs. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.diagnosis.handling import Standing
from app.diagnosis.signal import Class, Severity
from app.language import gettext as _
from app.words.report import named
from app.words.states import Tone

TONES: Mapping[Severity, Tone] = {"critical": "bad", "warning": "warn", "info": "info"}
GRAVITY: Sequence[Severity] = ("critical", "warning", "info")


@dataclass(frozen=True, slots=True)
class Trouble:
    """Alerts of one kind that stand: ``alert`` is the id of the newest of the gravest, raised at ``step``; ``ranks``
    how many are meant."""

    about: Class
    text: str
    severity: Severity
    alert: str
    count: int
    ranks: int
    step: int
    is_seen: bool

    @property
    def tone(self) -> Tone:
        """How it sounds; what somebody sees to is calm."""
        return "" if self.is_seen else TONES[self.severity]

    @property
    def said(self) -> str:
        """Its name, how many ranks are meant, and whether somebody sees to it."""
        ranks = _("%(count)d ranks", count=self.ranks) if self.ranks > 1 else ""
        return _(" · ").join(one for one in (self.text, ranks, _("acknowledged") if self.is_seen else "") if one)


def standing_now(alerts: Sequence[Standing]) -> list[Standing]:
    """Those that somebody is to see: neither over, nor muted, nor explained by another."""
    return [one for one in alerts if one.state != "resolved" and not one.muted and one.alert.cause is None]


def troubles(alerts: Sequence[Standing]) -> list[Trouble]:
    """One a kind, the gravest first, then the newest; of a kind that is both open and acknowledged the open ones stand
    for all."""
    kinds: dict[str, list[Standing]] = {}
    for one in standing_now(alerts):
        kinds.setdefault(_kind(one), []).append(one)
    found = [_trouble(group) for group in kinds.values()]
    return sorted(found, key=lambda one: (one.is_seen, GRAVITY.index(one.severity), -one.step))


def gravest(alerts: Sequence[Standing]) -> Severity | None:
    """Of those that count."""
    found = {one.alert.severity for one in alerts if one.counts}
    return next((one for one in GRAVITY if one in found), None)


def _kind(one: Standing) -> str:
    return f"custom {one.alert.rule}" if one.alert.about == "custom" else one.alert.about


def _trouble(group: Sequence[Standing]) -> Trouble:
    urgent = [one for one in group if one.state == "open"] or group
    worst = min(urgent, key=lambda one: (GRAVITY.index(one.alert.severity), -one.alert.raised_step)).alert
    ranks = {rank for one in urgent for first, last in one.alert.ranks for rank in range(first, last + 1)}
    text = named(worst)
    is_seen = all(one.state == "acknowledged" for one in group)
    return Trouble(worst.about, text, worst.severity, worst.id, len(urgent), len(ranks), worst.raised_step, is_seen)
