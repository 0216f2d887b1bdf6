"""One message: what it is about, and how far it has come."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from app.diagnosis.notify.notice import Notice
from app.diagnosis.opening import GRAVITY
from app.diagnosis.signal import Severity
from collector.wire.records import RunId

Kind = Literal["begin", "end", "escalation"]


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that is told of an episode; ``since`` is when it was first known here (Unix seconds)."""

    kind: Kind
    notice: Notice
    since: float

    @property
    def alert(self) -> str:
        return self.notice.alert

    @property
    def severity(self) -> Severity:
        return self.notice.signal.severity


@dataclass(slots=True)
class Letter:
    """A message to one channel. ``is_sending``: it may be on the wire; ``unsure``: a sender ended while it was, so that
    it may arrive twice, which it says. ``due`` and ``composed`` in Unix seconds."""

    id: str
    run: RunId
    items: list[Item]
    composed: float
    due: float
    tries: int = 0
    is_sending: bool = False
    unsure: bool = False

    @property
    def severity(self) -> Severity:
        """That of the gravest of its items."""
        return max((one.severity for one in self.items), key=lambda one: GRAVITY[one])


def letter(run: RunId, items: Sequence[Item], now: float) -> Letter:
    """Of what is to be told of a run; its id is a function of that alone."""
    return Letter(name(items), run, list(items), composed=now, due=now)


def gravest(items: Sequence[Item]) -> Item:
    """The one that a message is about first: its link and its picture are."""
    return max(items, key=lambda one: (GRAVITY[one.severity], -one.notice.signal.first_step))


def name(items: Iterable[Item]) -> str:
    """Twelve hexadecimal digits that no other message has."""
    told = "\n".join(sorted(f"{one.alert} {one.kind} {one.notice.at!r}" for one in items))
    return hashlib.sha256(told.encode()).hexdigest()[:12]
