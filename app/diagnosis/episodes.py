"""Signals → alerts: one episode is one alert, ranks that fall ill at the same row are one, and a consequence knows its
cause. Pure: a function of the signals and the attempts they belong to, in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from app.diagnosis.alert import Alert, identity, spans
from app.diagnosis.opening import GRAVITY
from app.diagnosis.signal import Signal

MOST = 1_000  # alerts of a run; of more the oldest that are over are dropped

Key = tuple[str, int | None]
"""A class, of people's own rules with its name, and a rank."""


@dataclass(slots=True)
class Episodes:
    """``alerts`` in order of their beginning; ``standing`` says which alert an open (class, rank) belongs to;
    ``window`` is how many steps after the first other ranks fall ill of the same."""

    alerts: dict[str, Alert] = field(default_factory=dict)
    standing: dict[Key, str] = field(default_factory=dict)
    window: float = 0.0

    @classmethod
    def of(cls, alerts: Iterable[Alert], standing: Sequence[tuple[str, int | None, str]]) -> Episodes:
        """As it was saved."""
        return cls({one.id: one for one in alerts}, {(about, rank): alert for about, rank, alert in standing})

    def take(self, said: Sequence[Signal], attempt: int) -> None:
        """What the rules said at one row of ``attempt``."""
        for told in said:
            if told.act != "raise":
                self._go_on(told)
        raised = [one for one in said if one.act == "raise"]
        for _, several in groupby(sorted(raised, key=_kind), key=_kind):
            self._begin(list(several), attempt)
        for told in raised:
            self._explain(told)
        self._forget()

    def _begin(self, said: Sequence[Signal], attempt: int) -> None:
        """Signals of one class: those of the run as a whole one by one, those of ranks together."""
        fresh = [one for one in said if _key(one) not in self.standing]
        for told in said:
            if told not in fresh:
                self._go_on(told)
        alone = [one for one in fresh if one.rank is None]
        together = sorted((one for one in fresh if one.rank is not None), key=lambda one: one.rank or 0)
        if together and (first := self._joined(together[0])) is not None:
            self._join(first, together)
            together = []
        for several in [*([one] for one in alone), *([together] if together else [])]:
            self._open(several, attempt)

    def _joined(self, told: Signal) -> Alert | None:
        """The open alert of other ranks that fell ill of the same shortly before."""
        names = dict.fromkeys(name for (about, _), name in self.standing.items() if about == told.about)
        several = (self.alerts[name] for name in names)
        near = (one for one in several if one.rule == told.rule and told.step - one.raised_step <= self.window)
        return next((one for one in near if one.rank is not None and told.step >= one.raised_step), None)

    def _join(self, first: Alert, said: Sequence[Signal]) -> None:
        ranks = [rank for low, high in first.ranks for rank in range(low, high + 1)]
        ranks += [one.rank for one in said if one.rank is not None]
        severity = max((first.severity, *(one.severity for one in said)), key=GRAVITY.__getitem__)
        last = max(first.last_step, said[0].step)
        self.alerts[first.id] = replace(first, ranks=spans(ranks), severity=severity, last_step=last)
        self.standing |= {_key(one): first.id for one in said}

    def _open(self, said: Sequence[Signal], attempt: int) -> None:
        """The first of them leads."""
        lead = said[0]
        name = identity(lead, attempt)
        before = self.alerts.get(name)
        made = Alert(
            name,
            lead.about,
            lead.rule,
            max((one.severity for one in said), key=GRAVITY.__getitem__),
            True,
            attempt,
            lead.first_step,
            lead.step,
            lead.step,
            lead.evidence,
            lead.rank,
            spans([one.rank for one in said if one.rank is not None]),
            lead.t,
            remedy_id=lead.about,
            count=1 if before is None else before.count + 1,
        )
        self.alerts[name] = made
        self.standing |= {_key(one): name for one in said}

    def _go_on(self, told: Signal) -> None:
        """It is graver, or still so, or over."""
        name = self.standing.get(_key(told))
        known = self.alerts.get(name) if name is not None else None
        if known is None:
            return
        last = max(known.last_step, told.step)
        if told.act == "clear":
            del self.standing[_key(told)]
            over = known.id not in self.standing.values()
            known = replace(known, is_open=not over, ended_wall=told.t if over else None, last_step=last)
        elif GRAVITY[told.severity] > GRAVITY[known.severity]:
            known = replace(known, rule=told.rule, severity=told.severity, evidence=told.evidence, last_step=last)
        else:
            known = replace(known, evidence=told.evidence, last_step=last)
        self.alerts[known.id] = known

    def _explain(self, told: Signal) -> None:
        """Write down which alert is the cause of one that was just raised."""
        name = self.standing.get(_key(told))
        if told.cause is None or name is None or self.alerts[name].cause is not None:
            return
        causes = [alert for (about, _), alert in self.standing.items() if about == told.cause and alert != name]
        if causes:
            self.alerts[name] = replace(self.alerts[name], cause=causes[-1])

    def _forget(self) -> None:
        if len(self.alerts) > MOST:
            over = [name for name, one in self.alerts.items() if not one.is_open]
            for name in over[: len(self.alerts) - MOST]:
                del self.alerts[name]


def _key(said: Signal) -> Key:
    return (f"{said.about} {said.rule}" if said.about == "custom" else said.about), said.rank


def _kind(said: Signal) -> tuple[str, str]:
    return said.about, said.rule
