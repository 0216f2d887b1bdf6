"""Every grave row of the attack cases has a test of its name that pytest collects; no list can forget a row."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.security.rows import OPTIONAL, ROWS, Row

HERE = Path(__file__).parent
# test_a1_climbing_out_of_what_is_served
NAMED = re.compile(r"test_((?:[a-f]\d{1,2}_)+)")
COUNTS = {"A": 10, "B": 14, "C": 16, "D": 6, "E": 1, "F": 4}  # of trust's section 3: 51 in all


@cache
def named() -> Mapping[str, tuple[str, ...]]:
    """Row → tests of this directory that have its name, as pytest finds them: functions of modules called test_*."""
    found: dict[str, list[str]] = {}
    for path in sorted(HERE.glob("test_*.py")):
        for node in ast.parse(path.read_text()).body:
            told = NAMED.match(node.name) if isinstance(node, ast.FunctionDef) else None
            for row in told[1].rstrip("_").upper().split("_") if told else ():
                found.setdefault(row, []).append(f"{path.name}::{node.name}")
    return {row: tuple(tests) for row, tests in found.items()}


def test_the_table_has_all_rows_and_each_says_what_happened() -> None:
    names = [row.name for row in ROWS]
    assert names == [f"{letter}{number}" for letter, count in COUNTS.items() for number in range(1, count + 1)]
    assert len(names) == 51
    assert all(row.seen and row.what and row.priority in (0, 1, OPTIONAL) for row in ROWS)
    assert [row.name for row in ROWS if row.priority == OPTIONAL] == ["A10"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_grave_row_has_a_test(row: Row) -> None:
    assert named().get(row.name) or row.priority == OPTIONAL, f"{row.name} ({row.seen}): {row.what}"


def test_what_has_a_row_s_name_is_collected(request: pytest.FixtureRequest) -> None:
    """As far as pytest was asked for its module: none of them is hidden from it."""
    collected = {item.nodeid.split("[")[0].rpartition("/")[2] for item in request.session.items}
    modules = {one.split("::")[0] for one in collected}
    wanted = {test for tests in named().values() for test in tests if test.split("::")[0] in modules}
    only = request.config.option
    assert wanted <= collected or only.keyword or only.markexpr or any("::" in one for one in request.config.args)


def test_no_test_names_a_row_that_there_is_not() -> None:
    assert set(named()) <= {row.name for row in ROWS}
    assert sum(map(len, named().values())) > len(ROWS)


def test_no_test_of_a_row_is_skipped_or_expected_to_fail() -> None:
    marked = [
        path.name
        for path in HERE.glob("test_*.py")
        if re.search(r"mark\.(skip|xfail)|pytest\.skip\(", path.read_text())
    ]
    assert [one for one in marked if one != Path(__file__).name] == []
