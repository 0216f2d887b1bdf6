"""The description is of what is served: every route, every parameter, and answers of the shape that it says."""

from __future__ import annotations

import re
from typing import Any

import jsonschema_rs
import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.api.routes import ROUTES
from app.config import AppConfig
from app.factory import create_app
from app.store import RedisRunStore
from tests.app.conftest import NOW
from tests.support.seed import Seed, straight


@pytest.fixture
def described(client: FlaskClient) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/api/openapi.json").json
    return found


def check(described: dict[str, Any], name: str, body: object) -> None:
    schema = {"$ref": f"#/components/schemas/{name}", "components": described["components"]}
    jsonschema_rs.validate(schema, body)


def test_every_route_of_the_api_is_described(server: Flask, described: dict[str, Any]) -> None:
    rules = [rule.rule for rule in server.url_map.iter_rules() if str(rule.endpoint).startswith("api.")]
    served = {re.sub(r"<(\w+)>", r"{\1}", rule) for rule in rules} - {"/api/<path:address>"}
    assert served == set(described["paths"])
    told = {(path, method) for path, item in described["paths"].items() for method in item}
    assert told == {("/" + re.sub(r"<(\w+)>", r"{\1}", one.path), one.method.lower()) for one in ROUTES}
    assert len(told) == len(ROUTES)


def test_nothing_else_is_served_under_api(server: Flask) -> None:
    under = [rule for rule in server.url_map.iter_rules() if rule.rule.startswith("/api")]
    assert all(str(rule.endpoint).startswith("api.") for rule in under)


def test_the_description_is_openapi_3_1(described: dict[str, Any]) -> None:
    assert described["openapi"].startswith("3.1")
    for path, item in described["paths"].items():
        for operation in item.values():
            named = {one["name"] for one in operation["parameters"] if one["in"] == "path"}
            assert named == set(re.findall(r"{(\w+)}", path))
            assert operation["responses"]["200"]["content"]
    for schema in described["components"]["schemas"].values():
        jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})


def test_addresses_carry_the_prefix(store: RedisRunStore) -> None:
    client = create_app(AppConfig(prefix="/mon/"), store).server.test_client()
    paths = client.get("/mon/api/openapi.json").json["paths"]
    assert all(path.startswith("/mon/") for path in paths)
    assert client.get("/mon/livez").status_code == 200
    assert client.get("/mon/").status_code == 200
    assert client.get("/livez").status_code == 404


@pytest.fixture
def filled(seed: Seed) -> Seed:
    seed.points([*straight(range(1, 101)), (101, float("nan"), float("nan")), (102, 1_000_102.0, float("inf"))])
    seed.points(straight(range(90, 120), at=1_003_600.0), generation=1, reason="start_announced")
    seed.points(straight(range(5)), metric=None, tag="x/y", rank=None, file="e", source="tensorboard")
    seed.event("start", wall=5.0)
    seed.touched(NOW - 5, counts={"bad_data_crc": 1})
    seed.client.hset("tw:{gpt}:facts", mapping={"pipeline_stages": "2", "total_steps": "500"})
    return seed


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/api/runs", "Runs"),
        ("/api/runs/gpt", "Run"),
        ("/api/runs/gpt/tags", "Tags"),
        ("/api/runs/gpt/tags?tag=x/y&metric=loss", "Tags"),
        ("/api/runs/gpt/series?metric=loss", "Series"),
        ("/api/runs/gpt/series?metric=loss&attempt=latest&points=0", "Series"),
        ("/api/runs/gpt/series?metric=loss&attempt=2", "Series"),
        ("/api/runs/gpt/series?tag=x/y", "Series"),
        ("/api/runs/gpt/alerts", "Alerts"),
        ("/api/mutes", "Mutes"),
        ("/livez", "Live"),
        ("/readyz", "Ready"),
        ("/readyz?verbose", "Ready"),
        ("/api/openapi.json", "Description"),
        ("/api/runs/nobody", "Error"),
        ("/api/runs/gpt/series", "Error"),
        ("/api/runs/gpt/series?metric=nothing", "Error"),
        ("/api/nothing", "Error"),
    ],
)
def test_answers_have_the_shape_that_is_described(
    client: FlaskClient, described: dict[str, Any], filled: Seed, path: str, name: str
) -> None:
    check(described, name, client.get(path).json)


def test_a_run_that_has_nothing_yet_has_that_shape_too(
    client: FlaskClient, described: dict[str, Any], seed: Seed
) -> None:
    check(described, "Runs", client.get("/api/runs").json)
    check(described, "Run", client.get("/api/runs/gpt").json)


def test_a_method_that_is_not_allowed_is_a_sentence(client: FlaskClient, described: dict[str, Any]) -> None:
    reply = client.post("/api/runs")
    assert reply.status_code == 405
    check(described, "Error", reply.json)
