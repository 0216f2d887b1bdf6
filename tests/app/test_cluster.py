"""The application on a real Redis Cluster: a run of many ranks, spread over nodes of which some die."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from flask.testing import FlaskClient

from app.cluster_store import ClusterRunStore, opened
from app.config import AppConfig
from app.factory import create_app
from app.launch.options import BadUse
from app.status.command import run as status
from collector.wire import schema
from collector.wire.records import RunId
from collector.wire.shards import SHARDS, homes
from tests.support import ledger
from tests.support.dashboard import dashboard
from tests.support.diagnosing import diagnosis, lines
from tests.support.following import following
from tests.support.growing import line
from tests.support.redis_cluster import RedisCluster, free_ports
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
                cluster.fall_behind(primary)
                grows(client, crowd)  # of which the replica knows nothing
                cluster.depose(primary, behind=True)
                grows(client, crowd)
                told(crowd, stream)
        eventually(lambda: ledger.agrees(crowd.root, cluster.url), seconds=30, every=0.3)
        asked = got(client, f"/api/runs/{RUN}/log?rank=5&around={crowd.step}&before=1&after=0")
        assert [one["text"] for one in asked["lines"] if one["match"]] == [line(crowd.step).decode().rstrip()]
        assert "Redis answers again" in follower.said
    api_tells_all(client, crowd)


@pytest.mark.timeout(120)
def test_slots_that_move_to_another_node_lose_nothing(
    tmp_path: Path, cluster: RedisCluster, store: ClusterRunStore
) -> None:
    crowd = Crowd(tmp_path / RUN)
    crowd.grow()
    server = create_app(AppConfig(), store).server
    client = server.test_client()
    with following(crowd.root, cluster.url), serving(server) as port:
        grows(client, crowd)
        with EventStream(port, f"/api/runs/{RUN}/stream") as stream:
            stream.until("ready")
            told(crowd, stream)
            shards = [one for one in map(schema.run, homes(RUN, SHARDS)) if cluster.place_of(one) == 0]
            for key in (schema.run(RUN), *shards[:3]):
                to = next(one for one in cluster.primaries if one is not cluster.primaries[cluster.place_of(key)])
                cluster.move(key, to)
                grows(client, crowd)
                told(crowd, stream)
        eventually(lambda: ledger.agrees(crowd.root, cluster.url), seconds=30, every=0.3)
    api_tells_all(client, crowd)


@pytest.mark.timeout(120)
def test_a_node_that_forgot_everything_is_filled_again(tmp_path: Path, empty_cluster: RedisCluster) -> None:
    """As after a restart without its data; no file grows any more."""
    crowd = Crowd(tmp_path / RUN)
    for _ in range(5):
        crowd.grow()
    store = opened(empty_cluster.url)
    client = create_app(AppConfig(), store).server.test_client()
    with following(crowd.root, empty_cluster.url):
        eventually(lambda: ledger.agrees(crowd.root, empty_cluster.url), seconds=20, every=0.2)
        for node in empty_cluster.primaries:
            api_tells_all(client, crowd)
            assert node.ask("DBSIZE"), "there is something to forget"
            node.ask("FLUSHALL")
            eventually(lambda: ledger.agrees(crowd.root, empty_cluster.url), seconds=20, every=0.2)
        eventually(lambda: got(client, "/api/runs"), seconds=10)
        api_tells_all(client, crowd)
    store.close()


@pytest.mark.timeout(120)
def test_a_run_in_a_cluster_is_diagnosed_and_handled(tmp_path: Path, empty_cluster: RedisCluster) -> None:
    """Alerts, what people say of them, mutes and signs of life lie in slots of their own."""
    log = tmp_path / RUN / "output" / "log" / "rank_0" / "info.log"
    log.parent.mkdir(parents=True)
    store = opened(empty_cluster.url)
    client = create_app(AppConfig(), store).server.test_client()
    address = f"/api/runs/{RUN}/alerts"
    with following(tmp_path / RUN, empty_cluster.url), diagnosis(empty_cluster.url):
        with log.open("ab") as file:
            file.writelines(lines(range(1, 200), nan=range(150, 200)))
        (alert,) = eventually(lambda: (got(client, f"{address}?class=nan_inf") or {}).get("alerts"), seconds=30)
        assert client.post(f"{address}/{alert['id']}/acknowledge", json={"by": "shift"}).status_code == 200
        assert client.post("/api/mutes", json={"class": "nan_inf", "run": RUN, "by": "shift"}).status_code in (200, 201)
        assert "diagnosis" in str(got(client, "/readyz?verbose"))
    (after,) = got(client, f"{address}?class=nan_inf")["alerts"]
    assert (after["state"], after["muted"], after["first_step"]) == ("acknowledged", True, 150)
    store.close()


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


def test_the_commands_take_a_cluster(tmp_path: Path, empty_cluster: RedisCluster) -> None:
    """``python -m app DIR`` with collector and pages, and ``python -m app status``."""
    crowd = Crowd(tmp_path / RUN)
    crowd.grow()
    with dashboard(tmp_path, str(crowd.root), REDIS_URL=empty_cluster.url) as running:
        url = running.url()

        def shown() -> Any:
            with urlopen(f"{url}/api/runs") as answer:
                return json.load(answer)

        assert [one["id"] for one in eventually(shown, seconds=20)] == [RUN]
        eventually(lambda: summary("--redis", empty_cluster.url)[0].startswith(RUN), seconds=20)
        with urlopen(f"{url}/run/{RUN}") as page:
            assert RUN in page.read().decode()
        assert running.end() == 0


def summary(*arguments: str) -> tuple[str, int]:
    out = io.StringIO()
    code = status(list(arguments), {}, out)
    return out.getvalue(), code


def test_status_says_which_cluster_is_away(capsys: pytest.CaptureFixture[str]) -> None:
    url = f"redis+cluster://me:secret@127.0.0.1:{free_ports(1)[0]}"
    assert summary("--redis", url) == ("", 3)
    said = capsys.readouterr().err
    assert "127.0.0.1" in said
    assert "secret" not in said


@pytest.mark.parametrize("url", ["redis+cluster://a:1,b:letters", "redis+clusters://a:1"])
def test_an_address_that_makes_no_sense_is_one_sentence(url: str) -> None:
    with pytest.raises(BadUse, match="--redis"):
        summary("--redis", url)
