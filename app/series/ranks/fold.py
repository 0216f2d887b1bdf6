"""Many ranks as few rows: by node, by pipeline stage within a node, by group within a stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from app.series.curve import Bytes, Floats, Ints
from app.series.ranks.cohorts import Cohorts
from app.series.ranks.grid import DOWN, FROZEN, MISSING, NAN, OK, UP, ZERO, Grid
from app.series.ranks.layout import Layout
from app.series.ranks.middle import Singles

Level = Literal["node", "stage", "group"]
LIGHTEST_FIRST = (MISSING, ZERO, OK, FROZEN, DOWN, UP, NAN)


@dataclass(frozen=True, slots=True)
class Label:
    """Where a row's ranks are: their host ("" where it is not known), their stage and their group."""

    host: str
    stage: int | None = None
    group: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """``k`` rows, by the lowest rank of each: what they are called, their ranks, and (k, m) lowest, middle and highest
    value, the z that is farthest from zero and the heaviest kind of cell. NaN where nobody has a number."""

    labels: Sequence[Label]
    members: Sequence[Ints]
    low: Floats
    mid: Singles
    high: Floats
    worst: Singles
    kinds: Bytes


def fold(grid: Grid, layout: Layout, hosts: Mapping[int, str], level: Level, *, z: Singles, kinds: Bytes) -> Folded:
    """The ranks of a grid together with those on the same node, of the same stage, of the same group there."""
    labels = [_label(hosts.get(rank, ""), stage, group, level) for rank, stage, group in _places(grid, layout)]
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    rows = np.array([numbers[label] for label in labels], dtype=np.int64)
    order, starts = np.argsort(rows, kind="stable"), np.zeros(0, np.int64)
    if len(rows):
        starts = np.searchsorted(rows[order], np.arange(len(numbers)))
    members = np.split(grid.ranks[order], starts[1:])
    finite = np.where(np.isfinite(grid.values), grid.values, np.nan)
    return Folded(
        labels=list(numbers),
        members=members,
        low=np.fmin.reduceat(finite[order], starts, axis=0),
        mid=_middle(finite, rows),
        high=np.fmax.reduceat(finite[order], starts, axis=0),
        worst=farthest(z[order], starts),
        kinds=heaviest(kinds[order], starts),
    )


def parting(grid: Grid, layout: Layout, hosts: Mapping[int, str], levels: Sequence[Level | None]) -> Level | None:
    """The first of some levels by which there is more than one row, else the last; None is a row a rank."""
    *others, last = levels
    places = _places(grid, layout) if others else ()
    for level in others:
        if (
            level is None
            or len({_label(hosts.get(rank, ""), stage, group, level) for rank, stage, group in places}) > 1
        ):
            return level
    return last


def _places(grid: Grid, layout: Layout) -> Sequence[tuple[int, int, int]]:
    columns = grid.ranks, layout.stages(grid.ranks), layout.groups(grid.ranks)
    return list(zip(*(one.tolist() for one in columns), strict=True))


def _label(host: str, stage: int, group: int, level: Level) -> Label:
    if level == "node":
        return Label(host)
    return Label(host, stage) if level == "stage" else Label(host, stage, group)


def _middle(values: Floats, rows: Ints) -> Singles:
    cohorts = Cohorts.by(rows)
    found = np.empty((len(cohorts.keys), values.shape[1]), np.float32)
    found[cohorts.keys] = cohorts.medians(cohorts.table(values)).T
    return found


def farthest(z: Singles, starts: Ints) -> Singles:
    """Of each stretch of rows, which begin at ``starts``, the number of a column that is farthest from zero."""
    low, high = np.fmin.reduceat(z, starts, axis=0), np.fmax.reduceat(z, starts, axis=0)
    return np.where(-low > high, low, high)


def heaviest(kinds: Bytes, starts: Ints) -> Bytes:
    """Of each stretch of rows the kind of cell of a column that weighs most: NaN before numbers before nothing."""
    weights = np.argsort(LIGHTEST_FIRST).astype(np.uint8)
    heaviest: NDArray[np.uint8] = np.maximum.reduceat(weights[kinds], starts, axis=0)
    return np.array(LIGHTEST_FIRST, np.uint8)[heaviest]
