"""A grid that is filled as points come: which rank's, at which step, and which of several that tell of it counts.

Of two points of one rank and one step the newer attempt's wins, and within an attempt the exact source's: what
``splice`` says of one curve after the other, for all ranks at once. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.series.curve import Flags, Floats, Ints
from app.series.ranks.grid import Grid

Layers = NDArray[np.uint16]
"""What a cell is from: higher wins; 0 where nothing is."""

CELL_BYTES = 8 + 2  # a value and its layer
ROOM = 1.25  # columns that memory is asked for, for each that is needed
DENSE = 8  # a table of so many steps a point is quicker than sorting them


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """Points: the row of each, step, clock, value and layer."""

    rows: Ints
    steps: Ints
    walls: Floats
    values: Floats
    layers: Layers

    def take(self, chosen: Flags | Ints) -> Written:
        """Some of them."""
        return Written(
            self.rows[chosen], self.steps[chosen], self.walls[chosen], self.values[chosen], self.layers[chosen]
        )


class Filling:
    """``n`` rows and as many columns as steps were told of; not safe to share between threads."""

    def __init__(self, count: int) -> None:
        """Of ``count`` ranks and no step yet."""
        self.count = 0  # columns
        self._steps = np.zeros(0, np.int64)
        self._walls = np.zeros(0)
        self._heights = np.zeros(0, np.uint16)  # the highest layer of each column, whose clock it shows
        self._values = np.zeros((count, 0))
        self._layers: Layers = np.zeros((count, 0), np.uint16)
        self._changed: int | None = None  # the lowest step that was written to since it was asked for

    @property
    def weight(self) -> int:
        """Bytes held."""
        return self._values.size * CELL_BYTES

    @property
    def steps(self) -> Ints:
        """Of the columns, ascending."""
        return self._steps[: self.count]

    def changed(self) -> int | None:
        """The lowest step that something was written to since the last time that this was asked."""
        found, self._changed = self._changed, None
        return found

    def _note(self, step: int) -> None:
        self._changed = step if self._changed is None else min(self._changed, step)

    def lay(self, rows: slice, steps: Ints, walls: Floats, values: Floats, layer: int) -> bool:
        """Points of neighbouring rows, which have none yet, all at the same ascending steps and of one layer; False
        when these steps are not those of the other rows: nothing is written then."""
        if not self.count:
            self._arrange(steps, steps[:0], slice(0, 0))
        elif not np.array_equal(self.steps, steps) or (self._heights[: self.count] != layer).any():
            return False
        mine = slice(0, self.count)
        self._note(int(steps[0]))
        self._values[rows, mine], self._layers[rows, mine] = values, layer
        self._heights[mine] = layer
        self._walls[mine] = np.fmax(self._walls[mine], np.fmax.reduce(walls, axis=0))
        return True

    def write(self, new: Written) -> Ints:
        """Points, in order of arrival; which of them met another value in their own layer."""
        if not len(new.steps):
            return np.zeros(0, np.int64)
        self._note(int(new.steps.min()))
        self._widen(distinct(new.steps))
        at = self._places(new.steps)
        held = self._layers[new.rows, at]
        met = np.flatnonzero(held == new.layers)
        other = self._values[new.rows[met], at[met]]
        differs = (other != new.values[met]) & ~(np.isnan(other) & np.isnan(new.values[met]))
        counts = np.flatnonzero(new.layers >= held)
        self._put(new if len(counts) == len(at) else new.take(counts), at[counts])
        found: Ints = met[differs]
        return found

    def _put(self, new: Written, at: Ints) -> None:
        if len(at) and (new.layers[1:] < new.layers[:-1]).any():
            order = np.argsort(new.layers, kind="stable")  # of equal cells the last one is kept
            new, at = new.take(order), at[order]
        self._values[new.rows, at] = new.values
        self._layers[new.rows, at] = new.layers
        before = self._heights[at]
        np.maximum.at(self._heights, at, new.layers)
        raised = at[self._heights[at] > before]
        self._walls[raised] = np.nan
        top = new.layers == self._heights[at]
        np.fmax.at(self._walls, at[top], new.walls[top])

    def renew(self, row: int, new: Written) -> None:
        """All points of a row in place of those that it had; what is as it was is not touched."""
        columns = np.flatnonzero(self._layers[row, : self.count])
        steps, values = self._steps[columns], self._values[row, columns]
        common = min(len(steps), len(new.steps))
        mine, theirs = values[:common], new.values[:common]
        same = (steps[:common] == new.steps[:common]) & ((mine == theirs) | (np.isnan(mine) & np.isnan(theirs)))
        first = common if same.all() else int(same.argmin())
        if first < len(steps):
            self._note(int(steps[first]))
            self._layers[row, columns[first:]], self._values[row, columns[first:]] = 0, np.nan
        self.write(new.take(np.arange(first, len(new.steps))))

    def tidy(self) -> None:
        """Forget columns that nothing is in any more."""
        kept = np.flatnonzero((self._layers[:, : self.count] > 0).any(axis=0))
        if len(kept) < self.count:
            self._arrange(self.steps[kept], np.arange(len(kept)), kept)

    def drop(self, below: int) -> None:
        """Forget the columns of lower steps."""
        first = int(np.searchsorted(self.steps, below))
        if first:
            self._arrange(self.steps[first:], np.arange(self.count - first), slice(first, self.count))

    def grid(self, ranks: Ints, start: int | None, end: int | None) -> Grid:
        """The columns of a window, in memory of their own."""
        first = 0 if start is None else int(np.searchsorted(self.steps, start))
        last = self.count if end is None else int(np.searchsorted(self.steps, end, side="right"))
        mine = slice(first, max(first, last))
        there = self._layers[:, mine] > 0
        return Grid(ranks, self._steps[mine].copy(), self._walls[mine].copy(), self._values[:, mine].copy(), there)

    def _widen(self, steps: Ints) -> None:
        """Have a column for each of ascending steps."""
        if self.count and len(steps) and steps[0] > self._steps[self.count - 1]:
            more = steps
        else:
            more = np.setdiff1d(steps, self.steps, assume_unique=True)
        if not len(more):
            return
        goes_on = not self.count or more[0] > self._steps[self.count - 1]
        if goes_on and self.count + len(more) <= len(self._steps):
            self._steps[self.count : self.count + len(more)] = more
            self.count += len(more)
            return
        every = np.concatenate([self.steps, more]) if goes_on else np.union1d(self.steps, more)
        self._arrange(every, np.searchsorted(every, self.steps), slice(0, self.count))

    def _arrange(self, steps: Ints, places: Ints, kept: slice | Ints) -> None:
        """Columns of these steps, the ``kept`` ones of before at ``places`` among them."""
        rows, room = len(self._values), int(len(steps) * ROOM) + 8
        values, layers = np.full((rows, room), np.nan), np.zeros((rows, room), np.uint16)
        walls, heights = np.full(room, np.nan), np.zeros(room, np.uint16)
        whole = len(places) and places[-1] - places[0] + 1 == len(places)
        to = slice(int(places[0]), int(places[-1]) + 1) if whole else places
        values[:, to], layers[:, to] = self._values[:, kept], self._layers[:, kept]
        walls[to], heights[to] = self._walls[kept], self._heights[kept]
        longer = np.zeros(room, np.int64)
        longer[: len(steps)] = steps
        self._steps, self._walls, self._heights = longer, walls, heights
        self._values, self._layers, self.count = values, layers, len(steps)

    def _places(self, steps: Ints) -> Ints:
        """The column of each step."""
        if len(steps) < self.count or not self.count:
            return np.searchsorted(self.steps, steps)
        first, last = int(self.steps[0]), int(self.steps[-1])
        if last - first > DENSE * len(steps):
            return np.searchsorted(self.steps, steps)
        table = np.zeros(last - first + 1, np.int64)
        table[self.steps - first] = np.arange(self.count)
        found: Ints = table[steps - first]
        return found


def distinct(steps: Ints) -> Ints:
    """Each step once, ascending."""
    if not len(steps):
        return steps
    first, last = int(steps.min()), int(steps.max())
    if last - first > DENSE * len(steps):
        return np.unique(steps)
    seen = np.zeros(last - first + 1, np.bool_)
    seen[steps - first] = True
    return np.flatnonzero(seen) + first
