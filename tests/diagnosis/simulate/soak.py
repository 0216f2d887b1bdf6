"""Long healthy runs, in which everything that is said is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tests.diagnosis.simulate.cases import Labelled, case
from tests.diagnosis.simulate.healthy import Profile, drawn, healthy

LENGTHS = (700, 1_000, 2_000, 5_000, 10_000)


def mild(rng: np.random.Generator, rows: int) -> Profile:
    """As averaged losses of public runs are."""
    return replace(drawn(rng, rows), rho=0.2, tails=5.0, sigma=float(rng.uniform(0.005, 0.02)), blips=0.001)


def hard(rng: np.random.Generator, rows: int) -> Profile:
    """Heavy tails, strong autocorrelation, hard batches that the gradient norm may feel, kicks of the norm."""
    return replace(
        drawn(rng, rows, hard=True),
        rho=float(rng.uniform(0.45, 0.65)),
        tails=float(rng.choice([3.5, 4.0])),
        sigma=float(rng.uniform(0.006, 0.035)),
        kicks=0.004,
    )


def soak(seed: int, points: int, *, is_hard: bool) -> Iterator[Labelled]:
    """Runs with so many rows together, one at a time."""
    rng = np.random.default_rng((seed, 999, is_hard))
    while points > 0:
        rows = min(points, int(rng.choice(LENGTHS)))
        profile = hard(rng, max(rows, 100)) if is_hard else mild(rng, max(rows, 100))
        yield Labelled(case(healthy(rng, profile), f"soak-{'hard' if is_hard else 'mild'}"), (), frozenset(), "soak")
        points -= rows
