"""``/api/runs/<run>/ranks``: every rank beside every other, to whom it came first, and who died of what."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

import jsonschema_rs
import numpy as np
import pytest
from flask.testing import FlaskClient

from app.grids import Grids
from app.reader import Reader
from app.store import RedisRunStore
from app.surveys import BEHIND, Surveys
from collector.wire import schema
from collector.wire.records import RunEvent
from tests.app.test_grids import LOCAL, NAN, file, local, run_of
from tests.support.seed import RUN, Point, Seed, same, straight

OCTETS = {"Accept": "application/octet-stream"}


def ask(client: FlaskClient, query: str = "", path: str = "") -> dict[str, Any]:
    reply = client.get(f"/api/runs/gpt/ranks{path}?{query}")
    assert reply.status_code == 200, reply.text
    told: dict[str, Any] = reply.json
    return told


def unpack(body: bytes, matrices: int) -> tuple[dict[str, Any], list[np.ndarray[Any, Any]]]:
    """Taken apart as the page does it; every byte is accounted for."""
    (length,) = struct.unpack_from("<I", body)
    told: dict[str, Any] = json.loads(body[4 : 4 + length], parse_constant=None)
    n, m = told["n"], told["m"]
    at = -(-(4 + length) // 8) * 8
    found: list[np.ndarray[Any, Any]] = []
    for kind, count in [("<f8", m), ("<f8", m), *[("<f4", n * m)] * matrices, ("u1", n * m)]:
        found.append(np.frombuffer(body, kind, count, at))
        at += found[-1].nbytes
    assert at == len(body)
    return told, [found[0], found[1], *(one.reshape(n, m) for one in found[2:])]


def columns(client: FlaskClient, query: str, matrices: int = 2) -> tuple[dict[str, Any], list[np.ndarray[Any, Any]]]:
    reply = client.get(f"/api/runs/gpt/ranks?{query}", headers=OCTETS)
    assert (reply.status_code, reply.mimetype) == (200, "application/octet-stream"), reply.text
    return unpack(reply.data, matrices)


def noisy(rank: int, steps: range, off: Mapping[int, float] = {}) -> list[Point]:
    dice = np.random.default_rng(rank)
    noise = dice.normal(0, 0.02, steps.stop)
    return [(step, 1_000_000.0 + step, 2 + float(noise[step]) + off.get(rank, 0.0)) for step in steps]


def eight(seed: Seed, steps: range = range(1, 101), off: Mapping[int, float] = {}) -> None:
    for rank in range(8):
        local(seed, rank, [one for one in noisy(rank, range(steps.stop), off) if one[0] in steps])


def test_a_row_a_rank_and_a_column_a_step(client: FlaskClient, seed: Seed) -> None:
    for rank in range(16):
        local(seed, rank, [(1, 1_000_001.0, rank), (2, 1_000_002.0, NAN if rank == 3 else rank / 2)])
    local(seed, 5, [(3, NAN, float("inf"))])
    found = ask(client, "metric=local_loss")
    assert (found["run"], found["metric"], found["tag"], found["attempt"]) == ("gpt", "local_loss", None, "latest")
    assert (found["steps"], found["walls"]) == ([1, 2, 3], [1_000_001.0, 1_000_002.0, None])
    assert [row["rank"] for row in found["ranks"]] == list(range(16))
    assert found["ranks"][5]["values"] == [5, 2.5, "Infinity"]
    assert found["ranks"][3]["values"] == [3, "NaN", None]
    assert (found["ranks"][8]["host"], found["ranks"][8]["node"], found["ranks"][7]["node"]) == ("node-1", 1, 0)
    assert (found["ranks"][5]["seen"], found["ranks"][6]["seen"]) == (3, 2)
    assert (found["first_step"], found["last_step"], found["total_columns"]) == (1, 3, 3)


def test_columns_say_the_same_as_words(client: FlaskClient, seed: Seed) -> None:
    eight(seed, off={3: 4.0})
    local(seed, 2, [(101, 1_000_101.0, NAN)])
    words, (told, found) = ask(client, "metric=local_loss"), columns(client, "metric=local_loss")
    steps, walls, values, deviation, kinds = found
    assert steps.tolist() == words["steps"]
    assert walls.tolist() == words["walls"]
    rows = told.pop("ranks")
    assert rows == [{name: one for name, one in row.items() if name != "values"} for row in words["ranks"]]
    assert {name: one for name, one in words.items() if name in told} == {
        name: one for name, one in told.items() if name not in ("n", "m")
    }
    numbers = {"NaN": NAN, None: NAN}
    expected = np.array([[numbers.get(one, one) for one in row["values"]] for row in words["ranks"]], dtype="<f4")
    assert same(values.ravel().tolist(), expected.ravel().tolist())
    assert deviation[3, 50] > 20 > abs(deviation[4, 50])
    assert (kinds[2, 100], kinds[3, 100], kinds[4, 99]) == (2, 1, 0)


def test_the_rank_that_is_off_is_named_and_no_other(client: FlaskClient, seed: Seed) -> None:
    eight(seed, off={3: 4.0})
    rows = ask(client, "metric=local_loss&start=100")["ranks"]
    assert [row["state"] for row in rows] == ["ok"] * 3 + ["outlier"] + ["ok"] * 4
    assert rows[3]["value"] == pytest.approx(6, abs=0.1)
    assert rows[3]["usual"] == pytest.approx(2, abs=0.1)


def test_states_are_counted_without_a_cell(client: FlaskClient, seed: Seed) -> None:
    off = {3: 4.0, 6: -4.0}
    for rank in range(8):
        local(
            seed,
            rank,
            [(step, wall, NAN if rank == 2 and step > 80 else one) for step, wall, one in noisy(rank, range(101), off)],
        )
    found = ask(client, "metric=local_loss", "/states")
    told = [(one["state"], one["count"], one["rank"]) for one in found["states"]]
    assert told == [("nan", 1, 2), ("outlier", 2, 3), ("ok", 5, 0)]
    assert (found["metric"], found["count"], found["odd"]) == ("local_loss", 8, 3)
    assert found["states"][0]["since"] == 81
    assert found["states"][2]["since"] is None
    rows = ask(client, "metric=local_loss&start=100")["ranks"]
    assert sum(row["state"] == "outlier" for row in rows) == 2


def test_a_layout_that_was_told_groups_and_places_ranks(client: FlaskClient, seed: Seed) -> None:
    seed.client.hset(schema.facts(RUN), "layout", "dp=2,tp=2,pp=2")
    eight(seed)
    found = ask(client, "metric=local_loss")
    assert found["layout"] == {"dp": 2, "tp": 2, "pp": 2, "cp": 1, "ep": 1, "origin": "told"}
    assert [(row["pp"], row["dp"], row["tp"]) for row in found["ranks"]][:5] == [
        *((0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0))
    ]
    assert (found["comparable"], found["reason"]) == (False, "tp")


def test_ranks_windows_and_columns_are_some_of_all(client: FlaskClient, seed: Seed) -> None:
    eight(seed, off={3: 4.0})
    whole, (told, some) = columns(client, "metric=local_loss")[1], columns(client, "ranks=0-2,5&start=11&end=30")
    assert [row["rank"] for row in told["ranks"]] == [0, 1, 2, 5]
    assert told["total_columns"] == 20
    for one, other in zip(some[2:], whole[2:], strict=True):
        np.testing.assert_array_equal(one, other[[0, 1, 2, 5], 10:30])
    fewer = columns(client, "metric=local_loss&columns=25")
    assert (fewer[0]["m"], fewer[0]["total_columns"]) == (25, 100)
    assert fewer[1][0].tolist() == list(range(4, 101, 4))


def test_one_value_that_is_off_survives_any_reduction(client: FlaskClient, seed: Seed) -> None:
    eight(seed)
    for rank in range(8):
        local(seed, rank, [(101, 1_000_101.0, 9.0 if rank == 6 else 2.0)])
    eight(seed, range(102, 201))
    for most in (10, 37, 100):
        values = columns(client, f"metric=local_loss&columns={most}")[1][2]
        assert values[6].max() == 9


def test_folds_have_the_lowest_the_middle_and_the_highest(client: FlaskClient, seed: Seed) -> None:
    for rank in range(16):
        local(seed, rank, [(step, 1e6 + step, float(rank)) for step in range(1, 11)])
    words = ask(client, "metric=local_loss&fold=node")
    assert [row["label"] for row in words["rows"]] == [{"host": "node-0"}, {"host": "node-1"}]
    assert [row["ranks"] for row in words["rows"]] == [[[0, 7]], [[8, 15]]]
    first, second = words["rows"]
    assert (first["low"][0], first["mid"][0], first["high"][0]) == (0, 3.5, 7)
    told, found = columns(client, "metric=local_loss&fold=node", 4)
    assert (told["n"], told["m"]) == (2, 10)
    assert [one[1, 4] for one in found[2:5]] == [second["low"][4], second["mid"][4], second["high"][4]] == [8, 11.5, 15]
    assert set(told["rows"][0]) == {"label", "ranks", "odd", "state"}


def test_a_fold_counts_those_of_whom_something_is_to_be_said(client: FlaskClient, seed: Seed) -> None:
    eight(seed, off={3: 4.0})
    (row,) = ask(client, "metric=local_loss&fold=node&columns=1")["rows"]
    assert (row["odd"], row["state"]) == (1, "outlier")


@pytest.mark.parametrize(
    ("fold", "level", "rows"),
    [
        ("node,stage,group,none", "stage", 2),  # no file names a host: all are on one
        ("group,none", "group", 4),
        ("node,none", "none", 8),
        ("node", "node", 1),
        ("node,node", "node", 1),
    ],
)
def test_of_several_folds_the_first_that_parts_the_ranks_counts(
    client: FlaskClient, seed: Seed, fold: str, level: str, rows: int
) -> None:
    seed.client.hset(schema.facts(RUN), "layout", "dp=2,tp=2,pp=2")
    for rank in range(8):
        seed.points(straight(range(1, 9)), metric="step_time", file=f"log/rank_{rank}/info.log", rank=rank)
    found = ask(client, f"metric=step_time&fold={fold}")
    assert (found["fold"], len(found.get("rows", found.get("ranks")))) == (level, rows)


def test_new_columns_say_what_all_would_say(client: FlaskClient, seed: Seed, store: RedisRunStore) -> None:
    eight(seed)
    columns(client, "metric=local_loss")
    for last in range(101, 140):
        eight(seed, range(last, last + 1), off={2: 4.0} if last > 110 else {})
        told, found = columns(client, f"metric=local_loss&start={last - 3}")
        assert found[0].tolist() == list(range(last - 3, last + 1))
        assert told["last_step"] == last
    assert told["ranks"][2]["state"] == "outlier"


def test_a_survey_that_is_carried_on_ends_like_one_of_all(store: RedisRunStore, seed: Seed, monkeypatch: Any) -> None:
    monkeypatch.setattr("app.surveys.CHEAP", -1.0)  # as if all columns took long
    monkeypatch.setattr("app.surveys.REST", 0.0)
    eight(seed, range(1, 301))
    carried, last = Surveys(Grids(store, Reader(store))), 300
    carried.of(run_of(store), LOCAL)
    for last in range(301, 350):
        eight(seed, range(last, last + 1), off={5: 4.0} if last >= 310 else {})
        found = carried.of(run_of(store), LOCAL, start=last - 5)
    whole = Surveys(Grids(store, Reader(store))).of(run_of(store), LOCAL, start=last - 5)
    np.testing.assert_allclose(found.z, whole.z, rtol=0.2, atol=0.3)
    np.testing.assert_array_equal(found.kinds, whole.kinds)
    assert [one.state for one in found.said.verdicts] == [one.state for one in whole.said.verdicts]
    assert found.said.verdicts[5].step == whole.said.verdicts[5].step
    assert found.last.tolist() == whole.last.tolist() == [last] * 8
    every = carried.of(run_of(store), LOCAL)
    assert every.z.shape == (8, last)
    assert not np.isnan(every.z[:, BEHIND:]).any()


def test_without_a_name_it_is_what_is_per_rank(client: FlaskClient, seed: Seed) -> None:
    for rank in range(2):
        seed.points(straight(range(1, 4)), file=file(rank), rank=rank, source="tensorboard")
        seed.points(straight(range(1, 4)), metric="device_local_norm", file=file(rank), rank=rank, source="tensorboard")
    assert ask(client)["metric"] == "device_local_norm"


def test_a_tag_is_shown_as_it_is_spelled(client: FlaskClient, seed: Seed) -> None:
    for rank in range(3):
        seed.points(straight(range(1, 4)), metric=None, tag="a b/导", file=file(rank), rank=rank, source="tensorboard")
    found = ask(client, "tag=a b/导")
    assert (found["metric"], found["tag"], len(found["ranks"])) == (None, "a b/导", 3)


@pytest.mark.parametrize(
    ("query", "status", "sentence"),
    [
        ("metric=nothing", 404, "Run 'gpt' has no metric 'nothing'; known per rank are local_loss."),
        ("tag=nothing", 404, "Run 'gpt' has no tag 'nothing'; known per rank are local_lm_loss."),
        ("metric=loss&tag=loss", 400, "Either metric= or tag= is asked for, not both."),
        ("metric=local_loss&attempt=7", 404, "Run 'gpt' has 1 attempts; attempt=7 is not one of them."),
        ("attempt=all", 400, "attempt='all' is neither latest nor a number from 1."),
        ("ranks=1-", 400, "ranks='1-' is not a list of ranks such as 0-7,16."),
        ("fold=rack", 400, "fold='rack' is not one of none, node, stage, group."),
        ("columns=0", 400, "columns='0' is too small; at least 1 is expected."),
        ("start=x", 400, "start='x' is not a whole number."),
    ],
)
def test_a_question_that_makes_no_sense_is_answered_with_one_sentence(
    client: FlaskClient, seed: Seed, query: str, status: int, sentence: str
) -> None:
    eight(seed, range(1, 4))
    seed.points(straight(range(1, 4)), metric="lr", file=file(7), rank=7, source="tensorboard")
    reply = client.get(f"/api/runs/gpt/ranks?{query}")
    assert (reply.status_code, reply.json) == (status, {"error": sentence})


def test_a_run_that_nobody_knows_is_said_with_those_that_there_are(client: FlaskClient, seed: Seed) -> None:
    for path in ("ranks", "ranks/first", "ranks/states", "ranks/errors"):
        reply = client.get(f"/api/runs/no/{path}")
        assert (reply.status_code, reply.json["error"]) == (404, "There is no run 'no'; known runs are gpt.")


def test_the_first_to_meet_nan_is_told_before_those_that_followed(client: FlaskClient, seed: Seed) -> None:
    for rank in range(8):
        since = {5: 60, 2: 62}.get(rank, 64)
        local(seed, rank, [(step, 1e6 + step, NAN if step >= since else 2.0) for step in range(1, 81)])
    found = ask(client, "what=nan&metric=local_loss", "/first")
    (first,) = found["first"]
    assert (found["what"], found["at"], found["metric"]) == ("nan", 60, "local_loss")
    wanted = {"rank": 5, "host": "node-0", "step": 60, "tag": "local_loss", "wall": 1_000_060.0, "value": None}
    assert first == wanted
    assert [one["rank"] for one in found["followed"]] == [2, 0, 1, 3, 4, 6, 7]
    assert ask(client, "what=inf", "/first")["first"] == []
    assert ask(client, "what=stall", "/first")["first"] == []


def test_nan_that_comes_to_another_metric_first_is_told_of_that(client: FlaskClient, seed: Seed) -> None:
    eight(seed)
    for rank in range(8):
        norm = [(step, 1e6 + step, NAN if rank == 4 and step > 50 else 1.0) for step in range(1, 101)]
        seed.points(norm, metric="device_local_norm", file=file(rank), rank=rank, source="tensorboard")
    (first,) = ask(client, "what=nan&metric=local_loss", "/first")["first"]
    assert (first["rank"], first["step"], first["tag"]) == (4, 51, "device_local_norm")


def error(seed: Seed, rank: int, kind: str, text: str, *, step: int = 90, wall: float | None = 1_000_100.0) -> None:
    event = RunEvent(kind, step, wall, text, rank, f"log/rank_{rank}/info.log")
    seed.client.rpush(schema.events(RUN), event.encode())


def test_the_fewest_that_died_of_one_thing_come_first(client: FlaskClient, seed: Seed) -> None:
    eight(seed)
    for rank in range(8):
        text = "RuntimeError: HBM multi-bit ECC at 0x7f31" if rank == 6 else f"TimeoutError: rank {rank} waited 1800 s"
        error(seed, rank, "error", f"[ERROR] something broke on {rank}")
        error(seed, rank, "traceback", text, wall=None)
    groups = ask(client, "", "/errors")["groups"]
    assert [(one["ranks"], one["count"]) for one in groups] == [([[6, 6]], 1), ([[0, 5], [7, 7]], 7)]
    assert groups[0]["line"] == "[ERROR] something broke on 6"
    assert groups[0]["trace"] == "RuntimeError: HBM multi-bit ECC at 0x7f31"
    assert groups[0]["first"] == {"rank": 6, "step": 90, "wall": 1_000_100.0}


def test_equal_exceptions_at_other_places_are_told_apart(client: FlaskClient, seed: Seed) -> None:
    eight(seed)
    for rank in range(8):
        frames = ("run.py:289 <module>", f"model.py:{1300 if rank == 5 else 1274} train")
        told = RunEvent("traceback", 90, None, f"TimeoutError: rank {rank}", rank, "worker.log", frames=frames)
        seed.client.rpush(schema.events(RUN), told.encode())
    odd, rest = ask(client, "", "/errors")["groups"]
    assert (odd["ranks"], rest["count"]) == ([[5, 5]], 7)
    assert odd["frames"] == [
        {"file": "run.py", "line": 289, "function": "<module>"},
        {"file": "model.py", "line": 1300, "function": "train"},
    ]
    assert (odd["line"], odd["trace"]) == ("TimeoutError: rank 5", "")


def test_errors_are_those_of_the_newest_attempt_that_has_some(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(1, 101)))
    error(seed, 0, "error", "the first death", wall=1_000_050.0)
    assert [one["line"] for one in ask(client, "", "/errors")["groups"]] == ["the first death"]
    seed.points(straight(range(51, 101), at=1_003_600.0), generation=1, reason="start_announced")
    assert [one["line"] for one in ask(client, "", "/errors")["groups"]] == ["the first death"]
    error(seed, 0, "error", "the second", wall=1_003_650.0)
    assert [one["line"] for one in ask(client, "", "/errors")["groups"]] == ["the second"]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("?metric=local_loss", "Ranks"),
        ("?metric=local_loss&fold=node", "Ranks"),
        ("?metric=local_loss&fold=group&columns=3", "Ranks"),
        ("?metric=local_loss&start=1000", "Ranks"),
        ("/first?what=nan", "RanksFirst"),
        ("/first?what=spike", "RanksFirst"),
        ("/states", "RanksStates"),
        ("/errors", "RanksErrors"),
    ],
)
def test_answers_are_as_they_are_described(client: FlaskClient, seed: Seed, path: str, name: str) -> None:
    eight(seed, off={3: 4.0})
    local(seed, 3, [(101, NAN, NAN), (102, NAN, float("-inf"))])
    error(seed, 3, "error", "it broke", wall=None)
    described = client.get("/api/openapi.json").json
    reply = client.get(f"/api/runs/gpt/ranks{path}")
    assert reply.status_code == 200, reply.text
    reference = {"$ref": f"#/components/schemas/{name}", "components": described["components"]}
    jsonschema_rs.validate(reference, reply.json)


def test_series_without_a_point_are_rows_without_columns(client: FlaskClient, seed: Seed) -> None:
    for rank in range(4):
        local(seed, rank, [])
    for query in ("metric=local_loss", "metric=local_loss&fold=node", "metric=local_loss&start=5"):
        found = ask(client, query)
        assert (found["steps"], found["first_step"], found["last_step"]) == ([], None, None)
    assert columns(client, "metric=local_loss")[0]["m"] == 0
    assert ask(client, "what=stall", "/first")["first"] == []


def test_one_rank_alone_is_a_row(client: FlaskClient, seed: Seed) -> None:
    local(seed, 0, straight(range(1, 30)))
    found = ask(client, "metric=local_loss")
    assert [(row["rank"], row["state"]) for row in found["ranks"]] == [(0, "ok")]
    assert (found["comparable"], found["reason"]) == (False, "small")


def test_a_window_behind_the_last_step_is_empty_in_every_form(client: FlaskClient, seed: Seed) -> None:
    eight(seed)
    told, _ = columns(client, "metric=local_loss&start=101")
    assert (told["n"], told["m"], told["last_step"], len(told["ranks"])) == (8, 0, 100, 8)
    assert columns(client, "metric=local_loss&start=101&fold=node", 4)[0]["m"] == 0


def test_columns_can_be_asked_for_in_the_address(client: FlaskClient, seed: Seed) -> None:
    """As a link that preloads has to."""
    for rank in range(4):
        seed.points([(1, 1.0, 2.0)], metric="local_loss", rank=rank, file=f"rank_{rank}/e", source="tensorboard")
    address = "/api/runs/gpt/ranks?metric=local_loss"
    asked, told = client.get(f"{address}&form=columns"), client.get(address, headers=OCTETS)
    assert asked.mimetype == told.mimetype == "application/octet-stream"
    assert asked.data == told.data
    assert client.get(f"{address}&form=rows").status_code == 400
