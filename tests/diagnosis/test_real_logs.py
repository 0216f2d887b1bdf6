"""Public training logs, in place: what went wrong in them is found, and nothing is said of gradients and rates."""

from __future__ import annotations

from functools import cache

import pytest

from app.diagnosis.cases import cases_below
from app.diagnosis.replay import is_alert, signals
from tests.conftest import SHARED

REAL = SHARED / "detection" / "real"
pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason="the public logs are not here")


@cache
def alerts() -> dict[str, list[tuple[str, int]]]:
    """Classes and steps of every log."""
    return {case.name: [(one.about, one.step) for one in signals(case) if is_alert(one)] for case in cases_below(REAL)}


def of(about: str) -> dict[str, int]:
    return {name: step for name, found in alerts().items() for one, step in found if one == about}


def test_both_overfits_are_found_at_their_fourth_evaluation() -> None:
    assert of("overfit") == {"hf_whisper_hi_overfit.csv": 4000, "hf_whisper_ja_overfit.csv": 4000}


def test_the_slow_segment_is_found() -> None:
    assert 29945 <= of("throughput")["megatron_deepseekv3_proxy.csv"] <= 30650


@pytest.mark.parametrize("about", ["grad_vanish", "lr_anomaly", "loss_scale", "stall", "tb_missing"])
def test_nothing_is_said_that_is_not_so(about: str) -> None:
    assert of(about) == {}


def test_an_explosion_is_said_only_of_logs_that_have_one() -> None:
    assert set(of("grad_explode")) <= {"bs_tr11_176b_excerpts.csv", "bs_tr8_104b_excerpts.csv"}


@pytest.mark.parametrize("about", ["nan_inf", "loss_spike", "divergence", "jitter", "plateau"])
def test_a_loss_is_said_to_be_wrong_only_in_logs_of_incidents(about: str) -> None:
    assert set(of(about)) <= {"bs_tr11_176b_excerpts.csv", "bs_tr8_104b_excerpts.csv"}
