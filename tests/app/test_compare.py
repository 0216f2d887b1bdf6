"""Runs side by side, and a corridor of earlier runs: pure functions of curves."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.series.baseline import Corridor, Places, behind, corridor, places
from app.series.compare import AXES, Side, compare, placed
from app.series.curve import Curve


def curve(steps: Sequence[int], values: Sequence[float]) -> Curve:
    count = len(steps)
    return Curve(
        np.array(steps, dtype=np.int64),
        np.full(count, np.nan),
        np.array(values, dtype=np.float64),
        np.zeros(count, dtype=np.uint8),
        np.ones(count, dtype=np.int64),
    )


def falling(first: int = 1, last: int = 1000, *, late: float = 0.0, noise: float = 0.0, seed: int = 0) -> Places:
    """A loss that falls like a training's; ``late`` steps later than the usual one."""
    at = np.arange(first, last + 1, dtype=np.float64)
    scatter = np.random.default_rng(seed).normal(0, noise, len(at)) if noise else 0.0
    return places(at, 2 + 8 * np.exp(-(at - late) / 400) + scatter)


def test_each_run_stands_at_its_last_its_best_and_the_common_step() -> None:
    seen = compare([Side(curve([1, 2, 3], [5, 3, 4])), Side(curve([2, 4], [6, 5]))], "step", "lower")
    first, second = seen.stands
    assert seen.common == 3
    assert first.last is not None and first.best is not None and first.common is not None
    assert (first.last.step, first.best.step, first.best.value, first.common.value) == (3, 2, 3, 4)
    assert second.common is not None
    assert (second.common.step, second.common.value, second.difference) == (2, 6, 2)


def test_on_a_relative_axis_every_run_begins_at_zero() -> None:
    seen = compare([Side(curve([100, 101, 102], [5, 4, 3])), Side(curve([1, 2], [6, 5]))], "relative", "lower")
    assert seen.common == 1
    assert [one.common.step if one.common else None for one in seen.stands] == [101, 2]


def test_tokens_put_a_run_of_twice_the_batch_twice_as_far() -> None:
    sides = [Side(curve([10, 20], [5, 4]), 100.0), Side(curve([5, 10], [6, 3]), 200.0), Side(curve([1], [1]))]
    seen = compare(sides, "tokens", "lower")
    assert seen.common == 2000
    assert [one.common.value if one.common else None for one in seen.stands] == [4, 3, None]


def test_a_run_without_points_or_without_a_number_has_no_stand_to_tell() -> None:
    seen = compare([Side(curve([], [])), Side(curve([1, 2], [math.nan, math.inf]))], "step", "lower")
    assert seen.common == 2
    assert seen.stands[0].last is None
    assert seen.stands[1].best is None
    assert seen.stands[1].difference is None
    assert compare([], "step", "lower").common is None


def test_best_is_the_highest_where_higher_is_better_and_nothing_where_neither_is() -> None:
    side = Side(curve([1, 2, 3], [5, 9, 4]))
    highest = compare([side], "step", "higher").stands[0].best
    assert highest is not None and highest.value == 9
    assert compare([side], "step", "none").stands[0].best is None


STEPS = st.lists(st.integers(0, 10**9), max_size=20, unique=True).map(sorted)
VALUES = st.floats(allow_nan=True, allow_infinity=True)


@given(st.lists(st.tuples(STEPS, st.lists(VALUES, min_size=20, max_size=20)), max_size=4), st.sampled_from(AXES))
def test_the_common_place_is_one_that_all_have_reached(runs: list[tuple[list[int], list[float]]], axis: str) -> None:
    sides = [Side(curve(steps, values[: len(steps)]), 10.0) for steps, values in runs]
    seen = compare(sides, axis, "lower")  # type: ignore[arg-type]  # one of AXES
    for side, stand in zip(sides, seen.stands, strict=True):
        at = placed(side, axis)  # type: ignore[arg-type]
        assert at is not None
        if len(at):
            assert seen.common is not None and seen.common <= at[-1]
            assert stand.last is not None and stand.last.step == side.curve.steps[-1]
        if stand.common is not None:
            assert seen.common is not None and stand.common.at <= seen.common


def test_one_earlier_run_makes_a_band_around_its_middle() -> None:
    band = corridor([falling(noise=0.1)], 2000)
    assert len(band.at) == 125
    assert (band.low < band.mid).all() and (band.mid < band.high).all()
    usual = falling()
    inside = np.interp(band.at, usual.at, usual.values)
    assert ((band.low < inside) & (inside < band.high)).mean() > 0.99
    assert np.median(band.high - band.low) == pytest.approx(0.6, rel=0.25)  # six deviations


def test_several_make_a_band_from_the_lowest_to_the_highest() -> None:
    band = corridor([falling(late=0), falling(late=100), falling(late=50, last=500)], 500)
    assert np.isfinite(band.mid).all()
    at = int(np.searchsorted(band.at, 400))
    assert band.low[at] == pytest.approx(2 + 8 * math.exp(-band.at[at] / 400), rel=0.01)
    assert band.high[at] == pytest.approx(2 + 8 * math.exp(-(band.at[at] - 100) / 400), rel=0.01)
    assert band.mid[at] < band.high[at]
    beyond = band.at > 510
    assert band.mid[beyond] == pytest.approx((band.low[beyond] + band.high[beyond]) / 2)  # two are left


def test_a_spike_and_a_nan_move_the_middle_nowhere() -> None:
    usual = falling()
    values = usual.values.copy()
    values[500], values[501:504] = 1e6, np.nan
    band, smooth = corridor([places(usual.at, values)], 2000), corridor([usual], 2000)
    inside = np.interp(band.at, smooth.at, smooth.mid)
    assert np.abs(band.mid - inside).max() < 0.1


@pytest.mark.parametrize(("late", "told"), [(310, 310), (-310, -310), (0, 0)], ids=["behind", "ahead", "the same"])
def test_the_distance_is_that_of_a_run_that_began_later(late: float, told: float) -> None:
    seen = behind(falling(last=600, late=late), corridor([falling(last=1000)], 2000), "lower")
    assert seen.distance == pytest.approx(told, abs=12)
    assert seen.reason in ("", "noisy")
    if late:
        assert seen.enough


@pytest.mark.parametrize("seed", range(4))
def test_noise_does_not_make_the_baseline_look_better_than_it_was(seed: int) -> None:
    run = falling(last=2000, late=310, noise=0.05, seed=seed)
    seen = behind(run, corridor([falling(last=3000, noise=0.05, seed=seed + 50)], 2000), "lower")
    assert seen.distance == pytest.approx(310, abs=120)


def test_in_tokens_the_distance_is_in_tokens() -> None:
    usual, run = falling(last=1000), falling(last=600, late=310)
    seen = behind(Places(run.at * 2e6, run.values), corridor([Places(usual.at * 2e6, usual.values)], 2000), "lower")
    assert seen.distance == pytest.approx(310 * 2e6, rel=0.05)


@pytest.mark.parametrize(
    ("run", "earlier", "better", "reason"),
    [
        (places(np.zeros(0), np.zeros(0)), [falling()], "lower", "no_points"),
        (falling(), [places(np.zeros(0), np.zeros(0))], "lower", "no_baseline"),
        (falling(), [falling()], "none", "no_direction"),
        (places(np.arange(50.0), np.full(50, 30.0)), [falling()], "lower", "above_start"),
        (places(np.arange(50.0), np.full(50, 1.0)), [falling()], "lower", "below_best"),
        (places(np.arange(50.0), np.full(50, 1.0)), [falling()], "higher", "above_start"),
    ],
)
def test_what_cannot_be_told_says_why(run: Places, earlier: list[Places], better: str, reason: str) -> None:
    seen = behind(run, corridor(earlier, 100), better)  # type: ignore[arg-type]
    assert (seen.distance, seen.reason) == (None, reason)


def test_on_a_flat_and_noisy_stretch_the_distance_is_not_trusted() -> None:
    at = np.arange(1.0, 5001.0)
    noise = np.random.default_rng(1).normal(0, 0.3, (2, len(at)))
    flat = 2 + 0.00002 * (5000 - at)
    seen = behind(places(at[:3000], (flat + noise[0])[:3000]), corridor([places(at, flat + noise[1])], 2000), "lower")
    assert not seen.enough


@given(
    st.lists(
        st.lists(st.tuples(st.floats(0, 1e12), st.floats(allow_nan=True, allow_infinity=True)), max_size=40), max_size=4
    ),
    st.integers(1, 50),
)
def test_whatever_the_runs_hold_the_corridor_is_in_order(runs: list[list[tuple[float, float]]], points: int) -> None:
    made = [places(np.array([at for at, _ in one]), np.array([value for _, value in one])) for one in runs]
    with np.errstate(over="ignore", invalid="ignore"):
        band: Corridor = corridor(made, points)
    assert len(band.at) <= points
    assert (np.diff(band.at) >= 0).all()
    known = np.isfinite(band.low) & np.isfinite(band.mid) & np.isfinite(band.high)
    assert (band.low[known] <= band.mid[known]).all() and (band.mid[known] <= band.high[known]).all()
    finite = [one.values for one in made if len(one)]
    if len(finite) > 1:
        assert np.nanmin(band.low) >= min(one.min() for one in finite)
        assert np.nanmax(band.high) <= max(one.max() for one in finite)
    for one in made:
        with np.errstate(over="ignore", invalid="ignore"):
            seen = behind(one, band, "lower")
        assert (seen.distance is None) == (seen.reason not in ("", "noisy"))
