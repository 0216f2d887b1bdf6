"""Courses of a training run, as points of the log's metrics: a healthy one with faults planted in it."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.support.seed import Point, Seed

METRICS = ("loss", "lr", "grad_norm", "step_time")
AT = 1_000_000.0


@dataclass
class Course:
    """``nan``: steps whose loss is NaN; ``spikes``: steps whose loss and norm are far up; ``every`` seconds a step."""

    steps: Sequence[int]
    nan: range = range(0)
    spikes: Mapping[int, float] = field(default_factory=dict)
    at: float = AT
    every: float = 1.0
    seed: int = 7

    def rows(self) -> list[dict[str, Point]]:
        """Metric → point, step by step."""
        noise = random.Random(self.seed)
        return [self._row(number, step, noise) for number, step in enumerate(self.steps)]

    def _row(self, number: int, step: int, noise: random.Random) -> dict[str, Point]:
        wall = self.at + self.every * number
        loss = (2.0 + 8.0 * math.exp(-step / 300)) * (1 + 0.006 * noise.gauss(0, 1)) * self.spikes.get(step, 1.0)
        norm = 0.8 * math.exp(0.05 * noise.gauss(0, 1)) * (30.0 if step in self.spikes else 1.0)
        values = (math.nan if step in self.nan else loss, 1e-4, norm, 700 + 2 * noise.gauss(0, 1))
        return {metric: (step, wall, value) for metric, value in zip(METRICS, values, strict=True)}


def commit(seed: Seed, rows: Sequence[Mapping[str, Point]], **where: object) -> None:
    """Rows as one commit: every series first, then one entry for all."""
    for metric in METRICS:
        if points := [row[metric] for row in rows if metric in row]:
            seed.points(points, metric=metric, **where)  # type: ignore[arg-type]
