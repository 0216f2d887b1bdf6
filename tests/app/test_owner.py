"""Which rank speaks for the run."""

from __future__ import annotations

from app.series.owner import holders, owner_of, run_owner
from tests.support.curve_points import meta


def test_the_highest_rank_with_a_loss_speaks() -> None:
    ranks = {"loss": {0, 7}, "lr": {0, 7, 9}}
    assert run_owner(ranks, {}) == 7


def test_zero_bubble_leaves_the_loss_on_rank_zero() -> None:
    assert run_owner({"loss": {0, 7}}, {"zero_bubble_v": "True"}) == 0
    assert run_owner({"loss": {7}}, {"zero_bubble_v": "True"}) == 7
    assert run_owner({"loss": {0, 7}}, {"zero_bubble_v": "False"}) == 7


def test_without_a_loss_the_highest_rank_speaks_and_without_ranks_nobody() -> None:
    assert run_owner({"lr": {0, 3}}, {}) == 3
    assert run_owner({}, {}) is None


def test_a_metric_is_shown_of_the_losss_owner_if_it_has_it_else_of_the_highest_that_has() -> None:
    ranks = {"loss": {7}, "lr": {0, 7, 9}, "tflops": {0, 3}}
    assert owner_of("lr", ranks, {}) == 7
    assert owner_of("tflops", ranks, {}) == 3
    assert owner_of("nothing", ranks, {}) is None


def test_files_without_a_rank_belong_to_nobody_in_particular() -> None:
    series = [meta(rank=None), meta(rank=2), meta(rank=1, metric=None, tag="norm/a")]
    assert holders(series) == {"loss": {2}}
    assert holders(series, tag=True) == {"loss": {2}, "norm/a": {1}}
