"""From a log that grows to the alert that the API gives, with real processes: quickly, once, whatever is killed."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from flask.testing import FlaskClient

from app.config import AppConfig
from app.diagnosis.notify.notice import Notice
from app.diagnosis.store import AlertStore
from app.factory import close, create_app
from app.store import RedisRunStore
from collector.wire import schema
from collector.wire.records import RunId
from tests.support.collecting import collector
from tests.support.diagnosing import diagnosis, lines, start, works
from tests.support.redis_server import RedisServer
from tests.support.waiting import eventually

SECOND = 1.0  # from a line to the API


@pytest.fixture
def client(redis_url: str) -> Iterator[FlaskClient]:
    store = RedisRunStore(redis_url)
    server = create_app(AppConfig(), store).server
    yield server.test_client()
    close(server)
    store.close()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    place = tmp_path / "job" / "output" / "log" / "rank_0" / "info.log"
    place.parent.mkdir(parents=True)
    return place


def append(log: Path, several: list[bytes]) -> None:
    with log.open("ab") as file:
        file.write(b"".join(several))


def found(client: FlaskClient) -> dict[str, Any]:
    reply = client.get("/api/runs/job/alerts")
    return {one["id"]: one for one in reply.json["alerts"]} if reply.status_code == 200 else {}


def notices(redis_client: redis.Redis, run: str = "job") -> list[tuple[str, str]]:
    entries = redis_client.xrange(schema.outbox(RunId(run)))
    told = [Notice.decode(fields[schema.OUTBOX_FIELD.encode()]) for _, fields in entries]
    return [(one.alert, one.change) for one in told]


def test_a_nan_is_in_the_api_within_a_second_of_its_line(client: FlaskClient, redis_url: str, log: Path) -> None:
    rows = lines(range(1, 101), nan=range(100, 101))
    append(log, rows[:99])
    with collector(log.parents[3], redis_url), diagnosis(redis_url):
        eventually(lambda: client.get("/api/runs/job").status_code == 200, seconds=20)
        began = time.monotonic()
        append(log, rows[99:])
        alert = eventually(lambda: found(client).get("nan_inf-a1-100"), seconds=SECOND)
        assert time.monotonic() - began < SECOND
    assert (alert["severity"], alert["state"], alert["value"]) == ("critical", "open", "NaN")
    assert [one["alerts"] for one in client.get("/api/runs").json] == [1]


def test_workers_that_are_killed_at_any_moment_tell_everything_once(
    client: FlaskClient, redis_client: redis.Redis, redis_url: str, log: Path
) -> None:
    chance = random.Random(6)
    rows, alerts = lines(range(1, 481), nan=range(150, 152)), AlertStore(redis_url)
    with collector(log.parents[3], redis_url):
        for begins in range(0, 480, 60):
            worker = start(redis_url)
            eventually(lambda: works(alerts, worker), seconds=20)  # noqa: B023  # called at once
            for number in range(begins, begins + 60, 10):
                append(log, rows[number : number + 10])
                moment = time.monotonic() + chance.uniform(0, 0.06)
                eventually(lambda: time.monotonic() > moment, every=0.001)  # noqa: B023
            worker.kill()
            worker.wait(timeout=10)
        with diagnosis(redis_url):
            eventually(lambda: "nan_inf-a1-150" in found(client), seconds=20)
            eventually(lambda: found(client)["nan_inf-a1-150"]["state"] == "resolved", seconds=20)
    alerts.close()
    told = notices(redis_client)
    assert sorted(set(told)) == sorted(told)
    assert told.count(("nan_inf-a1-150", "opened")) == 1
    assert told.count(("nan_inf-a1-150", "ended")) == 1


def test_a_worker_waits_for_redis_and_ends_when_it_is_asked_to(own_redis: RedisServer) -> None:
    own_redis.stop()
    worker = start(own_redis.url)
    try:
        own_redis.start()
        client = redis.Redis.from_url(own_redis.url)
        eventually(lambda: client.smembers(schema.DIAGNOSERS), seconds=20)
        own_redis.stop(kill=True)
        own_redis.start()
        eventually(client.ping, seconds=5)
        client.delete(schema.DIAGNOSERS)
        eventually(lambda: client.smembers(schema.DIAGNOSERS), seconds=20)
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(timeout=10) == 0
        assert client.smembers(schema.DIAGNOSERS) == set()
        client.close()
    finally:
        worker.kill()
        worker.wait(timeout=10)
