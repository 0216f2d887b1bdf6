"""Plain rows for the tests of single rules: a sound run, of which a test changes what it is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from app.diagnosis.row import Plan, Row
from app.diagnosis.signal import Signal
from app.diagnosis.watch import Watch

SECONDS = 10.0  # a step


def sound(count: int = 400, *, interval: int = 1, seed: int = 1, first: int = 1) -> list[Row]:
    """A run whose loss falls slowly, with a norm of about 0.5 and steps of 10 s."""
    rng = np.random.default_rng(seed)
    loss = 2.5 * (1 + np.arange(count) / 200) ** -0.05 * np.exp(0.01 * rng.standard_normal(count))
    norm = 0.5 * np.exp(0.12 * rng.standard_normal(count))
    seconds = SECONDS * np.exp(0.005 * rng.standard_normal(count))
    t = 1000.0 + np.cumsum(seconds) * interval
    return [
        Row(
            first + k * interval,
            float(t[k]),
            loss=float(loss[k]),
            lr=1e-4,
            grad_norm=float(norm[k]),
            step_time=float(seconds[k]),
        )
        for k in range(count)
    ]


def said(rows: Iterable[Row], plan: Plan | None = None, *, clock: bool = True) -> list[Signal]:
    """What all rules say of the rows; ``clock``: they are asked at each row's time before it, too."""
    watch = Watch.of(plan or Plan())
    found: list[Signal] = []
    for row in rows:
        if clock and row.t is not None:
            found += watch.at(row.t)
        found += watch.take(row)
    return found


def raised(found: Sequence[Signal], about: str | None = None) -> list[tuple[str, int]]:
    """Classes and steps of what begins."""
    return [(one.about, one.step) for one in found if one.act == "raise" and about in (None, one.about)]
