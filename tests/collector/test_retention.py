"""What is folded when a run has more points than its budget holds, on a real Redis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest
import redis

from collector.batch import Batch, Progress
from collector.keep import WINDOW, plan, speaking, tiers
from collector.normalise import Block
from collector.retention import LOOK_SECONDS, REST, Retention
from collector.shelf import Shelf
from collector.store import Store
from collector.wire.records import Cursor, RunId, RunRecord, SeriesMeta, pack_point, unpack_points
from tests.support.memory import MemoryFiles
from tests.support.redis_server import RedisServer
from tests.support.world import World

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


def put(store: Store, series: dict[str, SeriesMeta], count: int = 2000, *, clock: bool = True) -> None:
    cursor = Cursor("log/rank_0/info.log", "log", 0, offset=count)
    blocks = tuple(Block(one, values(count, clock=clock)) for one in series.values())
    store.commit(Batch(RunRecord(RUN, "job", "/job"), (Progress(None, cursor),), blocks), 1.0)


@dataclass
class Followed:
    """A run as the roster knows it."""

    version: str | None = "1.0"


def settle(retention: Retention, now: float = 0.0) -> float:
    """Until nothing is due before the next look."""
    wait = 0.0
    while wait < 1.0:
        wait = retention.turn(now)
        now += wait
    return now


def keeping(store: Store, keep: int, runs: dict[RunId, Followed] | None = None) -> Retention:
    return Retention(keep, store.shelf, {RUN: Followed()} if runs is None else runs)


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
    settle(keeping(store, 200_000))
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
    settle(keeping(store, 0))
    settle(keeping(store, RANKS * 2000 * 24))
    assert {key: redis_client.dump(key) for key in redis_client.scan_iter()} == before


class Slow(Shelf):
    """Another collector is quicker right after this one has measured."""

    def __init__(self, store: Store, budget: int) -> None:
        self._store, self._budget = store, budget
        self.__dict__.update(store.shelf.__dict__)

    def sizes(self, run: RunId, sids: Sequence[str]) -> list[tuple[int, int]]:
        found = super().sizes(run, sids)
        settle(keeping(self._store, self._budget))
        return found


def test_two_collectors_that_measured_the_same_fold_it_once(store: Store) -> None:
    series = some(*(meta(rank) for rank in range(RANKS)))
    put(store, series)
    budget = RANKS * 2000 * 24 * 7 // 10
    settle(Retention(budget, Slow(store, budget), {RUN: Followed()}))
    folded = store.shelf.counts(RUN, [meta(rank).sid for rank in range(1, RANKS - 1)])
    assert 0 < folded[0] < 1000
    assert set(folded) == {folded[0]}


def test_points_without_a_clock_are_left_alone_and_not_tried_again(store: Store) -> None:
    series = some(*(meta(rank) for rank in range(RANKS)))
    put(store, series, clock=False)
    runs = {RUN: Followed()}
    retention = keeping(store, 1, runs)
    now = settle(retention)
    assert store.shelf.counts(RUN, list(series)) == [0] * RANKS
    runs[RUN].version = "2.0"
    settle(retention, now + LOOK_SECONDS)
    assert taken(store, series) == RANKS * 2000 * 24


def test_a_run_is_measured_again_only_after_a_commit(store: Store, redis_client: redis.Redis) -> None:
    series = some(*(meta(rank) for rank in range(RANKS)))
    put(store, series)
    runs = {RUN: Followed()}
    retention = keeping(store, 200_000, runs)
    now = settle(retention)
    calls = redis_client.info("commandstats")["cmdstat_hscan"]["calls"]
    now = settle(retention, now + LOOK_SECONDS)
    assert redis_client.info("commandstats")["cmdstat_hscan"]["calls"] == calls
    runs[RUN].version = "2.0"
    settle(retention, now + LOOK_SECONDS)
    assert redis_client.info("commandstats")["cmdstat_hscan"]["calls"] > calls


def test_the_longer_measuring_takes_the_more_seldom_it_is_done(store: Store) -> None:
    put(store, some(*(meta(rank) for rank in range(RANKS))))
    runs = {RUN: Followed()}
    retention = keeping(store, 700_000, runs)
    assert retention.turn(0.0) <= 0.1  # begins
    assert retention.turn(30.0) <= 0.1  # a piece, on a machine that is busy
    assert retention.turn(30.1) == pytest.approx(REST * 30.1)
    for version, now in (("2.0", 332.0), ("3.0", 400.0)):
        runs[RUN].version = version
        assert settle(retention, now) - now == pytest.approx(LOOK_SECONDS, abs=1.5)


def test_while_redis_is_away_it_waits(own_redis: RedisServer) -> None:
    store = Store(own_redis.url)
    series = some(*(meta(rank) for rank in range(RANKS)))
    put(store, series)
    retention = keeping(store, 200_000)
    own_redis.stop(kill=True)
    assert retention.turn(0.0) < 1.0
    assert retention.turn(1.0) == LOOK_SECONDS
    own_redis.start()
    settle(retention, 100.0)
    assert taken(store, series) < 200_000
    store.close()


def log(rank: int) -> bytes:
    """What a rank's log says of 3,000 steps."""
    head = "2026-03-01 10:{:02d}:{:02d},000 - mindformers - INFO - "
    line = "{{ Epoch:[  1/  1], step:[{:5d}/ 3000], loss:{:7.3f}, per_step_time: 500ms, lr: 1.0e-05}}\n"
    lines = (head.format(at // 60 % 60, at % 60) + line.format(at, 9 - at / 1000 + rank) for at in range(1, 3001))
    return "".join(lines).encode()


def test_a_flush_is_healed_from_the_files_and_folded_again(redis_url: str, redis_client: redis.Redis) -> None:
    files = MemoryFiles()
    for rank in range(4):
        files.append(f"/job/log/rank_{rank}/info.log", log(rank))
    store = Store(redis_url)
    world = World(files, store=store)  # type: ignore[arg-type]
    budget = 4 * 3 * 3000 * 24 * 3 // 4
    retention = Retention(budget, store.shelf, world.service.roster.runs)
    for _ in range(2):
        world.settle()
        world.now = settle(retention, world.now)
        (run,) = store.runs()
        series = store.series(run)
        counts = store.shelf.counts(run, [one.sid for one in series])
        assert {one.rank for one, count in zip(series, counts, strict=True) if count} == {1, 2}
        assert sum(map(sum, store.shelf.sizes(run, [one.sid for one in series]))) < budget
        for one, block in zip(series, store.points(run, [one.sid for one in series]), strict=True):
            steps = [step for step, _, _ in unpack_points(block)]
            assert (steps[0], steps[-1], steps) == (1, 3000, sorted(set(steps)))
            assert one.rank in (1, 2) or len(steps) == 3000
        redis_client.flushall()
    store.close()
