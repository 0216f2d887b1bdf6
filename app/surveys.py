"""What is to be said of every rank of a run, kept while nothing is added, and carried on when a column is."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.grids import Grids, Seen, Shown
from app.kept import Kept
from app.series.curve import Bytes, Flags, Ints
from app.series.ranks.grid import MISSING, OK, Grid
from app.series.ranks.latest import carried, cells
from app.series.ranks.layout import Layout
from app.series.ranks.middle import Singles
from app.series.ranks.states import Reason, Verdict, survey
from app.stored import START, RunSeries

KEPT_BYTES = 64 * 2**20
CELL_BYTES = 5  # a deviation and a kind
RANK_BYTES = 600  # what is said of a rank
BEHIND = 32  # columns that a rule looks back, and that late values may come to
AHEAD = 64  # new columns, until all of them are looked at again
CHEAP = 0.03  # seconds; a survey that takes no longer is made of all columns whenever something comes
REST = 20  # times as long as a survey took, until it is made again for late values, or of the newest columns


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """What is said of each rank (the same object as long as that does not change), and how it is placed."""

    verdicts: tuple[Verdict, ...]
    reason: Reason | None
    layout: Layout
    ranks: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Surveyed:
    """Columns of a window and what is said of all. ``last`` (n) is each rank's last step, -1 where it has none."""

    grid: Grid
    z: Singles
    kinds: Bytes
    said: Said
    last: Ints
    seen: Seen

    def reduced(self, most: int) -> Surveyed:
        """At most ``most`` columns, of each bucket and rank the cell that ``Grid.choice`` names."""
        if self.grid.shape[1] <= most:
            return self
        chosen = self.grid.choice(most)
        z, kinds = np.take_along_axis(self.z, chosen, axis=1), np.take_along_axis(self.kinds, chosen, axis=1)
        return replace(self, grid=self.grid.columns(most), z=z, kinds=kinds)

    def taken(self, chosen: Flags) -> Surveyed:
        """Some of the ranks; what is said of them is said beside all others."""
        verdicts = tuple(one for one, mine in zip(self.said.verdicts, chosen.tolist(), strict=True) if mine)
        said = replace(self.said, verdicts=verdicts, ranks=self.said.ranks[chosen])
        grid, last = self.grid.take(chosen), self.last[chosen]
        return replace(self, grid=grid, z=self.z[chosen], kinds=self.kinds[chosen], said=said, last=last)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Neighbouring columns."""

    steps: Ints
    z: Singles
    kinds: Bytes

    def until(self, count: int) -> _Part:
        return _Part(self.steps[:count], self.z[:, :count], self.kinds[:, :count])


@dataclass(frozen=True, slots=True, eq=False)
class _Looked:
    """All columns when they were looked at, and the ``newest``: the last BEHIND of them and those that came since."""

    every: _Part
    newest: _Part | None
    said: Said
    last: Ints

    @property
    def edge(self) -> int:
        """How many of all columns are not looked at anew."""
        return max(0, len(self.every.steps) - BEHIND)

    @property
    def parts(self) -> list[_Part]:
        """Every column once."""
        return [self.every] if self.newest is None else [self.every.until(self.edge), self.newest]


@dataclass(slots=True)
class _Held:
    position: str = START
    facts: Mapping[str, str] | None = None
    looked: _Looked | None = None
    seconds: float = 0.0  # that all columns took
    late: float = 0.0  # monotonic; before that late values do not make all columns be looked at again
    again: float = 0.0  # the same for what is said of ranks

    def weight(self) -> int:
        if self.looked is None:
            return 1_000
        return CELL_BYTES * sum(one.z.size for one in self.looked.parts) + RANK_BYTES * len(self.looked.last)


class Surveys:
    """Surveys of runs; safe to share between threads."""

    def __init__(self, grids: Grids, *, kept_bytes: int = KEPT_BYTES) -> None:
        """Nothing is read before the first question."""
        self._grids = grids
        self._held = Kept(kept_bytes, _Held, _Held.weight)

    def of(self, run: RunSeries, shown: Shown, start: int | None = None, end: int | None = None) -> Surveyed:
        """The columns of a window of steps, both ends inclusive. Raises StoreAway."""
        with self._held.using((run.id, shown)) as held:
            looked = held.looked
            if looked is None or run.position == START or held.position != run.position or held.facts != run.facts:
                held.position = START  # after an error nothing is known
                looked = self._follow(held, run, shown)
                held.position, held.facts = run.position, run.facts
            seen = self._grids.of(run, shown, start=start, end=end)
            if not np.array_equal(seen.grid.ranks, looked.said.ranks):  # another question has read more meanwhile
                looked = self._whole(held, run, shown)
                seen = self._grids.of(run, shown, start=start, end=end)
        if start is not None and seen.begins_after(start):
            older = survey(seen.grid, looked.said.layout, shown.name)
            return Surveyed(seen.grid, older.z, older.kinds, looked.said, looked.last, seen)
        return Surveyed(seen.grid, *_cells(looked.parts, seen.grid), looked.said, looked.last, seen)

    def _follow(self, held: _Held, run: RunSeries, shown: Shown) -> _Looked:
        changed, looked = self._grids.changed(run, shown), held.looked
        if looked is None or held.facts != run.facts or held.seconds < CHEAP or not len(looked.every.steps):
            return self._whole(held, run, shown)
        if changed is None:
            return looked
        first = int(looked.every.steps[looked.edge])
        seen = self._grids.of(run, shown, start=first)
        late = changed < first and time.monotonic() > held.late
        if late or not _goes_on(looked, seen):
            return self._whole(held, run, shown)
        return self._newest(held, looked, seen.grid, shown)

    def _whole(self, held: _Held, run: RunSeries, shown: Shown) -> _Looked:
        began = time.monotonic()
        grid = self._grids.of(run, shown).grid
        layout = Layout.of(run.facts, grid.ranks.tolist())
        found = survey(grid, layout, shown.name)
        said = Said(found.verdicts, found.reason, layout, grid.ranks)
        held.seconds = time.monotonic() - began
        held.late = held.again = time.monotonic() + REST * held.seconds
        held.looked = _Looked(_Part(grid.steps, found.z, found.kinds), None, said, grid.seen)
        return held.looked

    def _newest(self, held: _Held, looked: _Looked, grid: Grid, shown: Shown) -> _Looked:
        """With what came since all columns were looked at."""
        said, began = looked.said, time.monotonic()
        newest = _Part(grid.steps, *cells(grid, said.layout, said.verdicts))
        if began > held.again:
            now = survey(grid, said.layout, shown.name).verdicts
            said = replace(said, verdicts=carried(said.verdicts, now))
            held.again = time.monotonic() + REST * (time.monotonic() - began)
        held.looked = _Looked(looked.every, newest, said, np.maximum(looked.last, grid.seen))
        return held.looked


def _goes_on(looked: _Looked, seen: Seen) -> bool:
    """Whether the columns are those that were looked at, and not too many new ones."""
    count = len(seen.grid.steps)
    same = seen.columns - count == looked.edge and np.array_equal(seen.grid.ranks, looked.said.ranks)
    return same and count <= BEHIND + AHEAD


def _cells(parts: Sequence[_Part], grid: Grid) -> tuple[Singles, Bytes]:
    """Of each column of the grid what its part says."""
    z = np.full(grid.shape, np.nan, np.float32)
    kinds = np.where(grid.there, np.uint8(OK), np.uint8(MISSING))
    for part in parts if len(grid.steps) else ():
        first, last = np.searchsorted(part.steps, [grid.steps[0], grid.steps[-1] + 1]).tolist()
        at = np.searchsorted(grid.steps, part.steps[first:last])
        if len(at):
            to = slice(int(at[0]), int(at[-1]) + 1) if at[-1] - at[0] + 1 == len(at) else at
            z[:, to], kinds[:, to] = part.z[:, first:last], part.kinds[:, first:last]
    return z, kinds
