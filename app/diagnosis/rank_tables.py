"""The rules about ranks over recorded tables: a row of all ranks after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from app.diagnosis.cases import Case, RankTable
from app.diagnosis.peers import NOBODY, Peers
from app.diagnosis.signal import Signal
from app.series.curve import Ints

METRICS = "local_loss", "own_compute_time"
"""What the two tables of a case hold, by names that say what may be compared."""


def rank_signals(case: Case) -> Iterator[Signal]:
    """Everything that is to be said of the ranks of a case, table by table."""
    for metric, table in zip(METRICS, (case.losses, case.times), strict=True):
        if table is not None:
            yield from table_signals(metric, table)


def table_signals(metric: str, table: RankTable) -> Iterator[Signal]:
    """Of one table, in the order of its rows."""
    peers = Peers(metric, numbered(table.groups, len(table.values[0]) if table.values else 0))
    for step, row in zip(table.steps, table.values, strict=True):
        values = np.array([np.nan if one is None else one for one in row], dtype=np.float64)
        yield from peers.take(step, None, values, np.array([one is not None for one in row], dtype=np.bool_))


def numbered(groups: Sequence[Sequence[int]], count: int) -> Ints:
    """The number of each rank's group; NOBODY for ranks that are in none."""
    found = np.full(count, NOBODY)
    for number, ranks in enumerate(groups):
        found[list(ranks)] = number
    return found
