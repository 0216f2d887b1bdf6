"""``/livez``, ``/readyz``, ``/healthz`` and ``/metrics``."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families

from app.config import AppConfig
from app.diagnosis.store import AlertStore
from app.diagnosis.vital import Vital
from app.factory import create_app
from app.store import RedisRunStore
from collector.wire.records import RunId
from tests.app.conftest import NOW
from tests.support.redis_server import RedisServer
from tests.support.seed import Seed, straight


@pytest.fixture
def alone(own_redis: RedisServer) -> Iterator[FlaskClient]:
    """An application whose Redis has gone."""
    store = RedisRunStore(own_redis.url)
    own_redis.stop()
    yield create_app(AppConfig(), store).server.test_client()
    store.close()


def samples(client: FlaskClient) -> dict[str, float]:
    """name{labels} → value, as Prometheus' own parser reads it."""
    found = {}
    for family in text_string_to_metric_families(client.get("/metrics").text):
        for one in family.samples:
            labels = ",".join(f"{name}={text}" for name, text in sorted(one.labels.items()))
            found[f"{one.name}{{{labels}}}"] = one.value
    return found


def test_a_process_is_alive_and_its_redis_may_be_dead(alone: FlaskClient) -> None:
    began = time.perf_counter()
    assert alone.get("/livez").json == {"status": "alive"}
    reply = alone.get("/readyz")
    assert time.perf_counter() - began < 0.5
    assert reply.status_code == 503
    checks = [(one["name"], one["ok"]) for one in reply.json["checks"]]
    assert checks == [("redis", False), ("collector", False), ("diagnosis", False)]
    assert "Redis does not answer" in reply.json["checks"][0]["reason"]


@pytest.mark.parametrize("path", ["/readyz", "/healthz"])
def test_ready_needs_a_collectors_sign_of_life(client: FlaskClient, seed: Seed, path: str) -> None:
    assert client.get(path).status_code == 503
    assert "start python -m collector follow" in client.get(path).json["checks"][1]["reason"]
    seed.beat(NOW - 2)
    assert client.get(path).json == {"status": "ready"}
    verbose = client.get(f"{path}?verbose").json
    assert [one["ok"] for one in verbose["checks"]] == [True, True, False]


def test_without_a_diagnosis_pages_are_ready_and_it_is_said(
    client: FlaskClient, seed: Seed, store: RedisRunStore
) -> None:
    seed.beat(NOW - 2)
    reply = client.get("/readyz?verbose")
    assert (reply.status_code, reply.json["status"]) == (200, "ready")
    assert "start python -m app.diagnosis" in reply.json["checks"][2]["reason"]
    alerts = AlertStore(store.url)
    alerts.beat(Vital("node0:2", "node0", 2, NOW - 3, 5, 100, ("gpt",)))
    said = client.get("/readyz?verbose").json["checks"][2]
    assert (said["ok"], said["reason"]) == (
        True,
        "5 runs are judged, 1 of them with history to go through, last sign of life 3 s ago.",
    )
    alerts.beat(Vital("node0:2", "node0", 2, NOW - 3, 5, 100, (), ("Run gpt cannot be judged now (ValueError: x).",)))
    said = client.get("/readyz?verbose").json["checks"][2]
    assert (said["ok"], said["reason"]) == (False, "Run gpt cannot be judged now (ValueError: x).")
    alerts.close()


def test_a_collector_that_hangs_is_told_by_the_age_of_its_sign(client: FlaskClient, seed: Seed) -> None:
    seed.beat(NOW - 20)
    reply = client.get("/readyz")
    assert reply.status_code == 503
    assert "20 s old" in reply.json["checks"][1]["reason"]


def test_a_store_of_another_schema_is_not_ready(client: FlaskClient, seed: Seed) -> None:
    seed.beat(NOW)
    seed.client.set("tw:schema", "99")
    reply = client.get("/readyz")
    assert reply.status_code == 503
    assert "schema 99" in reply.json["checks"][0]["reason"]


def test_probes_set_no_cookie(client: FlaskClient) -> None:
    assert all("Set-Cookie" not in client.get(path).headers for path in ("/livez", "/readyz", "/metrics"))


def test_measurements_are_what_prometheus_reads(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(3)))
    seed.touched(NOW, counts={"bad_data_crc": 3})
    seed.beat(NOW)
    client.get("/api/runs/gpt")
    found = samples(client)
    assert found["tidewatch_redis_up{}"] == 1
    assert found["tidewatch_runs{}"] == 1
    assert found["tidewatch_stream_clients{}"] == 0
    assert found["tidewatch_collector_points_total{}"] == 10
    assert found["tidewatch_collector_parse_errors_total{reason=bad_data_crc}"] == 3
    assert found["tidewatch_build_info{schema=1}"] == 1
    counted = "tidewatch_http_request_duration_seconds_count{method=GET,route=/api/runs/<run>,status=200}"
    assert found[counted] == 1


def test_no_run_and_no_tag_becomes_a_label(client: FlaskClient, redis_client: redis.Redis) -> None:
    for number in range(5):
        Seed(redis_client, RunId(f"secret{number}")).points(straight(range(3)), tag="secrettag", metric=None)
        client.get(f"/api/runs/secret{number}/series?tag=secrettag")
        client.get(f"/api/nothing{number}")
        client.open("/livez", method=f"WORD{number}")
    text = client.get("/metrics").text
    assert "secret" not in text
    assert "nothing" not in text
    assert "WORD" not in text


def test_measurements_survive_a_dead_redis(alone: FlaskClient) -> None:
    assert samples(alone)["tidewatch_redis_up{}"] == 0


def test_two_applications_in_one_process_do_not_mix(server: Flask, store: RedisRunStore) -> None:
    other = create_app(AppConfig(), store).server.test_client()
    server.test_client().get("/livez")
    assert not any("livez" in name for name in samples(other))
