"""Values of all ranks of runs that never were: healthy ones of many layouts and noises, and a rank that goes wrong."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from app.diagnosis.cases import RankTable

Floats = NDArray[np.float64]
Fault = Literal["offset", "drift", "nan", "frozen", "slow"]
SIZES = (4, 8, 8, 16, 32, 64, 128, 512)


@dataclass(frozen=True, slots=True)
class Profile:
    """``groups`` of ``size`` ranks each. ``sigma`` is a rank's relative noise a row, ``rho`` its autocorrelation,
    ``tails`` degrees of freedom, ``hard`` how often a rank's batch is a hard one for one row, ``offsets`` the relative
    distance that ranks keep for good, ``digits`` decimal places printed, ``every`` steps a row."""

    size: int = 16
    groups: int = 1
    rows: int = 140
    every: int = 3
    sigma: float = 0.03
    rho: float = 0.2
    tails: float = 5.0
    hard: float = 0.002
    offsets: float = 0.0
    digits: int = 3
    is_time: bool = False

    @property
    def count(self) -> int:
        return self.size * self.groups


def drawn(rng: np.random.Generator, rows: int = 140) -> Profile:
    """Any profile of losses."""
    size = int(rng.choice(SIZES))
    return Profile(
        size=size,
        groups=int(rng.choice([1, 1, 2, 4, 8])) if size <= 64 else 1,
        rows=rows,
        every=int(rng.integers(3, 51)),
        sigma=float(np.exp(rng.uniform(np.log(0.005), np.log(0.05)))),
        rho=float(rng.uniform(0.0, 0.5)),
        tails=float(rng.choice([4.0, 5.0, 8.0, 30.0])),
        hard=float(rng.choice([0.0, 0.002, 0.01])),
        digits=int(rng.choice([3, 3, 4, 5])),
    )


def timed(rng: np.random.Generator, rows: int = 140) -> Profile:
    """Any profile of own compute times, in seconds."""
    return replace(drawn(rng, rows), sigma=float(np.exp(rng.uniform(np.log(0.003), np.log(0.03)))), is_time=True)


def noise(rng: np.random.Generator, profile: Profile, last: Floats | None = None) -> Floats:
    """(rows, ranks), each rank's autocorrelated; goes on from its ``last`` row."""
    fresh = rng.standard_t(profile.tails, (profile.rows, profile.count)) * np.sqrt(1 - profile.rho**2)
    found = np.empty_like(fresh)
    before = np.zeros(profile.count) if last is None else last
    for row, new in enumerate(fresh):
        before = found[row] = profile.rho * before + new
    return found


@dataclass(slots=True)
class Ranks:
    """``values`` (rows, ranks), NaN where a rank writes NaN; ``there`` where it writes at all; groups side by side."""

    profile: Profile
    steps: NDArray[np.int64]
    values: Floats
    there: NDArray[np.bool_]

    @property
    def numbers(self) -> NDArray[np.int64]:
        """Each rank's group."""
        return np.repeat(np.arange(self.profile.groups), self.profile.size)

    def table(self) -> RankTable:
        rows = [
            [value if here else None for value, here in zip(*both, strict=True)]
            for both in zip(self.values.tolist(), self.there.tolist(), strict=True)
        ]
        sizes = self.profile.size
        return RankTable(
            self.steps.tolist(), rows, [list(range(k * sizes, (k + 1) * sizes)) for k in range(self.profile.groups)]
        )


def healthy(rng: np.random.Generator, profile: Profile) -> Ranks:
    """Losses fall slowly and wander together; groups of tensor-parallel shards have levels of their own."""
    wave = noise(rng, profile)
    steps = profile.every * np.arange(1, profile.rows + 1)
    level = np.repeat(rng.uniform(1.5, 7.0, profile.groups), profile.size)
    if not profile.is_time:
        level = level * (1 - rng.uniform(0, 0.1) * np.linspace(0, 1, profile.rows))[:, None]
    shared = np.exp(0.01 * np.cumsum(rng.standard_normal(profile.rows)) / 5)[:, None]
    lasting = 1 + profile.offsets * rng.standard_normal(profile.count)
    hard = np.where(rng.random(wave.shape) < profile.hard, rng.uniform(0.1, 0.8, wave.shape), 0.0)
    values = level * shared * lasting * np.exp(profile.sigma * wave + hard)
    return Ranks(profile, steps, np.round(values, profile.digits), np.ones(values.shape, np.bool_))


def harm(rng: np.random.Generator, ranks: Ranks, fault: Fault, size: float, row: int, rank: int) -> None:
    """From a row on one rank is off by a part of its value (``size``), drifts there within 40 rows, writes NaN, or the
    same value again and again."""
    after = ranks.values[row:, rank]
    if fault == "nan":
        after[:] = np.nan
    elif fault == "frozen":
        after[:] = ranks.values[row - 1, rank]
    else:
        grown = np.minimum(1.0, np.arange(1, len(after) + 1) / 40) if fault == "drift" else np.ones(len(after))
        ranks.values[row:, rank] = np.round(after * (1 + size * grown), ranks.profile.digits)
