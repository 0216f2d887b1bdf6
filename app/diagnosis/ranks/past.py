"""What was usual of each rank so far, remembered by blocks of rows: what begins now is not yet part of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.series.curve import Flags
from app.series.ranks.middle import Singles

BLOCK = 8  # rows that are remembered together
SLOW = 0.08  # weight of the newest block: one in a hundred rows
NONE = np.float32(np.nan)


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """A row by its number (``at``); which of k cohorts measure their ranks by their ``own`` levels; and what may not be
    learned from it: which of n ranks are ``off``, so that nobody is compared with them, which are that or
    ``suspected``, which cohorts are two or three ranks ``alone``, and which of these are ``held``: with a rank that may
    be off, they have nobody left who says what is usual. ``wider`` (k) makes median distances of those that are left
    standard deviations."""

    at: int
    own: Flags
    off: Flags
    suspected: Flags
    alone: Flags
    held: Flags
    wider: Singles

    def left(self, values: Singles) -> Singles:
        """Of values (n, or rows of n) those of ranks that others are compared with, NaN elsewhere."""
        return np.where(self.off, NONE, values)


@dataclass(slots=True, eq=False)
class Past:
    """Of n ranks the ``usual`` value, over how many ``blocks``; the mean of the last whole block, which is not part of
    that yet (``waiting``), and ``sum`` and ``count`` of the block that is not whole."""

    usual: Singles
    blocks: Singles
    waiting: Singles
    sum: Singles
    count: Singles

    @classmethod
    def blank(cls, count: int, usual: float = 0.0) -> Past:
        zeros = np.zeros(count, np.float32)
        return cls(zeros + np.float32(usual), zeros, np.full(count, NONE), zeros.copy(), zeros.copy())

    def take(self, values: Singles, now: Moment) -> None:
        """Take a row, NaN where a rank has nothing; what suspected ranks have is no part of what is usual."""
        known = ~np.isnan(values)
        self.sum += np.where(known, values, np.float32(0))
        self.count += known
        if now.at % BLOCK == BLOCK - 1:
            self._remember(now.suspected)

    def _remember(self, suspected: Flags) -> None:
        """A block is whole: the one before it is part of what is usual, the very first at once."""
        whole = np.where(self.count > 0, self.sum / np.maximum(self.count, 1), NONE)
        first = (self.blocks == 0) & ~np.isnan(whole)
        told = np.where(first, whole, self.waiting)
        self.blocks += ~np.isnan(whole)
        gain = np.maximum(np.float32(SLOW), 1 / np.maximum(self.blocks, 1)).astype(np.float32)
        counts = ~np.isnan(told) & (first | ~suspected)
        self.usual += np.where(counts, gain * (told - self.usual), np.float32(0))
        self.waiting = np.where(np.isnan(whole), self.waiting, whole)
        self.sum, self.count = np.zeros_like(self.sum), np.zeros_like(self.count)
