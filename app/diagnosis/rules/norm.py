"""What the gradient norm of a run usually is: its newest sound values, and medians of blocks for what changes slowly.

Everything is in logarithms, so that a difference is a ratio. Rows that are far from the baseline do not enter it, until
there are so many of them that they are the new baseline.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from app.diagnosis.memory import Window

USED = 64  # newest sound rows that the baseline is the median of
READY = 24  # of them before anything is compared
BLOCK = 25  # rows that one remembered median stands for
BLOCKS = 40
SPREADS = 15
FAR = math.log(8)  # a row further from the baseline than this is not sound
STEADY = math.log(1.3)
NEW = 120  # such rows one after the other are how the run is now
FLOOR = -80.0  # of the logarithm: a norm of 0
FLOOR_LOSS = 0.05  # added to the loss: relative noise would blow up near 0
QUIET = 0.05  # least noise that is believed


@dataclass(slots=True)
class Block:
    """Medians of one block, in logarithms; ``loss`` is NaN where no row had one."""

    norm: float
    loss: float


@dataclass(slots=True)
class Norm:
    """``far`` counts rows one after the other that were not sound; ``level`` and ``sigma`` are the baseline's."""

    used: Window = field(default_factory=lambda: Window(USED))
    newest: Window = field(default_factory=lambda: Window(READY))
    losses: Window = field(default_factory=lambda: Window(READY))
    blocks: list[Block] = field(default_factory=list)
    spreads: list[float] = field(default_factory=list)
    rows: int = 0  # sound ones
    filled: int = 0  # blocks
    far: int = 0
    level: float = 0.0
    sigma: float = QUIET
    earlier: float = math.inf  # the baseline that a higher one has replaced

    @property
    def is_ready(self) -> bool:
        return len(self.used) >= READY

    def take(self, norm: float, loss: float | None, *, frozen: bool) -> None:
        """One more row: ``norm`` is a logarithm, ``loss`` is not. ``frozen``: it is known not to be sound."""
        self.newest.append(norm)
        if loss is not None and 0 <= loss < math.inf:
            self.losses.append(math.log(loss + FLOOR_LOSS))
        if not frozen:
            self._learn(norm)

    def _learn(self, norm: float) -> None:
        if self.is_ready and abs(norm - self.level) > max(FAR, 6 * self.sigma):
            self.far += 1
            if self.far < NEW:
                return
            self._begin_again()
        else:
            self.used.append(norm)
        self.far = 0
        self.level = self.used.median
        self.rows += 1
        if self.rows % BLOCK == 0 or not self.spreads:
            self._fill()

    def _begin_again(self) -> None:
        self.earlier = self.level if self.newest.median > self.level else math.inf
        self.used.clear()
        self.blocks.clear()
        for one in self.newest.values:
            self.used.append(one)

    def _fill(self) -> None:
        """The noise is that of most blocks: while a norm grows or falls, its own spread is not noise."""
        if len(self.used) < READY:
            return
        self.spreads = [*self.spreads, self.used.spread()][-SPREADS:]
        self.sigma = max(QUIET, median(self.spreads))
        self.filled += 1
        loss = self.losses.median if len(self.losses) else math.nan
        self.blocks.append(Block(median(self.used.values[-BLOCK:]), loss))
        if len(self.blocks) > BLOCKS:
            self.blocks.pop(0)

    def go_back(self, rows: int) -> None:
        """The model is the one of some rows ago, and so is its norm, where it was higher."""
        there = rows // BLOCK + 1
        if there <= len(self.blocks) and self.is_ready:
            self.used.shift(max(0.0, self.blocks[-there].norm - self.level))
            self.level = self.used.median
        self.blocks = self.blocks[: max(0, len(self.blocks) - there + 1)]

    def is_steady(self) -> bool:
        """Whether the newest rows are where the baseline is."""
        return self.is_ready and abs(self.newest.median - self.level) < STEADY

    def forget(self) -> None:
        """How the norm is now is how it is."""
        self.blocks.clear()

    def settled(self) -> Sequence[Block]:
        """Blocks that what happens now cannot be in; without the first, which is of the start."""
        return self.blocks[1:-1]


def logarithm(norm: float) -> float:
    """Of a norm that may be 0."""
    return max(FLOOR, math.log(norm)) if norm > 0 else FLOOR
