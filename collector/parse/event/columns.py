"""Points by tag, in order of arrival, whether they come one by one or as blocks."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field


@dataclass(slots=True)
class Columns:
    """Single points wait in flat lists step, wall, value, … and are packed together, not one by one."""

    facts: dict[str, str] = field(default_factory=dict)
    broken: int = 0
    _flat: dict[str, list[float]] = field(default_factory=dict)
    _blocks: dict[str, list[bytes]] = field(default_factory=dict)

    def of(self, tag: str) -> list[float]:
        """The list that takes single points of a tag; it stays the same list for the life of these columns."""
        return self._flat.setdefault(tag, [])

    def add(self, tag: str, points: bytes) -> None:
        """A block of 24-byte points (wire.records) behind all that the tag has."""
        flat = self.of(tag)
        blocks = self._blocks.setdefault(tag, [])
        if flat:
            blocks.append(_pack(flat))
            flat.clear()
        blocks.append(points)

    @property
    def any(self) -> bool:
        """Whether there is a point."""
        return bool(self._blocks) or any(self._flat.values())

    def packed(self) -> dict[str, bytes]:
        """Every tag's points as one block, tags in order of arrival."""
        found = {}
        for tag, flat in self._flat.items():
            blocks = self._blocks.get(tag, [])
            if flat:
                blocks = [*blocks, _pack(flat)]
            if blocks:
                found[tag] = blocks[0] if len(blocks) == 1 else b"".join(blocks)
        return found


def _pack(flat: list[float]) -> bytes:
    return struct.pack("<" + "qdd" * (len(flat) // 3), *flat)
