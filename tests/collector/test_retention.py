"""What is folded when a run has more points than its budget holds, on a real Redis."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis

from collector.batch import Batch, Progress
from collector.keep import WINDOW, plan, speaking, tiers
from collector.normalise import Block
from collector.retention import LOOK_SECONDS, Retention
from collector.store import Store
from collector.wire.records import Cursor, RunId, RunRecord, SeriesMeta, pack_point, unpack_points
from tests.support.redis_server import RedisServer

RUN = RunId("job")
RANKS = 12


def meta(rank: int | None, metric: str | None = "local_loss", tag: str = "") -> SeriesMeta:
    return SeriesMeta(f"log/rank_{rank}/info.log", 0, tag or metric or "", metric, rank, "log")


def values(count: int, *, clock: bool = True) -> bytes:
    wall = 1e9 if clock else float("nan")
    return b"".join(pack_point(step, wall + step, float(step % 9)) for step in range(count))


def sizes(series: dict[str, SeriesMeta], points: int = 2000) -> dict[str, tuple[int, int]]:
    return dict.fromkeys(series, (points * 24, 0))


def some(*metas: SeriesMeta) -> dict[str, SeriesMeta]:
    return {one.sid: one for one in metas}


@pytest.fixture
def store(redis_url: str) -> Iterator[Store]:
    one = Store(redis_url)
    yield one
    one.close()


def put(store: Store, series: dict[str, SeriesMeta], count: int = 2000, *, clock: bool = True) -> str:
    cursor = Cursor("log/rank_0/info.log", "log", 0, offset=count)
    blocks = tuple(Block(one, values(count, clock=clock)) for one in series.values())
    store.commit(Batch(RunRecord(RUN, "job", "/job"), (Progress(None, cursor),), blocks), 1.0)
    return "1.0"


def settle(retention: Retention, store: Store, version: str = "1.0", now: float = 0.0) -> float:
    """Until nothing is due before the next look."""
    wait = 0.0
    while wait < 1.0:
        wait = retention.turn(now, store.shelf, {RUN: version})
        now += wait
    return now


def taken(store: Store, series: dict[str, SeriesMeta]) -> int:
    return sum(map(sum, store.shelf.sizes(RUN, list(series))))


def test_within_the_budget_nothing_is_folded() -> None:
    series = some(*(meta(rank) for rank in range(RANKS)))
    assert plan(series, sizes(series), RANKS * 2000 * 24) == {}


def test_what_speaks_for_the_run_is_never_folded() -> None:
    series = some(*(meta(rank, name) for rank in range(RANKS) for name in ("loss", "local_loss")), meta(None, "loss"))
    assert speaking(series) == {None, 0, RANKS - 1}
    assert {series[sid].rank for sid in plan(series, sizes(series), 1)} == set(range(1, RANKS - 1))


def test_raw_tags_of_ranks_that_speak_come_last_and_only_beside_a_metric() -> None:
    beside, alone = meta(0, None, "norm/a"), SeriesMeta("events", 0, "norm/b", None, 0, "tensorboard")
    series = some(meta(0, "loss"), meta(1, "loss"), meta(2, "loss"), beside, alone)
    assert [[series[sid] for sid in tier] for tier in tiers(series)] == [[meta(1, "loss")], [beside]]
    little = plan(series, sizes(series), 5 * 2000 * 24 - 100)
    assert [series[sid] for sid in little] == [meta(1, "loss")]


def test_the_exact_window_shrinks_evenly_and_no_more_than_is_needed() -> None:
    series = some(*(meta(rank) for rank in range(RANKS)))
    budget = RANKS * 2000 * 24 * 7 // 10
    cuts = plan(series, sizes(series), budget)
    assert len(cuts) == RANKS - 2
    (cut,) = set(cuts.values())
    assert 0 < cut < (2000 - WINDOW) * 24
    freed = sum(cuts.values()) * 11 // 12
    assert RANKS * 2000 * 24 - freed < budget


def test_a_run_is_brought_below_its_budget(store: Store) -> None:
    series = some(*(meta(rank) for rank in range(RANKS)))
    put(store, series)
    settle(Retention(200_000), store)
    assert taken(store, series) < 200_000
    counts = dict(zip(series, store.shelf.counts(RUN, list(series)), strict=True))
    assert [counts[meta(rank).sid] for rank in (0, RANKS - 1)] == [0, 0]
    assert all(counts[meta(rank).sid] > 0 for rank in range(1, RANKS - 1))
    exact = [step for step, _, _ in unpack_points(store.points(RUN, [meta(1).sid])[0])][-WINDOW:]
    assert exact == list(range(2000 - WINDOW, 2000))


def test_without_a_budget_and_below_it_nothing_is_touched(store: Store, redis_client: redis.Redis) -> None:
    series = some(*(meta(rank) for rank in range(RANKS)))
    put(store, series)
    before = {key: redis_client.dump(key) for key in redis_client.scan_iter()}
    settle(Retention(0), store)
    settle(Retention(RANKS * 2000 * 24), store)
    assert {key: redis_client.dump(key) for key in redis_client.scan_iter()} == before


def test_points_without_a_clock_are_left_alone_and_not_tried_again(store: Store) -> None:
    series = some(*(meta(rank) for rank in range(RANKS)))
    put(store, series, clock=False)
    retention = Retention(1)
    now = settle(retention, store)
    assert store.shelf.counts(RUN, list(series)) == [0] * RANKS
    settle(retention, store, "2.0", now + LOOK_SECONDS)
    assert taken(store, series) == RANKS * 2000 * 24


def test_a_run_is_measured_again_only_after_a_commit(store: Store, redis_client: redis.Redis) -> None:
    series = some(*(meta(rank) for rank in range(RANKS)))
    put(store, series)
    retention = Retention(200_000)
    now = settle(retention, store)
    calls = redis_client.info("commandstats")["cmdstat_hscan"]["calls"]
    now = settle(retention, store, now=now + LOOK_SECONDS)
    assert redis_client.info("commandstats")["cmdstat_hscan"]["calls"] == calls
    settle(retention, store, "2.0", now + LOOK_SECONDS)
    assert redis_client.info("commandstats")["cmdstat_hscan"]["calls"] > calls


def test_while_redis_is_away_it_waits(own_redis: RedisServer) -> None:
    store = Store(own_redis.url)
    series = some(*(meta(rank) for rank in range(RANKS)))
    put(store, series)
    retention = Retention(200_000)
    own_redis.stop(kill=True)
    assert retention.turn(0.0, store.shelf, {RUN: "1.0"}) < 1.0
    assert retention.turn(1.0, store.shelf, {RUN: "1.0"}) == LOOK_SECONDS
    own_redis.start()
    settle(retention, store, now=100.0)
    assert taken(store, series) < 200_000
    store.close()
