"""What one row's loss says against the baseline of its own run, and the spike that it may be part of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Reading:
    """``x`` is the log loss (see app.diagnosis.rules.level), ``median`` and ``sigma`` those of the baseline, ``z`` how
    many sigmas ``x`` is above it. ``surprise`` is the part of ``z`` that the row before did not foretell, again in
    sigmas; ``rho`` the autocorrelation from row to row. ``is_fresh``: this row had a loss; ``is_ready``: the baseline
    has enough rows."""

    x: float = 0.0
    loss: float = 0.0
    median: float = 0.0
    sigma: float = 1.0
    z: float = 0.0
    surprise: float = 0.0
    rho: float = 0.0
    is_fresh: bool = False
    is_ready: bool = False

    @property
    def rise(self) -> float:
        """How far above the baseline, in logarithms: 0.1 is ten per cent."""
        return self.x - self.median


@dataclass(slots=True)
class Bump:
    """A loss_spike that is open: ``median`` and ``sigma`` of log loss before it, the step at which it began, its rows
    since it was told of."""

    median: float
    sigma: float
    first: int
    age: int = 0
