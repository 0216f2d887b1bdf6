"""When a run will be through: by its usual step time now, with what it does between steps."""

from __future__ import annotations

import pytest

from app.series.eta import Eta, eta, of_points
from tests.support.curve_points import curve
from tests.support.seed import straight


def test_one_odd_step_changes_nothing_and_work_between_steps_counts() -> None:
    assert eta(100, [1000.0] * 8) == Eta(100.0)
    assert eta(100, [1000.0] * 8, overhead=0.25) == Eta(125.0)
    odd = eta(100, [1000.0, 1000.0, 1000.0, 1000.0, 60_000.0])
    assert odd is not None
    assert odd.seconds == 100.0


def test_a_range_is_said_when_the_step_time_varies() -> None:
    found = eta(1000, [800.0, 1000.0, 1200.0, 1000.0])
    assert found == Eta(1000.0, 800.0, 1200.0)
    assert eta(1000, [980.0, 1000.0, 1020.0]) == Eta(1000.0)


@pytest.mark.parametrize(("left", "times"), [(None, [1.0]), (5, []), (5, [float("nan")]), (5, [0.0, -1.0])])
def test_nothing_is_said_when_nothing_is_known(left: int | None, times: list[float]) -> None:
    assert eta(left, times) is None


def test_step_times_are_told_by_the_clock_of_the_newest_attempt() -> None:
    again = curve(straight(range(1, 100), every=9.0) + straight(range(50, 90), at=1_009_000.0, every=2.0))
    assert of_points(again, 0.5) == [2000.0] * 4
    assert of_points(curve([(step, float("nan"), 1.0) for step in range(40)]), 0.5) == [500.0]
    assert of_points(curve([(1, 0.0, 1.0), (5, 8.0, 1.0)]), None) == [2000.0]
    assert of_points(curve([]), None) == []
