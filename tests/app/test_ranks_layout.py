"""Where ranks are on the axes of a run, in MindSpore's order, and who may be compared with whom."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.series.ranks.layout import Layout

SIZES = st.integers(1, 5)


@settings(deadline=None)
@given(SIZES, SIZES, SIZES, SIZES)
def test_every_rank_has_a_place_of_its_own(dp: int, tp: int, pp: int, cp: int) -> None:
    layout = Layout(dp=dp, tp=tp, pp=pp, cp=cp)
    ranks = np.arange(layout.world)
    places = layout.places(ranks)
    together = np.stack([places[axis] for axis in ("pp", "dp", "cp", "tp")])
    assert len(np.unique(together, axis=1).T) == layout.world
    for axis, size in (("pp", pp), ("dp", dp), ("cp", cp), ("tp", tp)):
        assert np.unique(places[axis]).tolist() == list(range(size))
    counts = np.unique(layout.groups(ranks), return_counts=True)[1]
    assert counts.tolist() == [dp] * (tp * pp * cp)
    assert layout.has_loss(ranks).sum() == layout.world // pp


def test_neighbours_share_a_tensor_parallel_group_and_stages_follow_each_other() -> None:
    layout = Layout.of({"layout": "dp=2,tp=4,pp=2"}, range(16))
    assert layout.origin == "told"
    assert layout.groups(np.arange(8)).tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    assert layout.stages(np.arange(16)).tolist() == [0] * 8 + [1] * 8
    assert layout.has_loss(np.arange(16)).tolist() == [False] * 8 + [True] * 8


def test_zero_bubble_computes_the_loss_first() -> None:
    layout = Layout.of({"pipeline_stages": "2", "zero_bubble_v": "True"}, range(8))
    assert layout.has_loss(np.arange(8)).tolist() == [True] * 4 + [False] * 4


@pytest.mark.parametrize(
    ("facts", "seen", "sizes", "origin"),
    [
        ({}, 8, (8, 1, 1), "guessed"),
        ({"pipeline_stages": "2", "world_size": "8"}, 8, (4, 1, 2), "read"),
        ({"data_parallel": "2", "model_parallel": "4"}, 8, (2, 4, 1), "read"),
        ({"data_parallel": "2", "model_parallel": "2"}, 8, (8, 1, 1), "guessed"),
        ({"data_parallel": "4", "model_parallel": "2", "layout": "dp=2,tp=4"}, 8, (2, 4, 1), "told"),
        ({"layout": "dp=2;tp=4"}, 8, (8, 1, 1), "guessed"),
        ({"layout": "tp=4"}, 6, (2, 4, 1), "told"),
        ({"model_parallel": "four"}, 4, (4, 1, 1), "guessed"),
    ],
)
def test_told_before_read_before_guessed(
    facts: dict[str, str], seen: int, sizes: tuple[int, int, int], origin: str
) -> None:
    layout = Layout.of(facts, range(seen))
    assert (layout.dp, layout.tp, layout.pp, layout.origin) == (*sizes, origin)


def test_a_run_without_ranks_has_a_layout() -> None:
    assert Layout.of({}, ()).world == 1
