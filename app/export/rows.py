"""Rows of a table: curves put side by side by step. Pure.

Curves of one attempt, source and rank share a row at each step. Where a step came again, the second values of all
curves share the next row, and so on. Curves of one step may have been written at different times (event files hold one
tag after the other): a row has the time of its first value from the left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from app.series.curve import Curve, Flags, Floats, Ints, is_constant
from collector.wire.records import Source


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """One column: a number a row, and which rows have one (None = all)."""

    values: Floats
    present: Flags | None

    def __getitem__(self, rows: slice) -> Values:
        return Values(self.values[rows], None if self.present is None else self.present[rows])


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Some rows that follow each other. ``walls`` is NaN without a clock; ``name`` is what the one column is of, in
    a table with a row a point; None stands for a column without any value here."""

    steps: Ints
    attempts: Ints
    source: Source
    rank: int | None
    walls: Floats
    columns: Sequence[Values | None]
    name: str = ""

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def of_one_attempt(self) -> bool:
        """Whether all rows are."""
        return is_constant(self.attempts) or bool((self.attempts == self.attempts[0]).all())

    def parts(self, most: int) -> Iterator[Rows]:
        """The same, at most so many rows at once."""
        for at in range(0, len(self), most):
            part = slice(at, at + most)
            columns = [None if one is None else one[part] for one in self.columns]
            yield Rows(
                self.steps[part], self.attempts[part], self.source, self.rank, self.walls[part], columns, self.name
            )


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Steps, attempts, walls and columns, as ``Rows`` has them."""

    steps: Ints
    attempts: Ints
    walls: Floats
    columns: Sequence[Values | None]


def beside(curves: Sequence[Curve | None]) -> Table:
    """The table of some curves, each in order of steps; None for a column without any. At least one has points."""
    there = [one for one in curves if one is not None and len(one)]
    first = there[0]
    if all(_alike(first, one) for one in there[1:]) and bool((first.steps[1:] > first.steps[:-1]).all()):
        columns = [None if one is None or not len(one) else Values(one.values, None) for one in curves]
        return Table(first.steps, first.attempts, _first(np.nan, [one.walls for one in there]), columns)
    return _matched(curves)


def _alike(one: Curve, other: Curve) -> bool:
    """Whether two curves have the same rows."""
    if not np.array_equal(one.steps, other.steps):
        return False
    constant = is_constant(one.attempts) and is_constant(other.attempts)
    return bool(one.attempts[0] == other.attempts[0]) if constant else np.array_equal(one.attempts, other.attempts)


def _first(nothing: float, walls: Sequence[Floats]) -> Floats:
    """Of each row the first clock from the left."""
    found = walls[0]
    for other in walls[1:]:
        missing = np.isnan(found)
        if not missing.any():
            break
        found = np.where(missing, other, found)
    return found


def _matched(curves: Sequence[Curve | None]) -> Table:
    """The same where steps differ, or come again."""
    there = [(number, one) for number, one in enumerate(curves) if one is not None and len(one)]
    steps = np.concatenate([one.steps for _, one in there])
    attempts = np.concatenate([one.attempts for _, one in there])
    again = np.concatenate([_again(one) for _, one in there])
    order = np.lexsort((again, attempts, steps))
    new = np.ones(len(order), dtype=np.bool_)
    keys = [column[order] for column in (steps, attempts, again)]
    new[1:] = np.logical_or.reduce([one[1:] != one[:-1] for one in keys])
    rows = np.empty(len(order), dtype=np.int64)
    rows[order] = np.cumsum(new) - 1
    count = int(new.sum())
    walls, columns, start = np.full(count, np.nan), list[Values | None]([None] * len(curves)), 0
    for number, one in there:
        mine = rows[start : start + len(one)]
        start += len(one)
        columns[number] = _values(count, mine, one.values)
        walls[mine] = np.where(np.isnan(walls[mine]), one.walls, walls[mine])
    return Table(keys[0][new], keys[1][new], walls, columns)


def _values(count: int, rows: Ints, values: Floats) -> Values:
    found, present = np.full(count, np.nan), np.zeros(count, dtype=np.bool_)
    found[rows], present[rows] = values, True
    return Values(found, None if present.all() else present)


def _again(curve: Curve) -> Ints:
    """How many points of the same step and attempt come before each."""
    new = np.ones(len(curve), dtype=np.bool_)
    new[1:] = (curve.steps[1:] != curve.steps[:-1]) | (curve.attempts[1:] != curve.attempts[:-1])
    starts = np.flatnonzero(new)
    return np.arange(len(curve)) - np.repeat(starts, np.diff(np.r_[starts, len(curve)]))
