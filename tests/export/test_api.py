"""``/api/runs/<run>/export.csv`` and its kin, as a program asks for them."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from flask.testing import FlaskClient

from app.api.exports import MOST, SLOTS
from tests.support.seed import RUN, Seed, straight

NAN, INF = float("nan"), float("inf")
AT = 1_795_961_300.0


def table(client: FlaskClient, query: str = "", run: str = RUN) -> list[dict[str, str]]:
    """The rows of a CSV export."""
    answer = client.get(f"/api/runs/{run}/export.csv?{query}")
    assert answer.status_code == 200, answer.text
    return list(csv.DictReader(io.StringIO(answer.data.decode(), newline="")))


def lines(client: FlaskClient, query: str = "") -> list[dict[str, object]]:
    """The rows of an export as lines of JSON."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    text = client.get(f"/api/runs/{RUN}/export.jsonl?{query}").data.decode()
    return [json.loads(line, parse_constant=refuse) for line in text.splitlines()]


def parquet(client: FlaskClient, query: str = "") -> pa.Table:
    return pq.read_table(io.BytesIO(client.get(f"/api/runs/{RUN}/export.parquet?{query}").data))


def steps(rows: Sequence[dict[str, str]]) -> list[int]:
    return [int(one["step"]) for one in rows]


@pytest.fixture
def several(seed: Seed) -> Seed:
    """Two attempts in a log, an event file beside the second, and values that are no numbers."""
    first = [(step, AT + step, 10.0 - step) for step in range(1, 11)]
    again = [(step, AT + 100.25 + step, 5.0 - step / 8) for step in range(5, 12)]
    for metric in ("loss", "lr"):
        seed.points([*first, *again], metric=metric)
    seed.points([(6, AT + 110, NAN), (7, AT + 111, INF), (8, AT + 112, -INF)], metric="grad_norm")
    exact = [(step, AT + 100.5 + step, 1 / 3 + step) for step in range(5, 10)]
    seed.points(exact, metric="loss", tag="loss", file="e.1", rank=None, source="tensorboard")
    seed.points([(5, AT + 1, 2.0)], metric=None, tag="=HYPERLINK(1)", file="e.1", rank=None, source="tensorboard")
    return seed


def test_a_row_is_a_step_of_an_attempt_and_a_source(client: FlaskClient, several: Seed) -> None:
    rows = table(client)
    assert [*rows[0]] == ["step", "attempt", "source", "time", "wall", "loss", "lr", "grad_norm"]
    told = [(one["attempt"], one["source"]) for one in rows]
    assert list(dict.fromkeys(told)) == [("1", "log"), ("2", "tensorboard"), ("2", "log")]
    assert steps([one for one in rows if one["attempt"] == "1"]) == [*range(1, 11)]
    (exact,) = [one for one in rows if (one["step"], one["source"]) == ("7", "tensorboard")]
    assert (exact["loss"], exact["lr"]) == (repr(1 / 3 + 7), "")
    assert exact["time"] == "2026-11-29T14:10:07.5Z"


def test_numbers_read_back_equal_and_nan_is_a_value(client: FlaskClient, several: Seed) -> None:
    rows = [one for one in table(client) if one["attempt"] == "2" and one["source"] == "log"]
    norms = {int(one["step"]): one["grad_norm"] for one in rows}
    assert norms == {5: "", 6: "NaN", 7: "Infinity", 8: "-Infinity", 9: "", 10: "", 11: ""}
    assert [float(one["wall"]) for one in rows] == [AT + 100.25 + step for step in range(5, 12)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("attempt=1", [*range(1, 11)]),
        ("attempt=2&source=log", [*range(5, 12)]),
        ("attempt=latest&source=log", [*range(1, 12)]),
        ("source=tensorboard", [*range(5, 10)]),
        ("source=log&start=3&end=5", [3, 4, 5, 5]),
        ("source=log&start=11", [11]),
        ("source=log&end=2", [1, 2]),
        (f"source=log&since={AT + 108}", [8, 9, 10, 11]),
        (f"source=log&until={AT + 2}", [1, 2]),
        (f"source=log&since={AT + 7}&until={AT + 105.25}", [7, 8, 9, 10, 5]),
        ("start=100", []),
    ],
)
def test_a_window_and_an_attempt(client: FlaskClient, several: Seed, query: str, expected: list[int]) -> None:
    assert steps(table(client, f"metric=loss&{query}")) == expected
    assert [one["step"] for one in lines(client, f"metric=loss&{query}")] == expected
    assert parquet(client, f"metric=loss&{query}")["step"].to_pylist() == expected


def test_in_the_latest_attempts_each_step_says_which_has_done_it(client: FlaskClient, several: Seed) -> None:
    rows = table(client, "metric=loss&source=log&attempt=latest")
    assert [one["attempt"] for one in rows] == ["1"] * 4 + ["2"] * 7


def test_a_row_a_point_keeps_each_points_own_time(client: FlaskClient, several: Seed) -> None:
    several.points(
        [(5, AT + 7.5, 1.0), (6, AT + 8.5, 2.0)], metric="tflops", file="e.1", rank=None, source="tensorboard"
    )
    rows = table(client, "metric=loss&metric=tflops&source=tensorboard&layout=long")
    assert [*rows[0]] == ["step", "attempt", "source", "rank", "name", "time", "wall", "value"]
    assert [(one["name"], one["step"]) for one in rows] == [
        *(("loss", str(step)) for step in range(5, 10)),
        ("tflops", "5"),
        ("tflops", "6"),
    ]
    assert [one["wall"] for one in rows if one["name"] == "tflops"] == [repr(AT + 7.5), repr(AT + 8.5)]


def test_a_row_has_the_time_of_its_first_value(client: FlaskClient, seed: Seed) -> None:
    seed.points([(1, AT, 1.0)], metric="lr", file="e.1", source="tensorboard")
    seed.points([(1, AT + 0.125, 2.0), (2, AT + 3.125, 2.0)], metric="grad_norm", file="e.1", source="tensorboard")
    assert [(one["step"], one["wall"]) for one in table(client)] == [("1", repr(AT)), ("2", repr(AT + 3.125))]


def test_where_a_step_came_again_it_has_another_row(client: FlaskClient, seed: Seed) -> None:
    seed.points([(1, AT, 1.0), (2, AT + 1, 2.0), (2, AT + 2, 3.0), (3, AT + 3, 4.0)], metric="loss")
    seed.points([(1, AT, 7.0), (2, AT + 1, 8.0), (3, AT + 3, 9.0)], metric="lr")
    found = [(one["step"], one["loss"], one["lr"]) for one in table(client)]
    assert found == [("1", "1.0", "7.0"), ("2", "2.0", "8.0"), ("2", "3.0", ""), ("3", "4.0", "9.0")]


def test_ranks_that_are_named_have_rows_of_their_own(client: FlaskClient, seed: Seed) -> None:
    for rank in (0, 1, 5):
        seed.points(straight(range(3), value=rank), metric="local_loss", rank=rank, file=f"log/rank_{rank}/info.log")
    rows = table(client, "metric=local_loss&rank=1&rank=5")
    assert [(one["rank"], one["step"]) for one in rows] == [(rank, str(step)) for rank in "15" for step in range(3)]
    assert [one["rank"] for one in table(client, "metric=r0:local_loss&metric=r5:local_loss")] == ["0"] * 3 + ["5"] * 3
    assert "rank" not in table(client, "metric=local_loss&rank=1")[0]


def test_two_logs_with_the_same_lines_are_one(client: FlaskClient, seed: Seed) -> None:
    for file in ("log/rank_0/info.log", "msrun_log/worker_0.log"):
        seed.points(straight(range(5)), file=file)
    assert steps(table(client)) == [*range(5)]


def test_every_name_is_exported_when_all_is_asked(client: FlaskClient, several: Seed) -> None:
    assert "'=HYPERLINK(1)" in table(client, "all=1")[0]
    assert "=HYPERLINK(1)" in lines(client, "all=1")[0]


def test_a_tag_that_is_called_like_a_column_says_so(client: FlaskClient, seed: Seed) -> None:
    seed.points([(1, AT, 1.0)], metric="loss")
    for tag in ("loss", "step", "tag:step", "wall"):
        seed.points([(1, AT, 2.0)], metric=None, tag=tag, file="e.1", rank=0, source="tensorboard")
    names = parquet(client, "all=1").schema.names
    assert len(names) == len(set(names)) == 10
    assert {"loss", "tag:loss", "tag:step", "tag:wall"} <= set(names)


def test_parquet_has_types_and_says_what_it_is(client: FlaskClient, several: Seed) -> None:
    found = parquet(client)
    kinds = {one.name: str(one.type) for one in found.schema}
    assert kinds["step"] == "int64"
    assert kinds["time"] == "timestamp[us, tz=UTC]"
    assert (kinds["wall"], kinds["loss"]) == ("double", "double")
    assert kinds["source"].startswith("dictionary<values=string")
    told = json.loads(found.schema.metadata[b"tidewatch"])
    assert (told["run"], told["attempts"], told["version"]) == (RUN, 2, "1")


def test_three_forms_say_the_same(client: FlaskClient, several: Seed) -> None:
    for query in ("", "layout=long", "all=1", "attempt=latest", "rank=0&metric=loss"):
        rows, objects = table(client, query), lines(client, query)
        columns = parquet(client, query)
        assert len(rows) == len(objects) == columns.num_rows
        for row, line, record in zip(rows, objects, columns.to_pylist(), strict=True):
            assert [*map(plain, row.values())] == [*map(plain, line.values())] == [*map(plain, record.values())]


def plain(value: object) -> object:
    """A cell, whichever form it comes from."""
    if hasattr(value, "timestamp"):
        return f"{value:%Y-%m-%dT%H:%M:%S}"
    if value is None:
        return ""
    text = str(value)
    if text[10:11] == "T":
        return text[:19]
    try:
        number = float(text)
    except ValueError:
        return text
    return "nan" if math.isnan(number) else number


def test_an_export_without_points_is_a_table_without_rows(client: FlaskClient, seed: Seed) -> None:
    seed.points([], metric="loss")
    assert client.get(f"/api/runs/{RUN}/export.csv").data == b"step,attempt,source,time,wall,loss\n"
    assert client.get(f"/api/runs/{RUN}/export.jsonl").data == b""
    assert parquet(client).num_rows == 0


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("nonsense=1", 400),
        ("attempt=0", 400),
        ("attempt=9", 404),
        ("metric=none", 404),
        ("tag=none", 404),
        ("metric=loss&rank=7", 404),
        ("rank=-1", 400),
        ("rank=x", 400),
        ("layout=tall", 400),
        ("source=x", 400),
        ("start=1&since=2", 400),
        ("since=nan", 400),
        ("all=1&metric=loss", 400),
        ("all=yes", 400),
        ("start=1e3", 400),
        ("&".join(f"metric={number}" for number in range(201)), 400),
    ],
)
def test_a_question_without_sense_is_a_sentence(client: FlaskClient, several: Seed, query: str, status: int) -> None:
    for form in (".csv", ".jsonl", ".parquet"):
        answer = client.get(f"/api/runs/{RUN}/export{form}?{query}")
        assert answer.status_code == status
        assert answer.content_type == "application/json"
        assert answer.get_json()["error"].endswith((".", "?"))
        assert "Content-Disposition" not in answer.headers


def test_an_unknown_run_is_a_sentence(client: FlaskClient, several: Seed) -> None:
    answer = client.get("/api/runs/none/export.csv")
    assert (answer.status_code, RUN in answer.get_json()["error"]) == (404, True)


def test_no_more_than_some_are_made_at_once(client: FlaskClient, several: Seed) -> None:
    open_ones = [client.get(f"/api/runs/{RUN}/export.csv", buffered=False) for _ in range(MOST)]
    refused = client.get(f"/api/runs/{RUN}/export.csv")
    assert (refused.status_code, str(MOST) in refused.get_json()["error"]) == (429, True)
    for one in open_ones:
        one.close()
    assert client.get(f"/api/runs/{RUN}/export.csv").status_code == 200
    for bad in ("nonsense=1", "metric=none", "attempt=9"):
        for _ in range(MOST + 1):
            assert client.get(f"/api/runs/{RUN}/export.csv?{bad}").status_code in (400, 404)
    assert SLOTS.taken == 0


def test_the_head_tells_counts_and_what_is_missing(client: FlaskClient, several: Seed) -> None:
    answer = client.get(f"/api/runs/{RUN}/export.csv?metric=loss&metric=none&start=7")
    told = json.loads(answer.headers["X-Tidewatch-Meta"])
    assert (told["missing"], told["window"], told["folded"]) == (["none"], {"start": 7}, 0)
    assert told["points"] == 12
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{RUN}_7-.csv"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-store"


def test_the_head_stays_small_whatever_is_asked(client: FlaskClient, several: Seed) -> None:
    asked = "&".join(f"tag={'训' * 400}{number}" for number in range(150))
    answer = client.get(f"/api/runs/{RUN}/export.csv?metric=loss&{asked}")
    assert answer.status_code == 200
    assert len(json.loads(answer.headers["X-Tidewatch-Meta"])["missing"]) == 5
    assert len(str(answer.headers)) < 4_096


def test_an_estimate_is_near(client: FlaskClient, seed: Seed) -> None:
    for metric in ("loss", "lr", "grad_norm"):
        seed.points([(step, AT + step * 1.5, math.sin(step)) for step in range(1, 5001)], metric=metric)
    for query in ("", "start=1001&end=2000", f"until={AT + 1500}", "layout=long", "metric=loss"):
        told = client.get(f"/api/runs/{RUN}/export?{query}").get_json()
        rows = table(client, query)
        assert abs(told["rows"] - len(rows)) <= 2
        for form, size in told["bytes"].items():
            real = len(client.get(f"/api/runs/{RUN}/export.{form}?{query}").data)
            low, high = (0.3, 4) if form == "parquet" else (0.7, 1.4)  # which shrinks by what repeats
            assert low < size / real < high, (query, form, size, real)
