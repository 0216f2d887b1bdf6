"""What is drawn of a curve: no extreme is lost, nothing is invented, and what is hidden is counted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.series.curve import Curve
from app.series.reduce import LEAST, reduce
from tests.support.curve_points import curve, points

VALUES = st.one_of(st.floats(-1e3, 1e3), st.sampled_from([math.nan, math.inf, -math.inf]))
CURVES = st.lists(VALUES, min_size=0, max_size=400).map(
    lambda values: curve([(step, float(step), value) for step, value in enumerate(values)])
)


@settings(deadline=None)
@given(CURVES, st.integers(1, 120))
def test_a_reduced_curve_fits_and_keeps_its_ends_and_its_extremes(whole: Curve, budget: int) -> None:
    drawn = reduce(whole, budget)
    assert len(drawn.curve) <= max(budget, LEAST)
    assert drawn.total == len(whole)
    finite = whole.values[np.isfinite(whole.values)]
    kept = drawn.curve.values[np.isfinite(drawn.curve.values)]
    if len(whole):
        assert drawn.curve.steps[[0, -1]].tolist() == whole.steps[[0, -1]].tolist()
    if len(finite):
        assert (kept.min(), kept.max()) == (finite.min(), finite.max())


@given(CURVES, st.integers(1, 120))
def test_every_drawn_point_is_one_of_the_curve_in_its_order(whole: Curve, budget: int) -> None:
    drawn = reduce(whole, budget).curve
    assert (np.diff(drawn.steps) > 0).all()
    np.testing.assert_array_equal(drawn.values, whole.values[drawn.steps])


@given(CURVES, st.integers(1, 120))
def test_nan_and_infinities_are_drawn_or_counted(whole: Curve, budget: int) -> None:
    drawn = reduce(whole, budget)
    strange = np.count_nonzero(~np.isfinite(whole.values))
    assert np.count_nonzero(~np.isfinite(drawn.curve.values)) + drawn.hidden_nan == strange


@given(CURVES)
def test_zero_means_every_point(whole: Curve) -> None:
    drawn = reduce(whole, 0)
    assert (drawn.curve is whole, drawn.total, drawn.hidden_nan) == (True, len(whole), 0)


def test_each_single_spike_of_a_long_curve_is_drawn() -> None:
    values = np.zeros(100_000)
    spikes = np.arange(50, 100_000, 1000)
    values[spikes] = 5.0
    whole = curve([(step, 0.0, value) for step, value in enumerate(values.tolist())])
    drawn = reduce(whole, 2000)
    assert set(spikes.tolist()) <= set(drawn.curve.steps.tolist())
    assert len(drawn.curve) <= 2000


@pytest.mark.parametrize("strange", [math.nan, math.inf, -math.inf])
def test_a_lonely_strange_value_is_drawn(strange: float) -> None:
    values = [1.0] * 5000 + [strange] + [1.0] * 5000
    drawn = reduce(curve([(step, 0.0, value) for step, value in enumerate(values)]), 200)
    assert 5000 in drawn.curve.steps.tolist()
    assert drawn.hidden_nan == 0


def test_a_curve_of_nothing_but_nan_is_drawn_as_marks() -> None:
    drawn = reduce(curve([(step, 0.0, math.nan) for step in range(1000)]), 100)
    assert 0 < len(drawn.curve) <= 100
    assert drawn.hidden_nan == 1000 - len(drawn.curve)
    assert len(points(drawn.curve)) == len(drawn.curve)
