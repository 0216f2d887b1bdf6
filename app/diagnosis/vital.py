"""The sign of life of a diagnosis worker."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields


@dataclass(frozen=True, slots=True)
class Vital:
    """``rows`` counts those that were judged since this process began; ``behind`` are runs
    whose history is still being judged; ``messages`` are one sentence each."""

    worker: str  # host:pid
    host: str
    pid: int
    wall: float  # Unix seconds
    runs: int
    rows: int
    behind: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()

    def encode(self) -> str:
        """JSON text."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def decode(cls, text: str | bytes) -> Vital:
        """What ``encode`` wrote; fields of a newer version are passed over."""
        known = {one.name for one in fields(cls)}
        raw = {name: value for name, value in json.loads(text).items() if name in known}
        return cls(**{**raw, "messages": tuple(raw.get("messages", ())), "behind": tuple(raw.get("behind", ()))})
