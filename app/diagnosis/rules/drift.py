"""Blocks of rows above the best that a run has held, further than blocks scatter.

A block is the mean of its middle rows; how much blocks scatter is measured in the run itself twice, from their second
differences, which a steady fall does not move, and from the noise of rows with its autocorrelation; the larger of the
two holds. The best is a low quantile of the blocks before, not their minimum, which many blocks of noise push down. A
level that is falling again is a spike that recovers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import median, median_low

from app.diagnosis.memory import Ring, Window
from app.diagnosis.reading import Reading

BLOCK = 25  # rows
PAST = 40  # blocks
SPANS = (3, 4, 6, 10)  # newest blocks that are looked at together
ENOUGH = 5  # blocks before them
RECENT = 24  # blocks that the scatter is taken of
BEST = 0.15  # quantile of the blocks before, at least the second lowest
BIAS = 1.04  # sigmas of a block that this quantile lies below the middle of its noise
SIGMAS, FEW = 5.0, 2.0  # more where there were few blocks before
LEAST = 0.03  # log loss
WILD = 1.25  # the middle mean of heavy-tailed waves scatters so much more than that of 25 normal rows tells
WAVES, WAVY = 0.6, 2.0  # autocorrelation beyond which waves are longer than a block and their scatter is not seen in it
NORMAL = 1.4826 / math.sqrt(6)  # median of absolute second differences → sigma


@dataclass(frozen=True, slots=True)
class Above:
    """Log loss of the newest ``span`` blocks and of the best before, ``sigma`` of a block, the limit passed."""

    span: int
    mean: float
    best: float
    sigma: float
    limit: float


@dataclass(slots=True)
class Drift:
    """``rows`` of the block that is being filled, ``blocks`` those before, ``noise`` their sigmas as rows foretell
    them."""

    rows: Window = field(default_factory=lambda: Window(BLOCK))
    blocks: Ring = field(default_factory=lambda: Ring(PAST + SPANS[-1]))
    noise: Ring = field(default_factory=lambda: Ring(RECENT))

    def take(self, told: Reading) -> bool:
        """Whether the row ends a block."""
        self.rows.append(told.x)
        if len(self.rows) < BLOCK:
            return False
        middle = self.rows.ordered[BLOCK // 5 : -(BLOCK // 5)]
        wild = WILD + WAVY * max(0.0, told.rho - WAVES)
        self.noise.append(wild * self.rows.spread() * math.sqrt((1 + told.rho) / (1 - told.rho) / BLOCK))
        self.blocks.append(sum(middle) / len(middle))
        self.rows.clear()
        return True

    def go_back(self, rows: int) -> None:
        """What the run reached since is not reached any more."""
        self.rows.clear()
        self.blocks.values = self.blocks.values[: max(0, len(self.blocks) - 1 - rows // BLOCK)]

    def forget(self) -> None:
        """The run is another one from here on."""
        self.rows.clear()
        self.blocks.clear()

    @property
    def newest(self) -> float:
        """Log loss of the newest block."""
        return self.blocks.values[-1]

    def above(self) -> Above | None:
        """The fewest newest blocks that all lie too high."""
        found = (self._above(span) for span in SPANS if len(self.blocks) >= span + ENOUGH)
        return next((one for one in found if one is not None), None)

    def _above(self, span: int) -> Above | None:
        values = self.blocks.values
        newest, before = values[-span:], values[:-span][-PAST:]
        best = sorted(before)[max(1, int(BEST * (len(before) - 1)))]
        if newest[-1] < best + LEAST:
            return None
        sigma, mean = self._scatter(before), sum(newest) / span
        limit = max(LEAST, sigma * (BIAS + SIGMAS * (1 + FEW / len(before)) / math.sqrt(span)))
        is_falling = newest[-1] < newest[0] - sigma
        is_high = min(newest) > best + LEAST / 2 and min(newest[-1], mean, median_low(newest)) > best + limit
        return Above(span, mean, best, sigma, limit) if is_high and not is_falling else None

    def _scatter(self, before: list[float]) -> float:
        recent = before[-RECENT:]
        bends = [abs(a - 2 * b + c) for a, b, c in zip(recent, recent[1:], recent[2:], strict=False)]
        return max(NORMAL * median(bends), median(self.noise.values))
