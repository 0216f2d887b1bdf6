"""One change of one alert, as the outbox of its run holds it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from app.diagnosis.memory import restore, save
from app.diagnosis.signal import Signal
from collector.wire.records import RunId

Change = Literal["opened", "graver", "ended", "acknowledged", "reopened"]


@dataclass(frozen=True, slots=True)
class Notice:
    """``alert`` is the id of the episode: all changes of one episode carry the same, another episode never does.
    ``signal`` is what the rule said last, ``ranks`` spans (first, last) where it is of several ranks, ``at`` when the
    change was stored (Unix seconds), ``until`` how long an acknowledgement holds (None: for good), ``by`` whose it
    is."""

    alert: str
    run: RunId
    change: Change
    at: float
    signal: Signal
    by: str = ""
    until: float | None = None
    ranks: tuple[tuple[int, int], ...] = ()

    def encode(self) -> str:
        """As JSON; NaN and infinities as Python's json spells them."""
        return json.dumps(save(self), separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def decode(cls, text: bytes | str) -> Notice:
        """Raises ValueError, KeyError, TypeError: the entry is no notice."""
        told: Mapping[str, Any] = json.loads(text)
        return restore(cls, dict(told))
