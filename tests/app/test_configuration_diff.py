"""What of a run's configuration is known, and what differs between runs."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.configuration import compared, configuration, layout, same

FACTS = {
    "configuration:parallel_config": json.dumps({"data_parallel": "8", "recompute.layers": "[1, 2]"}),
    "configuration:seed": json.dumps({"": "42"}),
    "configuration:torn": "{",
    "configuration:odd": "[1]",
    "lineage:optimizer": "Adam",
    "text:parallel_config/text_summary": "{'data_parallel': 8}",
    "total_steps": "1000",
    "data_parallel": "8",
}


def test_every_source_of_settings_is_put_under_one_key_each() -> None:
    assert configuration(FACTS) == {
        "lineage.optimizer": "Adam",
        "parallel_config.data_parallel": "8",
        "parallel_config.recompute.layers": "[1, 2]",
        "run.data_parallel": "8",
        "run.total_steps": "1000",
        "seed": "42",
    }
    assert layout(FACTS) == {"data_parallel": "8"}
    assert configuration({}) == {}


def test_only_what_differs_is_listed_and_a_missing_key_is_a_difference() -> None:
    one, other = {"a": "1", "lr": "1e-05", "same": "x"}, {"lr": "2e-5", "same": "x", "b": "new"}
    assert [(it.key, it.values) for it in compared([one, other])] == [
        ("a", ("1", None)),
        ("b", (None, "new")),
        ("lr", ("1e-05", "2e-5")),
    ]
    assert [it.key for it in compared([one, other], everything=True)] == ["a", "b", "lr", "same"]
    assert compared([]) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [("1e-05", "0.00001"), ("8", "8.0"), ("true", "True"), ("null", "None"), ("nan", "NaN"), (" a", "a")],
)
def test_two_spellings_of_one_value_are_no_difference(one: str, other: str) -> None:
    assert same(one, other)


@pytest.mark.parametrize(("one", "other"), [("1", "2"), ("None", None), ("a", "b"), ("1", "True"), ("", None)])
def test_two_values_are_a_difference(one: str, other: str | None) -> None:
    assert not same(one, other)


@given(st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=3)), min_size=1, max_size=4))
def test_no_run_differs_from_itself_and_every_key_is_told(runs: list[dict[str, str]]) -> None:
    assert compared([runs[0]] * 3) == []
    told = {it.key for it in compared(runs, everything=True)}
    assert told == {key for one in runs for key in one}
    assert all(len(it.values) == len(runs) for it in compared(runs))
