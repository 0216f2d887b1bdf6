"""Points by tag while a chunk of log is read: single ones and whole columns, put into the order of their lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from collector.wire.records import POINT_BYTES, pack_point

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(slots=True)
class _Tag:
    """One tag: single points with the offsets of their lines, and blocks of (offsets, points)."""

    at: list[int] = field(default_factory=list)
    points: bytearray = field(default_factory=bytearray)
    blocks: list[tuple[Integers, NDArray[np.void]]] = field(default_factory=list)

    def packed(self) -> bytes:
        """All points as 24 bytes each (wire.records), in the order of their lines."""
        if not self.blocks:
            return bytes(self.points)
        single = np.frombuffer(bytes(self.points), f"V{POINT_BYTES}")
        offsets = np.concatenate([np.array(self.at, dtype=np.int64), *(at for at, _ in self.blocks)])
        points = np.concatenate([single, *(block for _, block in self.blocks)])
        if (offsets[1:] < offsets[:-1]).any():
            points = points[np.argsort(offsets, kind="stable")]
        return points.tobytes()


@dataclass(slots=True)
class LogColumns:
    """The points of one chunk."""

    tags: dict[str, _Tag] = field(default_factory=dict)

    def add(self, tag: str, at: int, step: int, wall: float, value: float) -> None:
        """One point of the line that begins at offset ``at``."""
        column = self.tags.get(tag)
        if column is None:
            column = self.tags[tag] = _Tag()
        column.at.append(at)
        column.points += pack_point(step, wall, value)

    def extend(
        self, at: Integers, steps: Integers, walls: Floats, values: Iterable[tuple[str, Floats | float]]
    ) -> None:
        """One point for each of several lines, whose offsets ascend, and for each tag with its values."""
        if not len(at):
            return
        shared = np.empty((len(at), 3), dtype="<f8")
        shared[:, 0] = steps.astype("<i8").view("<f8")
        shared[:, 1] = walls
        for tag, column in values:
            block = shared.copy()
            block[:, 2] = column
            self.tags.setdefault(tag, _Tag()).blocks.append((at, block.view(f"V{POINT_BYTES}")[:, 0]))

    def packed(self) -> dict[str, bytes]:
        """The points by tag."""
        return {tag: column.packed() for tag, column in self.tags.items()}
