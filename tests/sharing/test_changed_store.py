"""What a snapshot says where its points are not as they were: folded, or gone, or others."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
import redis
from flask.testing import FlaskClient

from app.store import RedisRunStore
from collector.wire import schema
from collector.wire.records import SeriesMeta, pack_point
from tests.support.folding import fold_oldest, pack_oldest
from tests.support.freezing import answers, freeze, questions, serving
from tests.support.redis_server import RedisServer
from tests.support.seed import RUN, Seed, straight

RANKS = 4
POINTS = 3_000


def meta(rank: int) -> SeriesMeta:
    return SeriesMeta(f"log/rank_{rank}/info.log", 0, "loss", "loss", rank, "log")


@pytest.fixture
def seed(redis_client: redis.Redis) -> Seed:
    seed = Seed(redis_client)
    for rank in range(RANKS):
        seed.points(straight(range(POINTS), value=10 + rank), rank=rank, file=meta(rank).file)
    seed.beat()
    return seed


@pytest.fixture
def store(redis_url: str) -> RedisRunStore:
    return RedisRunStore(redis_url)


def steps(client: FlaskClient, base: str, rank: int) -> list[int]:
    answer = client.get(f"{base}/api/runs/{RUN}/series?metric=loss&rank={rank}&points=0").json
    return [step for step, *_ in answer["points"]]


def test_packing_changes_nothing(seed: Seed, store: RedisRunStore, redis_url: str) -> None:
    with serving(store) as client:
        link = freeze(client, RUN)
        before = answers(client, link.path, questions(RUN))
    for rank in range(RANKS):
        assert pack_oldest(redis_url, 2_048, meta(rank).sid)
        seed.points(straight(range(POINTS, POINTS + 300)), rank=rank, file=meta(rank).file)
    with serving(store) as client:
        assert answers(client, link.path, questions(RUN)) == before


def test_what_had_been_folded_is_said(seed: Seed, store: RedisRunStore, redis_url: str) -> None:
    assert fold_oldest(redis_url, 1_024, meta(1).sid)
    with serving(store) as client:
        link = freeze(client, RUN)
        shown = client.get(link.path).text
        kept = store.kept(RUN, [meta(1).sid])[0]
        assert 0 < kept < 1_024
        assert f"1,024 of 12,000 points had been folded to save room: {kept} of them are shown" in shown
        seed.points(straight(range(POINTS, POINTS + 9)), rank=1, file=meta(1).file)
        assert steps(client, link.path, 1)[-1] == POINTS - 1
        assert len(steps(client, link.path, 1)) == POINTS - 1_024 + kept
        assert "had been folded" in client.get(f"{link.path}/ranks").text


def test_without_a_fold_nothing_is_said(seed: Seed, store: RedisRunStore) -> None:
    with serving(store) as client:
        assert "folded to save room" not in client.get(freeze(client, RUN).path).text


def fold_anyway(client: redis.Redis, url: str, points: int, rank: int) -> None:
    """As a collector does that knows of no pins."""
    pinned = client.zrange(schema.pins(RUN), 0, -1, withscores=True)
    client.delete(schema.pins(RUN))
    assert fold_oldest(url, points, meta(rank).sid)
    client.zadd(schema.pins(RUN), dict(pinned))


@pytest.mark.parametrize("before", [0, 1_024], ids=["nothing folded before", "some folded before"])
def test_what_an_older_collector_folds_is_said_and_the_rest_stays(
    before: int, seed: Seed, store: RedisRunStore, redis_client: redis.Redis, redis_url: str
) -> None:
    if before:
        assert fold_oldest(redis_url, before, meta(1).sid)
    with serving(store) as client:
        link = freeze(client, RUN)
        assert steps(client, link.path, 2) == list(range(POINTS))
        seed.points(straight(range(POINTS, POINTS + 900)), rank=1, file=meta(1).file)
        fold_anyway(redis_client, redis_url, 1_280, 1)
        assert steps(client, link.path, 1)[-(POINTS - 1_280 - before) :] == list(range(1_280 + before, POINTS))
        assert f"{1_280 + before:,} of 12,000 points had been folded" in client.get(link.path).text
    with serving(store) as fresh:
        found = steps(fresh, link.path, 1)
        assert found[0] == 0
        assert found[-(POINTS - 1_280 - before) :] == list(range(1_280 + before, POINTS))
        assert steps(fresh, link.path, 2) == list(range(POINTS))
        assert fresh.get(f"{link.path}/api/runs/{RUN}/ranks?metric=loss").status_code == 200


def refill(seed: Seed, change: Callable[[int], float]) -> None:
    """The same files again, or others of the same length."""
    for rank in range(RANKS):
        block = b"".join(pack_point(step, 1e6 + step, change(step)) for step in range(POINTS + 50))
        seed.client.set(schema.points(RUN, meta(rank).sid), block)


def test_a_store_that_was_emptied_has_no_snapshot_any_more(seed: Seed, store: RedisRunStore) -> None:
    with serving(store) as client:
        link = freeze(client, RUN)
        assert client.get(link.path).status_code == 200
        seed.flush()
        Seed(seed.client).points(straight(range(POINTS)))
        wrong = client.get("/s/wrong")
        assert (client.get(link.path).status_code, client.get(link.path).text) == (404, wrong.text)


def test_other_points_are_never_shown_in_the_place_of_those_that_were(seed: Seed, store: RedisRunStore) -> None:
    """As where a node of a cluster was emptied, and the snapshot lies on another one."""
    with serving(store) as client:
        link = freeze(client, RUN)
        before = answers(client, link.path, questions(RUN))
    refill(seed, lambda step: -float(step))
    with serving(store) as client:
        after = answers(client, link.path, questions(RUN))
        assert [one for one in after if after[one] != before[one] and after[one][0] != 410] == []
        assert sum(status == 410 for status, _ in after.values()) > 20
        assert client.get(link.path).status_code == 410
        refused = client.get(f"{link.path}/api/runs/{RUN}/curves?metric=loss")
        assert refused.status_code == 410
        assert "Other points are never shown" in json.loads(refused.text)["error"]


def test_fewer_points_than_there_were_are_no_snapshot(seed: Seed, store: RedisRunStore) -> None:
    with serving(store) as client:
        link = freeze(client, RUN)
    seed.client.delete(schema.points(RUN, meta(2).sid))
    with serving(store) as client:
        assert client.get(f"{link.path}/api/runs/{RUN}/series?metric=loss&rank=2").status_code == 410
        assert client.get(f"{link.path}/api/runs/{RUN}/series?metric=loss&rank=1").status_code == 200


def test_fewer_lines_than_there_were_are_no_snapshot(seed: Seed, store: RedisRunStore) -> None:
    for step in range(5):
        seed.event("checkpoint", step=step, wall=1e6 + step)
    with serving(store) as client:
        link = freeze(client, RUN)
        assert client.get(f"{link.path}/api/runs/{RUN}/events").json["total"] == 5
    seed.client.ltrim(schema.events(RUN), 0, 2)
    with serving(store) as client:
        assert client.get(f"{link.path}/api/runs/{RUN}/events").status_code == 410


def test_while_redis_is_away_it_says_so(own_redis: RedisServer) -> None:
    with redis.Redis.from_url(own_redis.url) as client:
        Seed(client).points(straight(range(20)))
    away = RedisRunStore(own_redis.url)
    with serving(away) as client:
        link = freeze(client, RUN)
        own_redis.stop()
        assert client.get(link.path, headers={"Accept": "text/html"}).status_code == 503
        assert "Redis" in client.get(f"{link.path}/api/runs").json["error"]
        assert client.get("/s/wrong").status_code == 404
        own_redis.start()
        assert client.get(link.path).status_code == 200
    away.close()


def test_what_is_no_snapshot_any_more_is_not_shown(seed: Seed, store: RedisRunStore) -> None:
    with serving(store) as client:
        link = freeze(client, RUN)
    for broken in (b"", b"x", b"\x78\x9c", seed.client.get(schema.frozen(RUN, link.id))[:-9]):
        seed.client.set(schema.frozen(RUN, link.id), broken)
        with serving(store) as client:
            assert client.get(link.path).status_code == 410
