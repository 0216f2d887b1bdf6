"""Deviations against a slow and plain computation of the same, and what must not change them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.series.curve import Floats
from app.series.ranks import history
from app.series.ranks.cohorts import Cohorts
from app.series.ranks.deviation import deviation
from app.series.ranks.middle import medians
from tests.app.test_ranks_grid import grid


def plain(values: Floats, groups: list[int]) -> Floats:
    """z as it is described, cell by cell."""
    found = np.full(values.shape, math.nan)
    for group in set(groups):
        rows = [row for row, one in enumerate(groups) if one == group]
        went, count = 0.0, 0
        for step in range(values.shape[1]):
            live = [row for row in rows if np.isfinite(values[row, step]) and values[row, step] != 0]
            if len(live) < 4:
                continue
            middle = float(np.median(values[live, step]))
            raw = 1.4826 * float(np.median(np.abs(values[live, step] - middle))) * (1 + 1.6 / len(rows)) / abs(middle)
            count += 1
            went += max(0.05, 1 / count) * (raw - went)
            for row in live:
                found[row, step] = (values[row, step] - middle) / (max(raw, went, 0.005) * abs(middle))
    return found


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000), st.sampled_from([(5,), (4, 6), (8, 8, 5)]), st.booleans())
def test_z_is_what_the_description_says(seed: int, sizes: tuple[int, ...], gaps: bool) -> None:
    chance = np.random.default_rng(seed)
    groups = [number for number, size in enumerate(sizes) for _ in range(size)]
    chance.shuffle(groups)
    values = (1 + np.array(groups))[:, None] * (1 + 0.05 * chance.standard_normal((len(groups), 25)))
    if gaps:
        values[chance.random(values.shape) < 0.1] = chance.choice([math.nan, 0.0, math.inf])
    found = deviation(grid(values), np.array(groups))
    if (found.course.same < 0.6).all():  # otherwise each rank's own distance is taken off first
        np.testing.assert_allclose(found.z, plain(values, groups), rtol=2e-3, atol=2e-3)


def test_value_usual_and_relative_belong_together() -> None:
    values = 3 + 0.1 * np.random.default_rng(0).standard_normal((12, 40))
    found = deviation(grid(values), np.arange(12) % 2)
    np.testing.assert_allclose(values / found.usual - 1, found.relative, atol=1e-5)
    rows, columns = np.array([3, 7]), np.array([5, 30])
    usual, z = found.at(rows, columns)
    np.testing.assert_array_equal(usual, found.usual[rows, columns])
    np.testing.assert_array_equal(z, found.z[rows, columns])


def test_zeros_and_what_is_no_number_are_nothing() -> None:
    values = 3 + 0.1 * np.random.default_rng(0).standard_normal((8, 30))
    values[2, 3:9], values[4, 5], values[5, 6] = 0, math.nan, math.inf
    z = deviation(grid(values), np.zeros(8, np.int64)).z
    assert np.isnan(z[2, 3:9]).all()
    assert np.isnan(z[[4, 5], [5, 6]]).all()
    assert np.isfinite(z[2, 9:]).all()


def test_ranks_of_small_groups_are_compared_by_their_distance_from_their_own_history() -> None:
    chance = np.random.default_rng(1)
    levels = np.array([1.0, 5.0, 2.0, 9.0, 4.0, 7.0])[:, None]
    values = levels * (3 + 5 * np.exp(-np.arange(200) / 50)) * (1 + 0.03 * chance.standard_normal((6, 200)))
    values[3, 150:] *= 1.5
    found = deviation(grid(values), np.arange(6) // 2)
    assert found.pooled
    assert np.nanmedian(found.z[3, 150:]) > 5
    assert np.nanmax(np.abs(np.nanmedian(found.z[:, :150], axis=1))) < 1


def test_what_was_usual_is_the_median_of_blocks_before() -> None:
    table = np.arange(64, dtype=np.float32)[:, None]
    usual = history.usual(table)[:, 0]
    assert usual[:32].tolist() == [7.5] * 32  # the first block has nothing before it
    assert usual[32:48].tolist() == [15.5] * 16
    assert usual[48:].tolist() == [23.5] * 16


def test_a_rank_that_came_late_begins_with_its_own_first_block() -> None:
    table = np.full((64, 2), 5, np.float32)
    table[:40, 1] = math.nan
    assert history.usual(table).tolist() == [[5, 5]] * 64
    table[:, 1] = math.nan
    assert np.isnan(history.usual(table)[:, 1]).all()


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.integers(0, 999))
def test_medians_of_cohorts_are_those_of_their_rows(keys: list[int], seed: int) -> None:
    values = np.random.default_rng(seed).choice([1.0, 2.0, 3.0, 7.0, math.nan], (len(keys), 4))
    cohorts = Cohorts.by(np.array(keys))
    found = cohorts.medians(cohorts.table(values))
    for place, key in enumerate(cohorts.keys.tolist()):
        rows = values[np.array(keys) == key]
        for step in range(4):
            known = rows[~np.isnan(rows[:, step]), step]
            wanted = np.median(known) if len(known) else math.nan
            np.testing.assert_equal(found[step, place], np.float32(wanted))
    np.testing.assert_array_equal(cohorts.untabled(cohorts.table(values)), values.astype(np.float32))
    assert cohorts.spread(cohorts.keys)[np.argsort(cohorts.order)].tolist() == keys


@pytest.mark.parametrize("size", [0, 1, 2, 5])
def test_a_median_of_nothing_is_no_number(size: int) -> None:
    assert np.isnan(medians(np.full((3, size), math.nan))).all()
