"""Values of many ranks side by side: nothing moved, nothing lost, and every cell says what it is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.series.curve import Floats
from app.series.ranks.grid import DOWN, FROZEN, MISSING, NAN, OK, UP, ZERO, Grid, assembled, kinds
from tests.support.curve_points import curve

VALUES = st.sampled_from([0.0, 1.0, 2.5, math.nan, math.inf, -math.inf])
RANKS = st.dictionaries(st.integers(0, 20), st.dictionaries(st.integers(0, 12), VALUES, max_size=10), max_size=6)


def grid(values: Floats, *, missing: float | None = None, first: int = 1) -> Grid:
    """Ranks from 0, steps from ``first``, a second a step."""
    there = values != missing if missing is not None else np.ones(values.shape, np.bool_)
    steps = np.arange(first, first + values.shape[1])
    return Grid(np.arange(len(values)), steps, steps + 1e9, np.where(there, values, np.nan), there)


@settings(deadline=None)
@given(RANKS)
def test_every_point_stands_at_its_rank_and_step(ranks: dict[int, dict[int, float]]) -> None:
    curves = {
        rank: curve([(step, 1e9 + step, points[step]) for step in sorted(points)]) for rank, points in ranks.items()
    }
    found = assembled(curves)
    have = {
        (rank, step): found.values[row, column]
        for row, rank in enumerate(found.ranks.tolist())
        for column, step in enumerate(found.steps.tolist())
        if found.there[row, column]
    }
    wanted = {(rank, step): value for rank, points in ranks.items() for step, value in points.items()}
    assert have.keys() == wanted.keys()
    assert all(have[at] == wanted[at] or (math.isnan(have[at]) and math.isnan(wanted[at])) for at in wanted)
    assert np.isnan(found.values[~found.there]).all()
    assert found.walls.tolist() == [1e9 + step for step in found.steps.tolist()]
    assert found.seen.tolist() == [max(ranks[rank], default=-1) for rank in sorted(ranks)]


def test_a_window_takes_both_ends() -> None:
    whole = grid(np.arange(20.0).reshape(2, 10))
    assert whole.window(3, 5).steps.tolist() == [3, 4, 5]
    assert whole.window(None, 2).values.tolist() == [[0, 1], [10, 11]]
    assert whole.window(11, None).shape == (2, 0)
    assert whole.window(8, 3).shape == (2, 0)


@settings(deadline=None)
@given(st.integers(1, 5), st.integers(1, 60), st.integers(1, 70), st.integers(0, 999))
def test_few_columns_show_real_cells_of_their_own_stretch(ranks: int, columns: int, most: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    values = chance.choice([1.0, 1.1, 1.2, 9.0, math.nan, math.inf, -1.0], (ranks, columns))
    whole = grid(values, missing=-1.0)
    few, chosen = whole.columns(most), whole.choice(most)
    assert few.shape == (ranks, min(columns, most))
    assert few.steps[-1] == whole.steps[-1]
    np.testing.assert_array_equal(few.values, np.take_along_axis(whole.values, chosen, axis=1))
    ends = np.searchsorted(whole.steps, few.steps)
    assert (chosen <= ends).all()
    assert (chosen[:, 1:] > ends[:-1]).all()
    # What is no number is never hidden by one, and nothing hides a value.
    for row in range(ranks):
        for bucket, end in enumerate(ends.tolist()):
            begin = 0 if bucket == 0 else int(ends[bucket - 1]) + 1
            there, cells = whole.there[row, begin : end + 1], whole.values[row, begin : end + 1]
            assert few.there[row, bucket] == there.any()
            assert bool(np.isfinite(few.values[row, bucket])) == bool(there.any() and np.isfinite(cells[there]).all())


def test_of_a_bucket_the_cell_that_the_others_do_not_have_stands_out() -> None:
    falling = np.tile(np.linspace(10, 2, 100), (8, 1)) + np.arange(8)[:, None]
    falling[3, 41] += 2
    falling[5, 77] -= 2
    few = grid(falling).columns(10)
    assert few.values[3, 4] == falling[3, 41]
    assert few.values[5, 7] == falling[5, 77]


def test_each_kind_of_cell() -> None:
    values = np.array(
        [[1.0, math.nan, math.inf, -math.inf, -1.0], [0.0, 0.0, 0.0, 0.0, -1.0], [2.0, 3.0, 4.0, 5.0, 6.0]]
    )
    found = kinds(grid(values, missing=-1.0))
    assert found.tolist() == [[OK, NAN, UP, DOWN, MISSING], [ZERO] * 4 + [MISSING], [OK] * 5]


def test_zeros_of_all_are_values_and_so_are_those_of_one_in_a_group() -> None:
    assert (kinds(grid(np.zeros((4, 8)))) == OK).all()
    moving = np.random.default_rng(0).uniform(1, 2, (8, 20))
    moving[2] = 0
    assert (kinds(grid(moving), np.zeros(8, np.int64))[2] == FROZEN).all()
    assert (kinds(grid(moving), np.arange(8))[2] == ZERO).all()


@pytest.mark.parametrize("gaps", [False, True])
def test_a_value_that_stays_while_the_group_moves_is_frozen_from_its_first(gaps: bool) -> None:
    values = np.random.default_rng(1).uniform(1, 2, (8, 40))
    values[3, 10:21] = values[3, 10]
    values[5, 30:35] = values[5, 30]
    if gaps:
        values[3, 12:20:2] = -1
    found = kinds(grid(values, missing=-1.0), np.zeros(8, np.int64))
    stuck = np.flatnonzero(found[3] == FROZEN).tolist()
    assert stuck == [at for at in range(10, 21) if values[3, at] != -1]
    assert not (np.delete(found, 3, axis=0) == FROZEN).any()


def test_nobody_is_frozen_where_all_stand_still_or_numbers_have_two_digits() -> None:
    still = np.tile(np.random.default_rng(2).uniform(1, 2, (8, 1)), (1, 50))
    coarse = np.random.default_rng(3).integers(10, 13, (64, 500)) / 10
    assert not (kinds(grid(still), np.zeros(8, np.int64)) == FROZEN).any()
    assert not (kinds(grid(coarse), np.zeros(64, np.int64)) == FROZEN).any()


def test_a_frozen_rank_of_two_is_seen_by_the_other() -> None:
    values = np.random.default_rng(4).uniform(1, 2, (2, 30))
    values[1, 15:] = values[1, 15]
    found = kinds(grid(values), np.zeros(2, np.int64))
    assert (found[1] == FROZEN).tolist() == [False] * 15 + [True] * 15
    assert (found[0] == OK).all()


@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (0, 5), (1, 1)])
def test_grids_without_anything(shape: tuple[int, int]) -> None:
    empty = grid(np.ones(shape))
    assert kinds(empty, np.zeros(shape[0], np.int64)).shape == shape
    assert empty.columns(4).shape == (shape[0], min(shape[1], 4))
    assert len(empty.seen) == shape[0]
