"""What people said of alerts: acknowledged, resolved, re-opened, muted; and how an alert stands with all that. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Literal

from app.diagnosis.alert import Alert
from app.diagnosis.signal import Evidence

State = Literal["open", "acknowledged", "resolved"]
Verdict = Literal["", "resolved", "reopened"]
STATES: tuple[State, ...] = ("open", "acknowledged", "resolved")


@dataclass(frozen=True, slots=True)
class Ack:
    """Who knows of it, and until when (Unix seconds) nobody else has to be told; None: until it is over."""

    by: str
    until: float | None
    note: str
    at: float


@dataclass(frozen=True, slots=True)
class Handling:
    """``verdict`` of people: resolved although it goes on, or reopened although it is over; ``count`` is how often the
    alert had been raised when they said so: raised again it stands for itself."""

    ack: Ack | None = None
    verdict: Verdict = ""
    by: str = ""
    at: float = 0.0
    count: int = 0

    def encode(self) -> str:
        """JSON text."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def decode(cls, text: str | bytes) -> Handling:
        """What ``encode`` wrote."""
        raw = json.loads(text)
        known = {one.name for one in fields(cls)} - {"ack"}
        ack = raw.get("ack")
        return cls(Ack(**ack) if ack else None, **{name: value for name, value in raw.items() if name in known})


ANY = "any"


@dataclass(frozen=True, slots=True)
class Mute:
    """Alerts that are not to be told of: of a class, of a run, of a rank, or of several of these; None is any.
    ``until`` in Unix seconds, None: until it is taken back."""

    about: str | None
    run: str | None
    rank: int | None
    by: str
    until: float | None
    note: str
    at: float

    @property
    def id(self) -> str:
        """The same for the same alerts: muting twice is muting once. ``loss_spike.any.7``; of a run that is called
        ``any`` it says ``=any``, which no run is called."""
        run = f"={ANY}" if self.run == ANY else self.run
        return ".".join(ANY if one is None else str(one) for one in (self.about, run, self.rank))

    def encode(self) -> str:
        """JSON text."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def decode(cls, text: str | bytes) -> Mute:
        """What ``encode`` wrote."""
        return cls(**json.loads(text))

    def covers(self, run: str, alert: Alert, now: float) -> bool:
        """Whether an alert of a run is muted by it."""
        if self.until is not None and self.until <= now:
            return False
        if (self.about or alert.about) != alert.about or (self.run or run) != run:
            return False
        return self.rank is None or any(first <= self.rank <= last for first, last in alert.ranks)


UNTOUCHED = Handling()


def state(alert: Alert, handled: Handling, now: float) -> State:
    """How it stands at ``now`` (Unix seconds)."""
    verdict = handled.verdict if handled.count == alert.count else ""
    if verdict == "resolved" or (not alert.is_open and verdict != "reopened"):
        return "resolved"
    return "acknowledged" if ack_of(alert, handled, now) else "open"


def ack_of(alert: Alert, handled: Handling, now: float) -> Ack | None:
    """The acknowledgement that holds now."""
    ack = handled.ack
    return None if ack is None or (ack.until is not None and ack.until <= now) else ack


@dataclass(frozen=True, slots=True)
class Standing:
    """An alert with what people said of it."""

    alert: Alert
    state: State
    ack: Ack | None
    muted: bool

    @classmethod
    def example(cls) -> Standing:
        """One of nothing in particular: to see what there is to be told of any."""
        return cls(Alert("", "custom", "", "info", False, 1, 0, 0, 0, Evidence()), "resolved", None, False)

    @property
    def counts(self) -> bool:
        """Whether somebody has to know of it: open, neither muted nor explained by another nor a mere note."""
        return self.state == "open" and not self.muted and self.alert.cause is None and self.alert.severity != "info"


def standing(
    run: str, alerts: Iterable[Alert], handled: Mapping[str, Handling], mutes: Iterable[Mute], now: float
) -> list[Standing]:
    """Every alert of a run as it stands at ``now`` (Unix seconds)."""
    several = list(mutes)
    return [
        Standing(
            one,
            state(one, handled.get(one.id, UNTOUCHED), now),
            ack_of(one, handled.get(one.id, UNTOUCHED), now),
            any(mute.covers(run, one, now) for mute in several),
        )
        for one in alerts
    ]
