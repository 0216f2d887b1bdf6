"""Comparing runs and following a baseline over HTTP."""

from __future__ import annotations

import json
import math
from typing import Any

import jsonschema_rs
import pytest
import redis
from flask.testing import FlaskClient

from collector.wire import schema
from collector.wire.records import RunId
from tests.support.seed import Seed


def fall(steps: range, late: float = 0.0) -> list[tuple[int, float, float]]:
    """A loss that falls, ``late`` steps later than the usual one."""
    return [(step, 1_000_000.0 + step, 2 + 8 * math.exp(-(step - late) / 400)) for step in steps]


@pytest.fixture
def runs(redis_client: redis.Redis) -> dict[str, Seed]:
    """Two long runs, one of which is slower, and one that has an lr alone."""
    facts = {"global_batch_size": "64", "seq_length": "4096", "total_steps": "1000"}
    tuned = json.dumps({"learning_rate": "1e-5", "type": "Cosine"})
    made = {
        "alpha": Seed(redis_client, RunId("alpha"), facts={**facts, "configuration:lr_schedule": tuned}),
        "beta": Seed(
            redis_client, RunId("beta"), facts={**facts, "configuration:lr_schedule": tuned.replace("1e-5", "2e-5")}
        ),
        "gamma": Seed(redis_client, RunId("gamma")),
    }
    made["alpha"].points(fall(range(1, 1001)))
    made["beta"].points(fall(range(1, 601), late=310))
    made["gamma"].points(fall(range(1, 11)), metric="lr")
    made["beta"].points([(1, 5.0, 1.0)], metric=None, tag="own/tag", file="e", source="tensorboard")
    made["gamma"].points([(1, 5.0, 1.0)], metric=None, tag="own/tag", file="e", source="tensorboard")
    return made


def get(client: FlaskClient, path: str, name: str) -> Any:
    """The answer, which has the shape that is described."""
    body = client.get(path).json
    described = client.get("/api/openapi.json").json["components"]
    jsonschema_rs.validate({"$ref": f"#/components/schemas/{name}", "components": described}, body)
    return body


def test_runs_stand_side_by_side_at_the_last_common_step(client: FlaskClient, runs: dict[str, Seed]) -> None:
    body = get(client, "/api/compare?runs=alpha,beta,gamma,nobody", "Comparison")
    assert [one["run"] for one in body["runs"]] == ["alpha", "beta", "gamma"]
    assert body["missing"] == ["nobody"]
    assert body["common"] == 600
    alpha, beta, gamma = body["runs"]
    assert (alpha["last"]["step"], alpha["common"]["step"], beta["last"]["step"]) == (1000, 600, 600)
    assert alpha["difference"] == 0
    assert beta["difference"] == pytest.approx(8 * (math.exp(-290 / 400) - math.exp(-600 / 400)))
    assert (gamma["last"], gamma["best"], gamma["common"], gamma["first_step"]) == (None, None, None, None)
    shared = {one["name"]: (one["kind"], one["runs"]) for one in body["metrics"]}
    assert shared == {"loss": ("metric", 2), "lr": ("metric", 1), "own/tag": ("tag", 2)}


def test_the_common_place_may_be_told_in_tokens(client: FlaskClient, runs: dict[str, Seed]) -> None:
    runs["beta"].client.hset(schema.facts(RunId("beta")), "global_batch_size", "128")
    body = get(client, "/api/compare?runs=alpha,beta&x=tokens", "Comparison")
    assert body["common"] == 1000 * 64 * 4096
    assert [one["common"]["step"] for one in body["runs"]] == [1000, 500]
    body = get(client, "/api/compare?runs=alpha,gamma&x=relative&metric=lr", "Comparison")
    assert body["common"] == 9


def test_values_that_are_no_numbers_are_told_in_words(client: FlaskClient, runs: dict[str, Seed]) -> None:
    runs["beta"].points([(601, 5.0, math.nan)])
    body = get(client, "/api/compare?runs=alpha,beta", "Comparison")
    assert body["runs"][1]["last"]["value"] == "NaN"
    assert body["runs"][1]["difference"] is None


def test_what_differs_in_the_configuration(client: FlaskClient, runs: dict[str, Seed]) -> None:
    body = get(client, "/api/compare/configuration?runs=alpha,beta", "Settings")
    assert body["settings"] == [{"key": "lr_schedule.learning_rate", "values": ["1e-5", "2e-5"], "differs": True}]
    assert body["total"] == 5
    every = get(client, "/api/compare/configuration?runs=alpha,gamma&all=1", "Settings")
    assert {tuple(one["values"]) for one in every["settings"]} >= {("Cosine", None), ("64", None)}


def test_a_later_run_is_told_how_far_behind_it_is(client: FlaskClient, runs: dict[str, Seed]) -> None:
    body = get(client, "/api/runs/beta/baseline?runs=alpha&points=500", "Baseline")
    assert body["behind"]["steps"] == pytest.approx(310, abs=15)
    assert body["behind"]["enough"]
    assert 0 < body["n"] <= 500
    assert len(body["steps"]) == len(body["low"]) == len(body["mid"]) == len(body["high"]) == body["n"]
    assert body["low"][0] <= body["mid"][0] <= body["high"][0]


def test_the_baseline_may_be_put_by_tokens(client: FlaskClient, runs: dict[str, Seed]) -> None:
    runs["beta"].client.hset(schema.facts(RunId("beta")), "global_batch_size", "128")
    body = get(client, "/api/runs/beta/baseline?runs=alpha,gamma,nobody&x=tokens", "Baseline")
    assert (body["runs"], body["without"], body["missing"]) == (["alpha"], ["gamma"], ["nobody"])
    assert body["steps"][-1] == pytest.approx(500, abs=10)  # of beta, whose steps hold twice as many tokens
    assert client.get("/api/runs/gamma/baseline?runs=alpha&x=tokens").status_code == 404


def test_a_baseline_without_points_says_so(client: FlaskClient, runs: dict[str, Seed]) -> None:
    body = get(client, "/api/runs/beta/baseline?runs=gamma", "Baseline")
    assert (body["n"], body["behind"]["reason"]) == (0, "no_baseline")
    body = get(client, "/api/runs/gamma/baseline?runs=alpha", "Baseline")
    assert body["behind"]["reason"] == "no_points"


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("compare?runs=alpha", 400, "2 to 20"),
        ("compare", 400, "names 0 runs"),
        ("compare?runs=" + ",".join(map(str, range(21))), 400, "names 21 runs"),
        ("compare?runs=alpha,beta&x=wall", 400, "'wall' is not one of"),
        ("compare?runs=alpha,beta&metric=a&tag=b", 400, "not both"),
        ("compare?runs=alpha,beta&nobody=1", 400, "Unknown argument"),
        ("compare/configuration?runs=alpha&all=2", 400, "neither 0 nor 1"),
        ("runs/alpha/baseline?runs=", 400, "1 to 20"),
        ("runs/alpha/baseline?runs=beta&x=relative", 400, "not one of step, tokens"),
        ("runs/alpha/baseline?runs=beta&points=0", 400, "not a whole number"),
        ("runs/alpha/baseline?runs=beta&points=99999999999999999999", 400, "not a whole number"),
        ("runs/nobody/baseline?runs=beta", 404, "There is no run"),
    ],
)
def test_what_makes_no_sense_is_a_sentence(
    client: FlaskClient, runs: dict[str, Seed], path: str, status: int, words: str
) -> None:
    reply = client.get(f"/api/{path}")
    assert reply.status_code == status
    assert words in reply.json["error"]
