"""Faults of the loss are found in simulated runs of any profile, and healthy runs are left alone. The seeds are not
those by which the rules were made."""

from __future__ import annotations

import numpy as np
import pytest

from app.diagnosis.replay import signals
from tests.diagnosis.score import Score
from tests.diagnosis.simulate.loss import CONFOUNDERS, FAULTS, LOGGED, plain
from tests.diagnosis.simulate.loss_cases import made
from tests.diagnosis.simulate.soak import soak

LOSS = {"nan_inf", "loss_spike", "divergence", "jitter", "plateau"}
CASES = 10
# at the edge of what noise allows: some of them cannot be told from it
HARD = {"spike_small", "spike_short", "spike_of_one_row", "noise_doubles", "drift_small"}
SOUND = {**CONFOUNDERS, **dict.fromkeys(LOGGED, plain)}


def scored(name: str, seed: int) -> Score:
    """``CASES`` cases of a kind through the rules, half of them in hard noise."""
    score, fault = Score(), {**FAULTS, **SOUND}[name]
    for number in range(CASES):
        rng = np.random.default_rng((seed, number, *name.encode()))
        one = made(rng, name, fault, hard=number % 2 == 1)
        score.add(one, [said for said in signals(one.case) if said.about in LOSS])
    return score


def missed(score: Score) -> int:
    return sum(len(one.missed) for one in score.classes.values())


def false(score: Score) -> dict[str, list[str]]:
    return {about: one.false for about, one in score.classes.items() if one.false}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_in_time(name: str) -> None:
    score = scored(name, 71)
    assert missed(score) <= (CASES * 3 // 10 if name in HARD else CASES // 10)
    assert false(score) == {}


@pytest.mark.parametrize("name", SOUND)
def test_nothing_is_said_of_a_healthy_run(name: str) -> None:
    assert false(scored(name, 72)) == {}


@pytest.mark.parametrize("is_hard", [False, True], ids=["mild", "hard"])
def test_long_healthy_runs_stay_within_the_budget(is_hard: bool) -> None:
    score = Score()
    for one in soak(73, 40_000, is_hard=is_hard):
        score.add(one, [said for said in signals(one.case) if said.about in LOSS])
    assert score.rows >= 40_000
    assert false(score) == {}
