"""The whole history of all ranks where it is too much to be held: columns that are older than the held ones are joined.

What is older is read in windows, one a question, from the newest to the oldest; of each only joined columns stay: of
every bucket of neighbours and every rank the cell that ``Grid.choice`` names, so that no NaN and no extreme is lost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from app.grids import CELLS, Shown
from app.kept import Kept
from app.reader import Reader
from app.series.curve import Ints
from app.series.ranks.grid import Grid
from app.series.ranks.layering import Rules
from app.stored import RunSeries
from app.surveys import Surveyed, Surveys

KEPT_BYTES = 96 * 2**20
CELL_BYTES = 14  # value, deviation, kind, and whether there is one
COLUMNS = 1_000  # that a history is joined to, fewer of very many ranks; twice as many before they are joined again


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """Columns from the oldest that was read to the newest. Those of steps below ``joined`` stand for several (None: all
    are exact); ``total`` counts those that there are."""

    found: Surveyed
    joined: int | None
    total: int


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """Joined columns, and how many they stand for."""

    found: Surveyed
    count: int


@dataclass(slots=True)
class _Held:
    ranks: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    rules: Rules | None = None
    pieces: list[_Piece] = field(default_factory=list)  # the oldest first
    first: int = 0  # step that there is
    edge: int = 0  # the first step that is read
    top: int = 0  # the first step behind them
    dense: float = 1.0  # columns that one joined column stands for
    done: bool = False

    def weight(self) -> int:
        return 1_000 + CELL_BYTES * sum(one.found.grid.values.size for one in self.pieces)

    def begin(self, newest: Surveyed, floor: int, rules: Rules) -> None:
        """Nothing is read but what is held elsewhere."""
        ranks, seen = newest.grid.ranks, newest.seen
        first, last = floor if seen.first is None else seen.first, floor if seen.last is None else seen.last
        every = seen.columns * (last - first + 1) / max(1, last - floor + 1)
        most = _most(ranks)
        self.ranks, self.rules, self.pieces = ranks, rules, []
        self.first, self.edge, self.top = first, floor, floor
        self.dense, self.done = max(1.0, every / most), first >= floor

    def joined(self, found: Surveyed) -> Surveyed:
        """Exact columns, joined as all are."""
        return found.reduced(max(1, math.ceil(len(found.grid.steps) / self.dense)))

    def take(self, found: Surveyed) -> _Piece:
        """A window that was read."""
        return _Piece(self.joined(found), len(found.grid.steps))

    def thin(self) -> None:
        """Join anew what a run that goes on has made too much."""
        if sum(len(one.found.grid.steps) for one in self.pieces) > 2 * _most(self.ranks):
            self.dense *= 2
            halved = [one.found.reduced(max(1, len(one.found.grid.steps) // 2)) for one in self.pieces]
            self.pieces = [_Piece(half, one.count) for half, one in zip(halved, self.pieces, strict=True)]


def _most(ranks: Ints) -> int:
    return max(1, min(COLUMNS, CELLS // max(1, len(ranks))))


class Pasts:
    """Histories of runs; safe to share between threads."""

    def __init__(self, surveys: Surveys, reader: Reader, *, kept_bytes: int = KEPT_BYTES) -> None:
        """Nothing is read before the first question."""
        self._surveys, self._reader = surveys, reader
        self._held = Kept(kept_bytes, _Held, _Held.weight)

    def of(self, run: RunSeries, shown: Shown, start: int | None = None, end: int | None = None) -> Whole:
        """As much of a window as has been read, after reading one piece more; its ``seen.since`` says from which step
        on. Raises StoreAway."""
        newest = self._surveys.of(run, shown)
        floor = newest.seen.floor
        if floor is None:
            found = self._surveys.of(run, shown, start, end)
            return Whole(found, None, len(found.grid.steps))
        with self._held.using((run.id, shown)) as held:
            rules = Rules.of(self._reader.timeline(run))
            if rules != held.rules or not np.array_equal(held.ranks, newest.grid.ranks):
                held.begin(newest, floor, rules)
            self._follow(held, run, shown, newest, floor)
            return _window(held, newest, start, end)

    def _follow(self, held: _Held, run: RunSeries, shown: Shown, newest: Surveyed, floor: int) -> None:
        """One piece more: what the newest columns have left behind, else what is older than all that is known."""
        if floor > held.top:
            behind = self._surveys.of(run, shown, held.top, floor - 1)
            if behind.seen.since is not None:
                held.begin(newest, floor, Rules.of(self._reader.timeline(run)))
                return
            held.pieces.append(held.take(behind))
            held.top = floor
        elif not held.done:
            older = self._surveys.of(run, shown, held.first, held.edge - 1)
            since = older.seen.since
            held.done = since is None or not len(older.grid.steps)
            if len(older.grid.steps):
                held.pieces.insert(0, held.take(older))
                held.edge = held.first if since is None else since
        held.thin()


def _window(held: _Held, newest: Surveyed, start: int | None, end: int | None) -> Whole:
    exact = _cut(newest, held.top, None)
    parts = [*(one.found for one in held.pieces), held.joined(exact)]
    total = sum(one.count for one in held.pieces) + len(exact.grid.steps)
    seen = newest.seen
    seen = replace(seen, since=None if held.edge <= held.first else held.edge)
    whole = replace(_beside(parts, newest), seen=seen)
    return Whole(_cut(whole, start, end), held.top if held.pieces else None, total)


def _beside(parts: Sequence[Surveyed], newest: Surveyed) -> Surveyed:
    """The columns of all parts, in their order; what is said of ranks is what the newest says."""
    grids = [one.grid for one in parts]
    grid = Grid(
        newest.grid.ranks,
        np.concatenate([one.steps for one in grids]),
        np.concatenate([one.walls for one in grids]),
        np.concatenate([one.values for one in grids], axis=1),
        np.concatenate([one.there for one in grids], axis=1),
    )
    z, kinds = (np.concatenate([getattr(one, name) for one in parts], axis=1) for name in ("z", "kinds"))
    return replace(newest, grid=grid, z=z, kinds=kinds)


def _cut(found: Surveyed, start: int | None, end: int | None) -> Surveyed:
    """Some columns, both ends inclusive."""
    steps = found.grid.steps
    first = 0 if start is None else int(np.searchsorted(steps, start))
    last = len(steps) if end is None else int(np.searchsorted(steps, end, side="right"))
    mine = slice(first, max(first, last))
    return replace(found, grid=found.grid.window(start, end), z=found.z[:, mine], kinds=found.kinds[:, mine])
