"""Every fault of gradients, loss scale, learning rate, step time, silence and evaluations is found in simulated runs of
any profile, and nothing is said of what only looks like one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.diagnosis.cases import Case
from app.diagnosis.replay import signals
from app.diagnosis.row import Row
from tests.diagnosis.score import Score
from tests.diagnosis.simulate import scalar_cases

CASES = 8
# of classes that other rules than those of the kind's own speak of, simulated evaluations and norms are no judge
OWN = {
    "grad_explode",
    "grad_vanish",
    "loss_scale",
    "lr_anomaly",
    "throughput",
    "stall",
    "overfit",
    "tb_missing",
    "step_regress",
}


def scored(name: str, seed: int) -> Score:
    """``CASES`` cases of a kind through the rules."""
    kinds = {**scalar_cases.FAULTS, **scalar_cases.SOUND}
    score = Score()
    for number in range(CASES):
        one = scalar_cases.one(np.random.default_rng((seed, number)), name, kinds[name], hard=number % 2 == 1)
        score.add(one, [said for said in signals(one.case) if said.about in OWN])
    return score


@pytest.mark.parametrize("name", scalar_cases.FAULTS)
def test_a_fault_is_found(name: str) -> None:
    score = scored(name, 41)
    assert sum(len(one.missed) for one in score.classes.values()) == 0
    assert {about: one.false for about, one in score.classes.items() if one.false} == {}


@pytest.mark.parametrize("name", scalar_cases.SOUND)
def test_nothing_is_said_of_what_is_sound(name: str) -> None:
    assert {about: one.false for about, one in scored(name, 42).classes.items()} == {}


@pytest.mark.parametrize("name", ["burst", "crept", "faint", "jumped", "rewarmed", "slowed", "creeping", "decayed"])
def test_magnitudes_do_not_matter(name: str) -> None:
    kinds = {**scalar_cases.FAULTS, **scalar_cases.SOUND}
    case = scalar_cases.one(np.random.default_rng((43, 5)), name, kinds[name], hard=True).case
    rows = [magnified(row) for row in case.rows]
    assert begun(replace(case, rows=rows)) == begun(case)


def magnified(row: Row) -> Row:
    norm, rate, seconds = row.grad_norm or 0.0, row.lr or 0.0, row.step_time or 0.0
    return replace(row, grad_norm=norm * 2.0**-24, lr=rate * 1e3, step_time=seconds * 2.0**5)


def begun(case: Case) -> list[tuple[str, str, int]]:
    return [(said.about, said.rule, said.step) for said in signals(case) if said.act == "raise"]
