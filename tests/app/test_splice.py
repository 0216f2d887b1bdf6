"""Exact sources win step by step, the log fills, and the newest attempt is drawn."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.series.splice import latest, splice
from tests.support.curve_points import POINTS, counted, curve, points

EXACT = [(step, 100.0 + step, 1.0 / step) for step in range(1, 11)]
ROUNDED = [(step, 100.0 + step, round(1.0 / step, 3)) for step in range(1, 16)]


@given(POINTS, POINTS, POINTS)
def test_each_step_is_kept_whole_from_the_first_source_that_has_it(one: list, two: list, three: list) -> None:
    spliced = splice([curve(one, "tensorboard"), curve(two, "mindspore"), curve(three, "log")])
    expected = list(one)
    for other in (two, three):
        known = {point[0] for point in expected}
        expected += [point for point in other if point[0] not in known]
    assert counted(points(spliced)) == counted(expected)


@given(POINTS)
def test_one_source_alone_is_left_as_it_arrived(one: list) -> None:
    assert counted(points(splice([curve([]), curve(one), curve([])]))) == counted(one)
    assert splice([curve(one)]).steps.tolist() == [point[0] for point in one]


def test_the_log_fills_what_the_event_file_does_not_have_yet() -> None:
    spliced = splice([curve(EXACT, "tensorboard"), curve([]), curve(ROUNDED)])
    assert points(spliced) == [*EXACT, *ROUNDED[10:]]
    assert spliced.sources.tolist() == [0] * 10 + [2] * 5


def test_steps_between_are_put_in_their_place() -> None:
    spliced = splice([curve(EXACT[::2], "tensorboard"), curve(ROUNDED[:10])])
    assert spliced.steps.tolist() == list(range(1, 11))


def attempts(*several: list) -> tuple:
    found = curve([point for one in several for point in one])
    numbers = np.repeat(np.arange(1, len(several) + 1), [len(one) for one in several])
    return found.of_attempts(numbers), [one[0][0] for one in several]


def test_latest_is_one_value_a_step_and_the_newest_wins() -> None:
    found, first = attempts([(s, 0.0, 10.0 - s) for s in range(10)], [(s, 0.0, 100.0) for s in range(6, 15)])
    drawn = latest(found, first)
    assert drawn.steps.tolist() == list(range(15))
    assert drawn.values.tolist() == [10.0, 9.0, 8.0, 7.0, 6.0, 5.0] + [100.0] * 9


def test_an_abandoned_tail_is_not_in_the_latest_curve() -> None:
    found, first = attempts([(s, 0.0, 1.0) for s in range(1, 221)], [(s, 0.0, 2.0) for s in range(201, 206)])
    assert latest(found, first).steps.tolist() == list(range(1, 206))


def test_a_start_from_the_beginning_supersedes_everything() -> None:
    found, first = attempts([(s, 0.0, 1.0) for s in range(1, 100)], [(s, 0.0, 2.0) for s in range(1, 4)])
    assert latest(found, first).values.tolist() == [2.0, 2.0, 2.0]


def test_of_a_step_written_three_times_the_last_is_drawn() -> None:
    found, first = attempts([(100, 0.0, 0.75), (100, 3.0, 0.75), (100, 3410.0, 0.5)])
    assert points(latest(found, first)) == [(100, 3410.0, 0.5)]


@given(st.lists(POINTS.filter(bool), min_size=1, max_size=4))
def test_latest_has_every_step_at_most_once_and_in_order(several: list) -> None:
    found, first = attempts(*several)
    steps = latest(found, first).steps
    assert (np.diff(steps) > 0).all()
    assert set(steps.tolist()) >= {point[0] for point in several[-1]}
