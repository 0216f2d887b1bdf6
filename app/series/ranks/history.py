"""What a rank itself has usually had so far."""

from __future__ import annotations

import numpy as np

from app.series.ranks.middle import Singles, medians

BLOCK = 16  # steps that one median stands for
BLOCKS = 32  # medians that are remembered: a change that lasts for longer than half of them is usual from then on


def usual(table: Singles) -> Singles:
    """For each value of a table (m, n) the median of its column's earlier medians of BLOCK steps; in the first block,
    and before a rank's first value, that of the first that is known. NaN for a rank without any."""
    blocks = block_medians(table)
    known = np.empty_like(blocks)
    for at in range(len(blocks)):
        known[at] = medians(np.ascontiguousarray(blocks[max(0, at - BLOCKS) : max(1, at)].T))
    for at in range(len(blocks) - 2, -1, -1):  # a rank that came late
        known[at] = np.where(np.isnan(known[at]), known[at + 1], known[at])
    return np.repeat(known, BLOCK, axis=0)[: len(table)]


def block_medians(table: Singles) -> Singles:
    """One row for BLOCK rows, the last for what is left."""
    columns = np.ascontiguousarray(table.T)
    whole = len(table) // BLOCK * BLOCK
    first = medians(columns[:, :whole].reshape(len(columns), whole // BLOCK, BLOCK))
    last = medians(columns[:, whole:])[:, None] if whole < len(table) else first[:, :0]
    return np.ascontiguousarray(np.concatenate([first, last], axis=1).T)
