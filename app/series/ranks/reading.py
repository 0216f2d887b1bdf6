"""What many stored series answered, as points. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.series.curve import POINT, Flags, Ints
from app.series.ranks.layering import Points
from collector.wire.records import POINT_BYTES

Packed = NDArray[np.void]
"""Points as they are stored (POINT)."""


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """The points of some series (``which``), one series after the other: ``counts`` of each, all of them ``packed``.
    ``is_fresh``: nothing of any of them was known before."""

    which: Ints
    counts: Ints
    packed: Packed
    is_fresh: bool = False

    @classmethod
    def of(cls, blocks: Sequence[bytes], which: Ints) -> Read:
        """Blocks of points, torn last ones left out."""
        sizes = np.array([len(block) for block in blocks], dtype=np.int64)
        if (sizes % POINT_BYTES).any():
            blocks = [block[: len(block) - len(block) % POINT_BYTES] for block in blocks]
        return cls(which, sizes // POINT_BYTES, np.frombuffer(b"".join(blocks), POINT))

    @property
    def ends(self) -> Ints:
        """Where each series ends."""
        return np.cumsum(self.counts)

    @property
    def begins(self) -> Ints:
        """Where each series begins."""
        return self.ends - self.counts

    def as_fresh(self) -> Read:
        """The same, of series of which nothing was known."""
        return Read(self.which, self.counts, self.packed, is_fresh=True)

    def continues(self, known: Flags, lasts: Packed) -> bool:
        """Whether each series of which something is ``known`` begins with the last point that is, to the bit."""
        if not (self.counts[known] > 0).all():
            return False
        firsts = self.packed[self.begins[known]]
        return firsts.tobytes() == lasts.tobytes()

    def without_first(self, known: Flags) -> Read:
        """The same without the points that were known."""
        if not known.any():
            return self.as_fresh()
        if (self.counts[known] == 1).all() and known.all():
            return Read(self.which[:0], self.counts[:0], self.packed[:0])
        new = np.ones(len(self.packed), np.bool_)
        new[self.begins[known]] = False
        return Read(self.which, self.counts - known, self.packed[new])

    def table(self) -> Packed | None:
        """A row a series, when all of them have as many points."""
        if not len(self.counts) or not self.counts[0] or (self.counts != self.counts[0]).any():
            return None
        return self.packed.reshape(len(self.counts), int(self.counts[0]))

    def points(self, shifts: Ints) -> Points:
        """In columns, the steps of each series that much higher."""
        steps = self.packed["step"]
        steps = steps + np.repeat(shifts, self.counts) if shifts.any() else steps.astype(np.int64)
        which = np.repeat(self.which, self.counts)
        return Points(which, steps, self.packed["wall"].astype(np.float64), self.packed["value"].astype(np.float64))
