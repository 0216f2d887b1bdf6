"""Rules that people write."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.diagnosis.memory import restore, save
from app.diagnosis.rules.custom import Custom, UserRule

NAN = float("nan")


def acts(rule: UserRule, values: Sequence[float], every: float | None = 10.0) -> list[tuple[str, int]]:
    custom = Custom.of(rule)
    return [
        (one.act, one.step)
        for at, value in enumerate(values)
        for one in custom.take(at, None if every is None else 1e9 + every * at, value)
    ]


def test_above_holds_for_so_many_points_and_ends_after_as_many() -> None:
    rule = UserRule("high", "above", 8, metric="loss", rows=3)
    assert acts(rule, [9, 9, 7, 9, 9, 9, 9, 7, 9, 7, 7, 7]) == [("raise", 5), ("clear", 11)]


@pytest.mark.parametrize(
    ("condition", "number", "values", "expected"),
    [
        ("above", 8, [8, 8.1], [("raise", 1)]),
        ("below", 2, [2, 1.9, 2], [("raise", 1), ("clear", 2)]),
        ("not_finite", 0, [1, NAN, float("inf"), 1], [("raise", 1), ("clear", 3)]),
        ("above", 8, [NAN, 9], [("raise", 1)]),
        ("above", 8, [float("inf")], [("raise", 0)]),
    ],
)
def test_conditions(condition, number, values, expected) -> None:
    assert acts(UserRule("a", condition, number, metric="loss"), values) == expected


def test_a_time_is_measured_by_the_clock_of_the_run() -> None:
    rule = UserRule("high", "above", 8, metric="loss", seconds=60)
    assert acts(rule, [9] * 10) == [("raise", 6)]
    assert acts(rule, [9] * 10, every=None) == []


@pytest.mark.parametrize(
    ("condition", "change", "is_told"),
    [("rises_by", 1.25, True), ("rises_by", 1.15, False), ("falls_by", 0.75, True), ("falls_by", 1.25, False)],
)
def test_a_change_is_measured_over_a_stretch(condition, change: float, is_told: bool) -> None:
    rule = UserRule("change", condition, 0.2, metric="loss", within=40)
    for sign in (1, -1):
        values = [sign * 2.0] * 60 + [sign * 2.0 * (change if sign > 0 else 2 - change)] * 60
        found = acts(rule, values)
        assert bool(found) is is_told
        assert not found or 60 < found[0][1] <= 64  # a single wild point is no change, half of the ends are


def test_one_wild_point_is_no_change() -> None:
    assert acts(UserRule("c", "rises_by", 0.2, metric="loss", within=40), [2.0] * 80 + [50.0] + [2.0] * 80) == []


def test_what_is_missing_is_told_by_the_clock_and_ends_with_a_point() -> None:
    custom = Custom.of(UserRule("no evaluation", "missing_for", 600, metric="eval_loss", severity="critical"))
    assert list(custom.at(0.0)) == []
    assert list(custom.at(599.0)) == []
    (raised,) = custom.at(600.0)
    assert (raised.about, raised.rule, raised.severity, raised.evidence.value) == (
        "custom",
        "no evaluation",
        "critical",
        600,
    )
    assert list(custom.at(700.0)) == []
    assert [one.act for one in custom.take(5, 710.0, 2.0)] == ["clear"]


@given(
    st.lists(st.floats(-10, 10), max_size=80), st.integers(0, 80), st.sampled_from(["above", "rises_by", "falls_by"])
)
def test_a_saved_rule_goes_on_as_if_it_had_never_stopped(values: list[float], cut: int, condition) -> None:
    rule = UserRule("a", condition, 0.5, metric="loss", rows=2, within=8, runs=("x*",))
    straight, first = Custom.of(rule), Custom.of(rule)
    expected = [one for at, value in enumerate(values) for one in straight.take(at, float(at), value)]
    found = [one for at, value in enumerate(values[:cut]) for one in first.take(at, float(at), value)]
    second = restore(Custom, json.loads(json.dumps(save(first))))
    found += [
        one for at, value in enumerate(values[cut:], len(values[:cut])) for one in second.take(at, float(at), value)
    ]
    assert found == expected
