"""One record in two files is one point; one record twice in one file is two."""

from __future__ import annotations

from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from app.series.twins import join
from tests.support.curve_points import POINTS, counted, curve, points

NAN = float("nan")
LINE = [(step, 100.0 + step, 1.0 / step) for step in range(1, 50)]


@given(st.lists(POINTS, min_size=1, max_size=3))
def test_the_join_keeps_each_point_as_often_as_the_file_that_has_it_most_often(files: list[list]) -> None:
    joined = join([curve(file) for file in files])
    assert counted(points(joined)) == reduce(lambda one, other: one | other, [counted(file) for file in files])


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 5), st.just(NAN), st.sampled_from([1.0, NAN]))), min_size=1, max_size=3)
)
def test_without_clocks_the_join_does_the_same(files: list[list]) -> None:
    joined = join([curve(file) for file in files])
    assert counted(points(joined)) == reduce(lambda one, other: one | other, [counted(file) for file in files])


@given(POINTS)
def test_a_file_joined_with_itself_is_itself(file: list) -> None:
    assert counted(points(join([curve(file), curve(file)]))) == counted(file)


def test_a_twin_that_lags_behind_adds_nothing_and_keeps_the_order() -> None:
    assert points(join([curve(LINE), curve(LINE[:20])])) == LINE
    assert points(join([curve(LINE[:20]), curve(LINE)])) == LINE
    assert points(join([curve(LINE), curve(LINE[10:30])])) == LINE


def test_files_that_complete_each_other_come_in_the_order_of_time() -> None:
    assert points(join([curve(LINE[:30]), curve(LINE[20:])])) == LINE
    holes = [one for one in LINE if one[0] not in (7, 9)]
    assert points(join([curve(holes), curve(LINE[5:10])])) == LINE


def test_a_line_that_one_file_holds_twice_stays_twice() -> None:
    twice = [*LINE, LINE[-1]]
    assert points(join([curve(LINE), curve(twice)])) == twice
    assert points(join([curve(twice), curve(twice)])) == twice


def test_a_file_without_a_clock_is_matched_by_step_and_value() -> None:
    timeless = [(step, NAN, value) for step, _, value in LINE]
    assert points(join([curve(timeless), curve(LINE)])) == LINE
    assert points(join([curve(timeless), curve(LINE[:-1])]))[:-1] == LINE[:-1]


def test_nan_values_of_twins_are_the_same_point() -> None:
    broken = [(1, 1.0, NAN), (2, 2.0, NAN)]
    assert len(join([curve(broken), curve(broken)])) == 2
