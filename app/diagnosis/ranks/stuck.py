"""Ranks whose value stays the same while the others of their group move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.diagnosis.ranks.strange import among
from app.series.curve import Flags, Floats, Ints
from app.series.ranks.cohorts import Cohorts
from app.series.ranks.frozen import SAME, least

CELLS = 10_000  # values, among which a run may come by chance as rarely as in one grid of so many
LONGEST = 8  # repeats that a run that ended counts as: a fault that is over does not make them usual
PRIOR = 60  # moves without any repeat, as which a group counts before it has made some


@dataclass(slots=True, eq=False)
class Stuck:
    """Of n ranks: the last ``value``, how often it was repeated while others moved (``run``) and since which step it
    stands (``began``); how often values moved or could have (``moves``), and how often they stayed (``stays``)."""

    value: Floats
    run: Ints
    began: Ints
    moves: Ints
    stays: Ints

    @classmethod
    def blank(cls, count: int) -> Stuck:
        zeros = np.zeros(count, np.int64)
        return cls(np.full(count, np.nan), zeros, zeros - 1, zeros.copy(), zeros.copy())


def take(mine: Stuck, cohorts: Cohorts, step: int, values: Floats, there: Flags) -> tuple[Flags, Flags]:
    """Take a row: which ranks stand still for longer than chance lets them, and which moved."""
    there = there & np.isfinite(values)
    same = there & (values == mine.value)
    ends: Flags = there & ~same
    moving = 2 * among(cohorts, ends) > np.maximum(among(cohorts, there) - 1, 1)
    mine.stays += np.where(ends, np.minimum(mine.run, LONGEST), 0)
    mine.run = np.where(ends, 0, mine.run + (same & moving))
    mine.began = np.where(ends, step, mine.began)
    mine.moves += there & moving
    mine.value = np.where(there, values, mine.value)
    return _stands(mine, cohorts), ends


def _stands(mine: Stuck, cohorts: Cohorts) -> Flags:
    found = np.zeros(len(mine.run), np.bool_)
    some = np.flatnonzero(mine.run >= SAME - 1)
    if len(some):
        ordered = np.stack([mine.stays, mine.moves - mine.run])[:, cohorts.order]
        stays, moves = np.add.reduceat(ordered, cohorts.starts, axis=1)
        usual = np.empty(len(found))
        usual[cohorts.order] = cohorts.spread((stays + 1) / (moves + PRIOR))
        own = mine.stays[some] / np.maximum(mine.moves[some] - mine.run[some], 1)
        often = np.maximum(usual[some], np.minimum(own, 1))
        found[some] = mine.run[some] >= least(often, CELLS)
    return found
