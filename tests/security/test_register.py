"""Every grave row of the attack cases has a test of its name that pytest collects; no list can forget a row."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from functools import cache

import pytest

from tests.security.rows import OPTIONAL, ROWS, Row
from tests.test_architecture import ROOT

# tests/security/test_paths.py::test_a1_climbing_out_of_what_is_served[/assets/]
NAMED = re.compile(r"::test_((?:[a-f]\d{1,2}_)+)")
COUNTS = {"A": 10, "B": 14, "C": 16, "D": 6, "E": 1, "F": 4}  # of trust's section 3: 51 in all


@cache
def collected() -> Mapping[str, tuple[str, ...]]:
    """Row → the tests that pytest would run for it."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "tests/security"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert said.returncode == 0, said.stdout[-2000:]
    found: dict[str, list[str]] = {}
    for line in said.stdout.splitlines():
        named = NAMED.search(line)
        for row in named[1].rstrip("_").upper().split("_") if named else ():
            found.setdefault(row, []).append(line)
    return {row: tuple(tests) for row, tests in found.items()}


def test_the_table_has_all_rows_and_each_says_what_happened() -> None:
    names = [row.name for row in ROWS]
    assert names == [f"{letter}{number}" for letter, count in COUNTS.items() for number in range(1, count + 1)]
    assert len(names) == 51
    assert all(row.seen and row.what and row.priority in (0, 1, OPTIONAL) for row in ROWS)
    assert [row.name for row in ROWS if row.priority == OPTIONAL] == ["A10"]


@pytest.mark.timeout(150)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_grave_row_has_a_test(row: Row) -> None:
    assert collected().get(row.name) or row.priority == OPTIONAL, f"{row.name} ({row.seen}): {row.what}"


@pytest.mark.timeout(150)
def test_no_test_names_a_row_that_there_is_not() -> None:
    found = collected()
    assert found
    assert set(found) <= {row.name for row in ROWS}
    assert sum(map(len, found.values())) > len(ROWS)
