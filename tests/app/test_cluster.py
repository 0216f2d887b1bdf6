"""The application on a real Redis Cluster: a run of many ranks, spread over nodes of which some die."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.cluster_store import ClusterRunStore, opened
from app.config import AppConfig
from app.factory import create_app
from collector.wire import schema
from collector.wire.records import RunId
from tests.support import ledger
from tests.support.following import following
from tests.support.growing import line
from tests.support.redis_cluster import Node, RedisCluster
from tests.support.serving import EventStream, serving
from tests.support.waiting import eventually

RUN = RunId("job_a")
RANKS = 64


@dataclass
class Crowd:
    """The logs of many ranks, which grow when they are told to."""

    root: Path
    step: int = 0

    def path(self, rank: int) -> Path:
        return self.root / "output" / "log" / f"rank_{rank}" / "info.log"

    def grow(self) -> None:
        self.step += 1
        for rank in range(RANKS):
            self.path(rank).parent.mkdir(parents=True, exist_ok=True)
            with self.path(rank).open("ab") as file:
                file.write(line(self.step))


@pytest.fixture(autouse=True)
def clocks_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


@pytest.fixture
def cluster() -> Iterator[RedisCluster]:
    found = RedisCluster(schema.run(RUN))
    try:
        yield found.start()
    finally:
        found.close()


@pytest.fixture
def store(cluster: RedisCluster) -> Iterator[ClusterRunStore]:
    found = opened(cluster.url)
    assert isinstance(found, ClusterRunStore)
    yield found
    found.close()


def got(client: FlaskClient, path: str) -> Any:
    """What the API answers, None while it cannot."""
    reply = client.get(path)
    return reply.json if reply.status_code == 200 else None


def total(client: FlaskClient, rank: int = RANKS - 1) -> int:
    found = got(client, f"/api/runs/{RUN}/series?metric=loss&rank={rank}&points=1")
    return found["total"] if found else 0


def deposed(cluster: RedisCluster, primary: Node) -> None:
    """Kill a primary; its replica has taken over."""
    replica = cluster.replicas[cluster.primaries.index(primary)]
    primary.stop(kill=True)
    eventually(replica.leads, seconds=30, every=0.1)


def grows(client: FlaskClient, crowd: Crowd) -> None:
    """What is written from now on arrives."""
    before = crowd.step
    eventually(lambda: crowd.grow() or total(client) > before + 10, seconds=40, every=0.1)


def told(crowd: Crowd, stream: EventStream) -> None:
    """An open page hears of a new point, if need be after the word to read everything again."""
    crowd.grow()
    found = stream.until("points")[-1]
    assert found.data["points"]["loss"][-1][0] <= crowd.step


@pytest.mark.timeout(240)
def test_a_run_of_many_ranks_survives_two_primaries(
    tmp_path: Path, cluster: RedisCluster, store: ClusterRunStore
) -> None:
    crowd = Crowd(tmp_path / RUN)
    crowd.grow()
    server = create_app(AppConfig(), store).server
    client = server.test_client()
    other = next(one for one in cluster.primaries if one is not cluster.primary)
    with following(crowd.root, cluster.url) as follower, serving(server) as port:
        grows(client, crowd)
        assert all(one.keys("tw:{" + RUN + ":*:points:*") for one in cluster.primaries), "points lie on every node"
        with EventStream(port, f"/api/runs/{RUN}/stream") as stream:
            stream.until("ready")
            told(crowd, stream)
            for primary in (other, cluster.primary):  # one has shards alone, one has the live stream as well
                deposed(cluster, primary)
                grows(client, crowd)
                told(crowd, stream)
        eventually(lambda: ledger.agrees(crowd.root, cluster.url), seconds=30, every=0.3)
        asked = got(client, f"/api/runs/{RUN}/log?rank=5&around={crowd.step}&before=1&after=0")
        assert [one["text"] for one in asked["lines"] if one["match"]] == [line(crowd.step).decode().rstrip()]
        assert "Redis answers again" in follower.said
    api_tells_all(client, crowd)


def api_tells_all(client: FlaskClient, crowd: Crowd) -> None:
    assert [one["id"] for one in got(client, "/api/runs")] == [RUN]
    run = got(client, f"/api/runs/{RUN}")
    assert run["ranks"] == list(range(RANKS))
    assert len(run["sources"]) == RANKS
    expected = [[step, step / 4] for step in range(1, crowd.step + 1)]
    for rank in range(RANKS):
        found = got(client, f"/api/runs/{RUN}/series?metric=loss&rank={rank}&points=0")
        assert [[step, value] for step, _, value, _ in found["points"]] == expected, rank
    grid = got(client, f"/api/runs/{RUN}/ranks?metric=loss&start=1&end={crowd.step}")
    assert [one["rank"] for one in grid["ranks"]] == list(range(RANKS))
