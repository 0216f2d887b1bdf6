"""Who was first: by the ranks' own steps, then those that followed; clocks decide nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from app.series.ranks.first import First, Order, order
from app.series.ranks.grid import Grid
from tests.app.test_ranks_grid import grid


def ranks(found: tuple[First, ...]) -> list[tuple[int, int]]:
    return [(one.rank, one.step) for one in found]


def values(count: int = 8, steps: int = 200) -> np.ndarray:
    return 3 + 0.05 * np.random.default_rng(0).standard_normal((count, steps))


def test_a_nan_that_spreads_is_told_from_its_first_rank() -> None:
    losses = values()
    losses[:, 120:] = math.nan
    losses[5, 118:] = math.nan
    losses[[2, 7], 119:] = math.nan
    found = order("nan", {"local_loss": grid(losses)})
    assert found.first == (First(5, 119, "local_loss", 1e9 + 119, None),)
    assert ranks(found.followed) == [(2, 120), (7, 120), (0, 121), (1, 121), (3, 121), (4, 121), (6, 121)]


def test_of_several_tags_the_lowest_step_counts_and_of_equal_ones_the_first_named() -> None:
    losses, norms = values(), values()
    losses[:, 120:] = math.nan
    norms[3, 117:], norms[:, 120:] = math.inf, math.inf
    losses[4, 118], norms[4, 118] = math.inf, math.inf
    found = order("inf", {"local_loss": grid(losses), "device_local_norm": grid(norms)})
    assert ranks(found.first) == [(3, 118)]
    assert (found.first[0].tag, found.followed[0].tag) == ("device_local_norm", "local_loss")
    assert ranks(order("nan", {"local_loss": grid(losses), "norm": grid(norms)}).first)[0] == (0, 121)


def test_clocks_of_hosts_do_not_decide() -> None:
    losses = values(2)
    losses[0, 100:], losses[1, 101:] = math.nan, math.nan
    whole = grid(losses)
    turned = Grid(whole.ranks, whole.steps, whole.walls[::-1], whole.values, whole.there)
    assert ranks(order("nan", {"loss": turned}).first) == [(0, 101)]


@pytest.mark.parametrize(("at", "rank"), [(None, 6), (150, 6), (190, 6), (40, 1), (1, 1), (60, 1), (95, 1), (100, 6)])
def test_the_newest_time_or_the_one_that_was_chosen(at: int | None, rank: int) -> None:
    losses = values()
    losses[1, 40:45], losses[2, 42:45] = math.nan, math.nan
    losses[6, 150:152] = math.nan
    assert [one.rank for one in order("nan", {"loss": grid(losses)}, at).first] == [rank]


def test_a_spike_begins_on_the_rank_that_stands_out_first() -> None:
    norms = values(8, 300)
    norms[4, 200:206] *= 3
    norms[:, 203:206] *= 2
    found = order("spike", {"device_local_norm": grid(norms)})
    assert ranks(found.first) == [(4, 201)]
    assert {one.rank for one in found.followed} == {0, 1, 2, 3, 5, 6, 7}
    assert {one.step for one in found.followed} == {204}


def test_one_hard_batch_is_no_spike_and_one_huge_value_is() -> None:
    norms = values(8, 300)
    norms[2, 100] *= 1.8
    assert order("spike", {"norm": grid(norms)}) == Order((), ())
    norms[2, 100] *= 5
    assert ranks(order("spike", {"norm": grid(norms)}).first) == [(2, 101)]


def test_a_falling_loss_is_no_spike() -> None:
    losses = values(4, 300) * (1 + 3 * np.exp(-np.arange(300) / 30))
    assert order("spike", {"loss": grid(losses)}) == Order((), ())


def test_a_stall_is_told_from_the_rank_that_stopped_first() -> None:
    losses = values(4, 50)
    losses[2, 45:], losses[0, 47:] = -1, -1
    other = grid(np.where(np.arange(30) < 30, values(4, 30), -1))
    found = order("stall", {"loss": grid(losses, missing=-1.0), "norm": other})
    assert ranks(found.first) == [(2, 45)]
    assert ranks(found.followed) == [(0, 47), (1, 50), (3, 50)]
    assert found.first[0].wall == 1e9 + 45
    assert ranks(order("stall", {"loss": grid(losses, missing=-1.0)}, 46).followed) == [(0, 46), (1, 46), (3, 46)]


@pytest.mark.parametrize("what", ["nan", "inf", "spike", "stall"])
def test_where_nothing_was_nobody_is_first(what: str) -> None:
    empty = grid(np.ones((0, 0)))
    assert order(what, {}) == order(what, {"loss": empty}) == Order((), ())  # type: ignore[arg-type]
    if what != "stall":
        assert order(what, {"loss": grid(values())}) == Order((), ())  # type: ignore[arg-type]
