"""What became of one try to send a message, as the log of its channel keeps it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import Literal

Outcome = Literal["sent", "refused", "given_up", "interrupted"]


@dataclass(frozen=True, slots=True)
class Delivery:
    """``at`` in Unix seconds, ``tries`` so far, ``answer`` what the channel said, without secrets. ``interrupted``: a
    sender was ended while it sent the message, which is sent once more and says so."""

    at: float
    id: str
    run: str
    title: str
    episodes: int
    outcome: Outcome
    tries: int
    answer: str = ""

    def encode(self) -> str:
        """JSON text."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def decode(cls, text: bytes | str) -> Delivery:
        """What ``encode`` wrote; fields of a newer version are passed over."""
        known = {one.name for one in fields(cls)}
        return cls(**{name: value for name, value in json.loads(text).items() if name in known})
