"""The numbers that a rule about ranks used, of one rank."""

from __future__ import annotations

import numpy as np

from app.diagnosis.ranks import bank
from app.diagnosis.ranks.offset import Offset
from app.diagnosis.ranks.standing import Standing
from app.diagnosis.signal import Evidence


def of_run(value: float, points: int) -> Evidence:
    """Of a value that stands, or is none, for so many rows."""
    return Evidence(value=value if np.isfinite(value) else None, points=points)


def of_offset(rule: Offset, stood: Standing, place: int, value: float) -> Evidence:
    """Of a rank by its place among the cohorts; ``beside``: the mean of scores that is farthest over its limit, as a
    part of it; over how many rows the quickest mean goes that was over its own; how much of noise lasts from row to
    row; the mean relative deviation; whether that is from the rank's own level; and how many ranks are compared."""
    cohort = int(rule.cohorts.own[place])
    mean = min(int(rule.courses.mean[place]), len(bank.WEIGHTS) - 1)
    beside = {
        "of_limit": rule.courses.part[place],
        "mean_rows": 2 / bank.WEIGHTS[mean] - 1,
        "autocorrelation": rule.norms.lasts[cohort],
        "deviation": rule.courses.recent[place],
        "own_level": rule.norms.own[cohort],
        "ranks": rule.cohorts.sizes[cohort],
    }
    usual, relative, spread = (float(one[place]) for one in (stood.usual, stood.relative, stood.spread))
    known = tuple((name, round(float(number), 4)) for name, number in beside.items())
    if not np.isfinite(relative):
        return Evidence(beside=known)
    return Evidence(value, usual, abs(usual) * spread, relative / spread, 1 + relative, _rows(mean), known)


def _rows(mean: int) -> int:
    return round(float(2 / bank.WEIGHTS[mean] - 1))
