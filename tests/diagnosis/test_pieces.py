"""What is said is a function of what was told: not of the pieces in which it came, nor of restarts between them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import chain, islice, repeat

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.diagnosis.cases import Case
from app.diagnosis.replay import signals, spoken, told, watching
from app.diagnosis.row import Row
from app.diagnosis.signal import Signal
from app.diagnosis.watch import Watch
from tests.diagnosis.simulate import loss, loss_cases, scalar_cases

NAMES = ["burst", "faint", "shaken", "rewarmed", "slowed", "hung", "overfit_steep", "sawtooth", "few_digits"]


def example(seed: int, name: str) -> Case:
    """A case of a kind."""
    rng = np.random.default_rng((seed, 77))
    kinds = {**scalar_cases.FAULTS, **scalar_cases.SOUND}
    return scalar_cases.one(rng, name, kinds[name], hard=seed % 2 == 1).case


def restarted(case: Case, pieces: Callable[[], int]) -> list[Signal]:
    """What is said when the rules are saved and restored after each piece, through the text that would be stored."""
    watch, rest, found = watching(case), told(case), list[Signal]()
    while piece := list(islice(rest, pieces())):
        found += [said for one in piece for said in spoken(watch, one)]
        watch = Watch.restore(json.loads(json.dumps(watch.save())))
    return found


@pytest.mark.parametrize("size", [7, 1000])
@pytest.mark.parametrize("name", NAMES)
def test_pieces_of_any_size_say_the_same(name: str, size: int) -> None:
    case = example(3, name)
    assert restarted(case, lambda: size) == list(signals(case))


def test_a_restart_after_every_row_says_the_same() -> None:
    case = example(1, "burst")
    found = list(signals(case))
    (explosion,) = [one.step for one in found if one.act == "raise" and one.about == "grad_explode"]
    before = next(k for k, one in enumerate(told(case)) if isinstance(one, Row) and one.step == explosion) - 40
    sizes = chain([before], repeat(1, 120))
    assert restarted(case, lambda: next(sizes, 5000)) == found


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    name=st.sampled_from(sorted({**scalar_cases.FAULTS, **scalar_cases.SOUND})),
    sizes=st.lists(st.integers(1, 700), min_size=1, max_size=12),
)
def test_restarts_at_any_rows_say_the_same(seed: int, name: str, sizes: Sequence[int]) -> None:
    case = example(seed, name)
    cuts = iter([*sizes])
    assert restarted(case, lambda: next(cuts, 5000)) == list(signals(case))


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10_000), size=st.integers(50, 700))
def test_restarts_in_runs_with_a_faulty_loss_say_the_same(seed: int, size: int) -> None:
    kinds = sorted(loss.FAULTS)
    name = kinds[seed % len(kinds)]
    rng = np.random.default_rng((seed, 78))
    case = loss_cases.made(rng, name, loss.FAULTS[name], hard=seed % 2 == 1).case
    assert restarted(case, lambda: size) == list(signals(case))
