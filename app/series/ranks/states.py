"""What is to be said of each rank, from one metric: nothing, or what is wrong with it, since when, and by how much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from app.series.curve import Bytes, Flags, Floats, Ints
from app.series.ranks import meaning
from app.series.ranks.deviation import Deviation, deviation
from app.series.ranks.episodes import Episodes, none
from app.series.ranks.findings import findings
from app.series.ranks.grid import MISSING, ZERO, Grid, kinds, zero
from app.series.ranks.layout import Layout
from app.series.ranks.middle import Singles
from app.series.ranks.silence import silent

State = Literal["ok", "outlier", "frozen", "nan", "silent", "straggler", "broken_reduction", "no_data_by_design"]
Reason = Literal["tp", "pp", "small"]
UNREDUCED = meaning.UNREDUCED


@dataclass(frozen=True, slots=True)
class Verdict:
    """``step`` to ``last`` is where it is so, in ``count`` values; ``open`` if at the rank's last value, too.
    ``value`` stands at step ``at``; ``usual`` is what it should have been there, ``z`` and ``ratio`` (value / usual)
    how far it is from that. Of a silent rank ``value`` is how many steps the others are ahead, ``usual`` its own
    distance between values. None where there is no such number. Of a rank that is ok all is about its last value."""

    rank: int
    state: State
    step: int | None = None
    last: int | None = None
    at: int | None = None
    value: float | None = None
    usual: float | None = None
    z: float | None = None
    ratio: float | None = None
    count: int = 0
    open: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """``z`` (n, m; NaN where nothing can be compared), ``kinds`` (n, m) and a verdict (n) a rank; ``reason`` is why not
    all ranks are compared with all: tensor parallel, pipeline parallel, or too few of a kind."""

    z: Singles
    kinds: Bytes
    verdicts: tuple[Verdict, ...]
    reason: Reason | None


def verdicts(grid: Grid, layout: Layout, metric: str) -> tuple[Verdict, ...]:
    """One a rank of the grid; ``metric`` is a metric's name or a tag."""
    return survey(grid, layout, metric).verdicts


def survey(grid: Grid, layout: Layout, metric: str) -> Survey:
    """Everything that is to be said, in one go; the grid is not reduced."""
    should = ~_without(grid, layout, metric)
    mine, groups = (grid if should.all() else grid.take(should)), layout.groups(grid.ranks)[should]
    cells = kinds(mine, groups)
    went = deviation(mine, groups)
    heaviest = _heaviest(mine, cells, groups, metric, went)
    told = dict(zip(mine.ranks.tolist(), _with_silence(mine, [*_verdicts(mine, went, *heaviest)]), strict=True))
    everyone = tuple(told.get(rank) or Verdict(rank, "no_data_by_design") for rank in grid.ranks.tolist())
    z = np.full(grid.shape, np.nan, np.float32)
    z[should] = went.z
    return Survey(z, _whole(cells, grid, should), everyone, _reason(layout, metric, went))


def _without(grid: Grid, layout: Layout, metric: str) -> Flags:
    """Ranks that have no such value by design: stages without a loss, and those that write zeros or nothing."""
    bare: Flags = zero(grid, layout.groups(grid.ranks)) | ~grid.there.any(axis=1)
    return bare | ~layout.has_loss(grid.ranks) if meaning.is_loss(metric) else bare


def _whole(cells: Bytes, grid: Grid, should: Flags) -> Bytes:
    found = np.where(grid.there, np.uint8(ZERO), np.uint8(MISSING))
    found[should] = cells
    return found


def _reason(layout: Layout, metric: str, went: Deviation) -> Reason | None:
    if meaning.is_unreduced(metric) and layout.tp > 1:
        return "tp"
    if meaning.is_loss(metric) and layout.pp > 1:
        return "pp"
    return "small" if went.pooled else None


def _heaviest(grid: Grid, cells: Bytes, groups: Ints, metric: str, went: Deviation) -> tuple[Sequence[State], Episodes]:
    """Of each rank the heaviest that goes on, else the heaviest that was."""
    found = [(name, one) for name, one in findings(grid, cells, groups, metric, went) if one.some.any()]
    states: list[State] = ["ok"] * len(grid.ranks)
    chosen = none(len(grid.ranks))
    for name, one in [*((n, e.only(e.open)) for n, e in found), *found]:
        for row in np.flatnonzero(one.some & ~chosen.some).tolist():
            states[row] = name
        chosen = chosen.other(one)
    return states, chosen


def _verdicts(grid: Grid, went: Deviation, states: Sequence[State], when: Episodes) -> Iterator[Verdict]:
    newest = np.searchsorted(grid.steps, grid.seen)
    first, last = np.where(when.some, when.first, newest), np.where(when.some, when.last, newest)
    at = last.copy()
    for row in _rows(states, "outlier", "straggler"):
        at[row] = went.farthest(row, int(first[row]), int(last[row]))
    rows = np.arange(len(grid.ranks))
    usual, z = went.at(rows, at)
    value = grid.values[rows, at]
    with np.errstate(all="ignore"):
        numbers: list[Floats] = [value, usual.astype(np.float64), z.astype(np.float64), value / usual]
    evidence = [_known(column) for column in numbers]
    places = [one.tolist() for one in (grid.steps[first], grid.steps[last], grid.steps[at])]
    rest = when.count.tolist(), (when.open | ~when.some).tolist()
    for rank, state, *others in zip(grid.ranks.tolist(), states, *places, *evidence, *rest, strict=True):
        yield Verdict(rank, state, *others)


def _known(column: Floats) -> list[float | None]:
    found = column.astype(object)
    found[~np.isfinite(column)] = None
    known: list[float | None] = found.tolist()
    return known


def _rows(states: Sequence[State], *chosen: State) -> list[int]:
    return [row for row, state in enumerate(states) if state in chosen]


def _with_silence(grid: Grid, told: Sequence[Verdict]) -> list[Verdict]:
    """The distances of silent ranks in place of their last values."""
    if not any(one.state == "silent" for one in told):
        return list(told)
    _, behind, own = silent(grid)
    return [
        replace(one, value=float(ahead), usual=pace, z=None, ratio=ahead / pace) if one.state == "silent" else one
        for one, ahead, pace in zip(told, behind.tolist(), own.tolist(), strict=True)
    ]
