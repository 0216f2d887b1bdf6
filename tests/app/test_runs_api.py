"""``/api/runs`` and ``/api/runs/<run>``: what there is, how it is doing, and what it is made of."""

from __future__ import annotations

from typing import Any

import pytest
import redis
from flask.testing import FlaskClient

from app.config import AppConfig
from app.factory import create_app
from app.store import RedisRunStore
from collector.wire import schema
from collector.wire.records import RunId, SeriesMeta
from tests.app.conftest import NOW
from tests.support.redis_server import RedisServer
from tests.support.seed import Seed, straight

WORKER = "msrun_log/worker_0.log"


def details(client: FlaskClient, run: str = "gpt") -> dict[str, Any]:
    reply = client.get(f"/api/runs/{run}")
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json
    return found


@pytest.fixture
def training(redis_client: redis.Redis) -> Seed:
    """A run of 500 steps at step 100, a point a second, the last one a second ago."""
    seed = Seed(redis_client, facts={"total_steps": "500", "pipeline_stages": "2", "model": "glm4"})
    at = NOW - 100
    for file in ("log/rank_0/info.log", WORKER):
        seed.points(straight(range(1, 101), at=at), file=file)
        seed.points(
            [(step, wall, 1000.0) for step, wall, _ in straight(range(1, 101), at=at)], metric="step_time", file=file
        )
        seed.points(
            [(step, wall, 2.5) for step, wall, _ in straight(range(1, 101), at=at)], metric="throughput", file=file
        )
        seed.event("start", wall=at - 30)
        seed.touched(NOW - 1, file=file, counts={"bad_data_crc": 2} if file == WORKER else None)
    seed.points(straight(range(1, 101), at=at), metric=None, tag="norm/a", file="e.tfevents", source="tensorboard")
    seed.beat(NOW - 1)
    return seed


def test_no_runs_is_an_empty_list(client: FlaskClient) -> None:
    assert client.get("/api/runs").json == []


def test_a_run_is_one_line_in_the_list(client: FlaskClient, training: Seed) -> None:
    (line,) = client.get("/api/runs").json
    assert line == {
        "id": "gpt",
        "name": "gpt",
        "path": "/data/gpt",
        "demo": False,
        "status": "running",
        "step": 100,
        "total_steps": 500,
        "started": NOW - 130,
        "updated": NOW - 1,
        "ranks": [0],
        "alerts": 0,
        "loss": 9.9,
        "age": 1.0,
        "eta": 400.0,
    }


def test_details_hold_everything_small_about_a_run(client: FlaskClient, training: Seed) -> None:
    run = details(client)
    assert run["owner_rank"] == 0
    assert run["layout"] == {"pipeline_stages": 2}
    assert run["facts"]["model"] == "glm4"
    assert run["progress"] == {
        "step_time_ms": 1000.0,
        "throughput": 2.5,
        "throughput_unit": "samples/s/NPU",
        "eta": 400.0,
        "eta_low": None,
        "eta_high": None,
    }
    assert run["ledger"]["parts"]["startup"] == 29.0
    assert (run["ledger"]["total"], run["ledger"]["ratio"]) == (129.0, pytest.approx(100 / 129))
    assert run["costs"]["points"] == 700
    assert run["freshness"]["state"] == "live"
    assert run["freshness"]["expected"] == 1.0
    assert [one["file"] for one in run["sources"]] == ["log/rank_0/info.log", WORKER]
    assert run["sources"][1]["warnings"] == {"bad_data_crc": 2}
    assert [one["attempt"] for one in run["attempts"]] == [1]


def test_a_run_whose_history_is_being_read_says_how_far(client: FlaskClient, training: Seed) -> None:
    training.beat(NOW - 1, behind={"gpt": (42, 100), "other": (1, 2)})
    fresh = details(client)["freshness"]
    assert (fresh["state"], fresh["read"]) == ("catching_up", 0.42)
    assert "42 %" in fresh["sentence"]
    (line,) = client.get("/api/runs").json
    assert (line["status"], line["eta"]) == ("waiting", None)


def test_an_event_that_two_files_tell_is_told_once(client: FlaskClient, training: Seed) -> None:
    assert [event["kind"] for event in details(client)["events"]] == ["start"]


def test_metrics_and_tags_are_listed_with_their_last_point(client: FlaskClient, training: Seed) -> None:
    listed = {one["metric"] or one["tag"]: one for one in details(client)["metrics"]}
    assert set(listed) == {"loss", "step_time", "throughput", "norm/a"}
    assert listed["loss"]["last"] == [100, NOW - 1, 9.9, "log"]
    assert (listed["loss"]["points"], listed["loss"]["scope"], listed["loss"]["ranks"]) == (200, "run", [0])
    assert (listed["norm/a"]["metric"], listed["norm/a"]["sources"]) == (None, ["tensorboard"])
    assert listed["step_time"]["unit"] == "ms"


def test_a_run_that_diverged_says_so_in_strict_json(client: FlaskClient, training: Seed) -> None:
    training.points([(101, NOW, float("nan"))])
    assert client.get("/api/runs").json[0]["loss"] == "NaN"
    assert "NaN" in str(details(client)["metrics"])


def test_a_run_without_points_waits(client: FlaskClient, seed: Seed) -> None:
    seed.beat(NOW)
    (line,) = client.get("/api/runs").json
    assert (line["status"], line["step"], line["ranks"]) == ("waiting", None, [])
    assert details(client)["attempts"] == []


def test_a_restart_is_in_the_details(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(1, 221)))
    seed.points(straight(range(201, 301), at=1_003_600.0), generation=1, reason="start_announced")
    first, second = details(client)["attempts"]
    assert (first["last_step"], second["reason"]) == (220, "start_announced")
    assert (second["first_step"], second["steps_redone"], second["started"]) == (201, 20, 1_003_600.0)


def test_the_newest_attempt_tells_the_step_though_an_older_one_came_further(client: FlaskClient, seed: Seed) -> None:
    seed.points(straight(range(1, 221)))
    seed.points(straight(range(201, 206), at=1_003_600.0), generation=1, reason="start_announced")
    assert client.get("/api/runs").json[0]["step"] == 205


def test_runs_are_listed_by_id_and_only_known_ones_answer(client: FlaskClient, redis_client: redis.Redis) -> None:
    for name in ("zeta", "alpha"):
        Seed(redis_client, RunId(name)).points(straight(range(3)))
    assert [line["id"] for line in client.get("/api/runs").json] == ["alpha", "zeta"]
    reply = client.get("/api/runs/beta")
    assert (reply.status_code, reply.json) == (404, {"error": "There is no run 'beta'; known runs are alpha, zeta."})


def test_redis_away_is_503_with_a_sentence_and_over_when_redis_is_back(own_redis: RedisServer) -> None:
    store = RedisRunStore(own_redis.url)
    client = create_app(AppConfig(), store).server.test_client()
    Seed(redis.Redis.from_url(own_redis.url)).points(straight(range(3)))
    addresses = ("/api/runs", "/api/runs/gpt", "/api/runs/gpt/series?metric=loss", "/api/runs/gpt/stream")
    own_redis.stop()
    for address in addresses:
        reply = client.get(address)
        assert reply.status_code == 503
        assert reply.json["error"].startswith("Redis does not answer")
    own_redis.start()
    assert client.get("/api/runs/gpt/series?metric=loss").json["total"] == 3
    store.close()


@pytest.mark.timeout(30)  # where every tag looks at every other, this takes minutes
def test_a_run_of_twelve_thousand_tags_answers(client: FlaskClient, seed: Seed) -> None:
    block, meta = b"\0" * 24, {}
    for number in range(12_345):
        one = SeriesMeta("e.tfevents", 0, f"local_norm/{number}", None, 0, "tensorboard")
        meta[one.sid] = one.encode()
    with seed.client.pipeline(transaction=False) as pipe:
        pipe.hset(schema.series(seed.run), mapping=meta)
        for sid in meta:
            pipe.append(schema.points(seed.run, sid), block)
        pipe.execute()
    assert len(details(client)["metrics"]) == 12_345


def test_the_list_of_metrics_can_be_left_out(client: FlaskClient, training: Seed) -> None:
    whole, rest = details(client), details(client, "gpt?metrics=0")
    assert whole["metrics"]
    assert rest == {**whole, "metrics": []}
