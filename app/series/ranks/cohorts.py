"""Rows of a grid that belong together, and what is usual among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from app.series.curve import Flags, Ints
from app.series.ranks.middle import Singles, medians

Kind = TypeVar("Kind", bound=np.generic)

FEW = 4  # ranks, of which a median and a spread mean something
FEW_WIDER = 1.6  # of n ranks the spread is too small by about this much / n
LARGEST = 1e37  # beyond it single precision is near its end: such a value is as good as infinite


@dataclass(frozen=True, slots=True, eq=False)
class Cohorts:
    """``n`` rows in ``k`` cohorts, cohorts of equal size side by side. ``order`` (n) lists the rows cohort by cohort,
    ``keys`` and ``sizes`` (k) tell whose they are and how many. A *table* has a column a row of the grid, in this
    order, so that one step's values of a cohort lie side by side."""

    order: Ints
    keys: Ints
    sizes: Ints

    @classmethod
    def by(cls, keys: Ints) -> Cohorts:
        """Rows with equal keys."""
        found, mine, counts = np.unique(keys, return_inverse=True, return_counts=True)
        by_size = np.argsort(counts, kind="stable")
        place = np.empty(len(found), np.int64)
        place[by_size] = np.arange(len(found))
        return cls(np.argsort(place[mine], kind="stable"), found[by_size].astype(np.int64), counts[by_size])

    @classmethod
    def together(cls, groups: Ints) -> Cohorts:
        """Groups of at least FEW ranks; all others are one."""
        _, mine, counts = np.unique(groups, return_inverse=True, return_counts=True)
        return cls.by(np.where(counts[mine] < FEW, -1, mine))

    def are(self, key: int) -> Flags:
        """Which cohorts (k) have this key."""
        mine: Flags = np.asarray(self.keys == key)
        return mine

    @property
    def starts(self) -> Ints:
        """Place of each cohort's first row in a table."""
        return np.cumsum(self.sizes) - self.sizes

    @property
    def own(self) -> Ints:
        """The cohort of each column of a table."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def table(self, values: NDArray[np.floating]) -> Singles:
        """Values (n, m) as a table (m, n)."""
        return np.ascontiguousarray(values.astype(np.float32)[self.order].T)

    def flags(self, flags: Flags) -> Flags:
        """Flags (n, m) as a table (m, n)."""
        return np.ascontiguousarray(flags.T[:, self.order])

    def untabled(self, table: NDArray[Kind]) -> NDArray[Kind]:
        """A table (m, n) as values (n, m)."""
        found = np.empty(table.shape[::-1], table.dtype)
        found[self.order] = np.ascontiguousarray(table.T)
        return found

    def spread(self, of_cohorts: NDArray[Kind]) -> NDArray[Kind]:
        """What is one a cohort (m, k) as a table (m, n)."""
        found: NDArray[Kind] = np.repeat(of_cohorts, self.sizes, axis=-1)
        return found

    def counts(self, flags: Flags) -> Ints:
        """Of a table of flags (m, n) how many are set in each cohort (m, k)."""
        found: Ints = np.add.reduceat(flags, self.starts, axis=1, dtype=np.int64)
        return found

    def medians(self, table: Singles) -> Singles:
        """The median of each cohort at each step (m, k), NaN left out; NaN where there is nothing else."""
        found = np.full((len(table), len(self.sizes)), np.nan, np.float32)
        for cohorts, rows, size in self._runs():
            found[:, cohorts] = medians(table[:, rows].reshape(len(table), cohorts.stop - cohorts.start, size))
        return found

    def _runs(self) -> Iterator[tuple[slice, slice, int]]:
        """Cohorts of one size at a time: which they are, where their rows are."""
        starts, sizes = self.starts, self.sizes
        edges = [*np.flatnonzero(np.diff(sizes, prepend=0)).tolist(), len(sizes)]
        for first, last in pairwise(edges):
            size = int(sizes[first])
            begin = int(starts[first])
            yield slice(first, last), slice(begin, begin + size * (last - first)), size
