"""What is said of ranks, carried on over the newest columns. Pure.

To look at all columns of ten thousand ranks takes half a second, and at the newest ones a tenth of that; no rule looks
further back than these, but for who was how when it began.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from app.series.curve import Bytes, Flags
from app.series.ranks.deviation import deviation
from app.series.ranks.grid import MISSING, ZERO, Grid, kinds
from app.series.ranks.layout import Layout
from app.series.ranks.middle import Singles
from app.series.ranks.states import State, Verdict

BARE: State = "no_data_by_design"


def cells(grid: Grid, layout: Layout, verdicts: Sequence[Verdict]) -> tuple[Singles, Bytes]:
    """Deviation and kind of each cell, as ``survey`` says them; ``verdicts`` tell which ranks have data."""
    should: Flags = np.array([one.state != BARE for one in verdicts], dtype=np.bool_)
    mine, groups = (grid if should.all() else grid.take(should)), layout.groups(grid.ranks)[should]
    z = np.full(grid.shape, np.nan, np.float32)
    found = np.where(grid.there, np.uint8(ZERO), np.uint8(MISSING))
    if len(mine.ranks):
        z[should], found[should] = deviation(mine, groups).z, kinds(mine, groups)
    return z, found


def carried(before: Sequence[Verdict], now: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """What was said of all columns, and what is said of the newest, of the same ranks."""
    return tuple(_carried(*both) for both in zip(before, now, strict=True))


def _carried(before: Verdict, now: Verdict) -> Verdict:
    if now.state in ("ok", BARE):
        return replace(before, open=False) if before.state not in ("ok", BARE) else now
    return replace(now, step=before.step) if before.state == now.state and before.open else now
