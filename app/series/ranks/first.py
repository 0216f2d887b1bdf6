"""Who was first: the ranks in the order in which something came to them, by their own steps, never by clocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.series.curve import Flags, Ints
from app.series.ranks.grid import Grid
from app.series.ranks.spikes import spikes

What = Literal["nan", "inf", "spike", "stall"]
APART = 20  # usual distances between steps without any of it, then it is another time


@dataclass(frozen=True, slots=True)
class First:
    """Where it first came to a rank; of a stall its last sign of life. ``wall`` is None without a clock, ``value`` None
    where it is no number."""

    rank: int
    step: int
    tag: str
    wall: float | None
    value: float | None


@dataclass(frozen=True, slots=True)
class Order:
    """Those at the lowest step, and those that followed, by step and rank. Both empty where it never happened."""

    first: tuple[First, ...]
    followed: tuple[First, ...]


def order(what: What, grids: Mapping[str, Grid], at: int | None = None) -> Order:
    """For the newest time that it happened, or the one about step ``at``. ``grids`` are those of a run's metrics or
    tags; where two tell of the same step, the one that is named first."""
    if what == "stall":
        return _told(_newest(grids, at))
    cells = {tag: _cells(what, grid) for tag, grid in grids.items()}
    window = _time(cells, grids, at)
    return _told([] if window is None else _earliest(cells, grids, *window))


def _cells(what: What, grid: Grid) -> Flags:
    if what == "spike":
        return spikes(grid)
    found: Flags = grid.there & (np.isnan(grid.values) if what == "nan" else np.isinf(grid.values))
    return found


def _time(cells: Mapping[str, Flags], grids: Mapping[str, Grid], at: int | None) -> tuple[int, int] | None:
    """First and last step of the time that is meant."""
    steps = [grids[tag].steps[so.any(axis=0)] for tag, so in cells.items()]
    happened = np.unique(np.concatenate(steps)) if steps else np.zeros(0, np.int64)
    if not len(happened):
        return None
    breaks = np.flatnonzero(np.diff(happened) > APART * _pace(grids))
    begins, ends = happened[np.append(0, breaks + 1)], happened[np.append(breaks, -1)]
    if at is None:
        return int(begins[-1]), int(ends[-1])
    near = int(np.argmin(np.maximum(begins - at, 0) + np.maximum(at - ends, 0)))
    return int(begins[near]), int(ends[near])


def _pace(grids: Mapping[str, Grid]) -> float:
    """Steps between two columns, of the slowest of them."""
    return max((float(np.median(np.diff(one.steps))) for one in grids.values() if len(one.steps) > 1), default=1.0)


def _earliest(cells: Mapping[str, Flags], grids: Mapping[str, Grid], start: int, end: int) -> Iterator[First]:
    """Each rank's first within the time."""
    found: dict[int, First] = {}
    for tag, grid in grids.items():
        so = cells[tag] & (grid.steps >= start) & (grid.steps <= end)
        rows = np.flatnonzero(so.any(axis=1))
        for one in _points(tag, grid, rows, so[rows].argmax(axis=1)):
            if one.rank not in found or one.step < found[one.rank].step:
                found[one.rank] = one
    return iter(found.values())


def _newest(grids: Mapping[str, Grid], at: int | None) -> Iterator[First]:
    """Each rank's last up to a step."""
    found: dict[int, First] = {}
    for tag, grid in grids.items():
        part = grid.window(None, at)
        seen = part.seen
        rows = np.flatnonzero(seen >= 0)
        for one in _points(tag, part, rows, np.searchsorted(part.steps, seen[rows])):
            if one.rank not in found or one.step > found[one.rank].step:
                found[one.rank] = one
    return iter(found.values())


def _points(tag: str, grid: Grid, rows: Ints, columns: Ints) -> Iterator[First]:
    numbers = grid.ranks[rows], grid.steps[columns], grid.walls[columns], grid.values[rows, columns]
    for rank, step, wall, value in zip(*(one.tolist() for one in numbers), strict=True):
        yield First(rank, step, tag, wall if np.isfinite(wall) else None, value if np.isfinite(value) else None)


def _told(found: Iterator[First] | list[First]) -> Order:
    ordered = sorted(found, key=lambda one: (one.step, one.rank))
    lowest = ordered[0].step if ordered else 0
    count = sum(one.step == lowest for one in ordered)
    return Order(tuple(ordered[:count]), tuple(ordered[count:]))
