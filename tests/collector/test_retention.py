"""What is packed of a run, and what is folded when it has more points than its budget holds, on a real Redis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest
import redis

from collector.batch import Batch, Progress
from collector.keep import BESIDE, LONGEST, TAIL, WINDOW, Size, packs, plan, speaking, tiers
from collector.normalise import Block
from collector.retention import LOOK_SECONDS, REST, Retention
from collector.shelf import Shelf
from collector.store import Store
from collector.wire import schema
from collector.wire.records import Cursor, RunId, RunRecord, SeriesMeta, pack_point, unpack_points
from tests.support.folding import fold_oldest
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


def sizes(series: dict[str, SeriesMeta], points: int = 2000) -> dict[str, Size]:
    return dict.fromkeys(series, Size(points * 24))


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
    return sum(one.bytes for one in store.shelf.sizes(RUN, list(series)))


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
    assert 0 < cut < 2000 - WINDOW
    freed = sum(cuts.values()) * 22
    assert RANKS * 2000 * 24 - freed < budget


def test_a_run_is_brought_below_its_budget(store: Store) -> None:
    series = some(*(meta(rank) for rank in range(RANKS)))
    put(store, series)
    settle(keeping(store, 190_000))
    assert taken(store, series) < 190_000
    counts = dict(zip(series, store.shelf.counts(RUN, list(series)), strict=True))
    assert [counts[meta(rank).sid] for rank in (0, RANKS - 1)] == [0, 0]
    assert all(counts[meta(rank).sid] > 0 for rank in range(1, RANKS - 1))
    exact = [step for step, _, _ in unpack_points(store.points(RUN, [meta(1).sid])[0])][-WINDOW:]
    assert exact == list(range(2000 - WINDOW, 2000))


@pytest.mark.parametrize("keep", [0, RANKS * 2000 * 24])
def test_without_a_budget_and_below_it_nothing_is_folded_and_every_point_stays(store: Store, keep: int) -> None:
    series = some(*(meta(rank) for rank in range(RANKS)))
    put(store, series)
    before = store.points(RUN, list(series))
    settle(keeping(store, keep))
    assert store.points(RUN, list(series)) == before
    assert store.shelf.counts(RUN, list(series)) == [0] * RANKS
    found = dict(zip(series, store.shelf.sizes(RUN, list(series)), strict=True))
    assert {found[meta(rank).sid] for rank in (0, RANKS - 1)} == {Size(2000 * 24)}
    for rank in range(1, RANKS - 1):
        size = found[meta(rank).sid]
        assert (size.packed_points, size.points) == (1792, 2000)
        assert size.packed < 8.25 * 1792


def test_a_tail_is_packed_when_it_is_long_enough_and_the_newest_stay_beside(store: Store) -> None:
    series = some(*(meta(rank) for rank in range(3)))
    sid, at, runs = meta(1).sid, 0, {RUN: Followed()}
    retention, now, cursor = keeping(store, 0, runs), 0.0, None
    tails = []
    for count in (TAIL - 1, 1, TAIL - BESIDE - 1, 1):
        after = Cursor(meta(1).file, "log", 1, offset=at + count)
        block = values(at + count)[at * 24 :]
        progress = Progress(cursor.encode() if cursor else None, after)
        store.commit(Batch(RunRecord(RUN, "job", "/job"), (progress,), (Block(meta(1), block),)), 1.0)
        cursor, at = after, at + count
        if at == count:
            put(store, {key: one for key, one in series.items() if key != sid}, 5)
        runs[RUN].version = str(now)
        now = settle(retention, now) + LOOK_SECONDS
        (size,) = store.shelf.sizes(RUN, [sid])
        tails.append((size.packed_points, size.exact // 24))
    assert tails == [(0, 255), (128, 128), (128, 255), (256, 128)]


def test_of_a_long_series_an_eighth_is_packed_at_once_and_a_very_long_one_is_left_alone() -> None:
    def packed(exact: int, points: int) -> int:
        return sum(packs(["one"], {"one": Size(exact * 24, points, points * 8)}).values())

    assert [packed(999, 8000), packed(1000, 8000), packed(1151, 8000)] == [0, 768, 896]
    assert [packed(LONGEST + 1, 0), packed(LONGEST, 0), packed(50_000, LONGEST - 50_000)] == [0, 2**15, 2**15]


def test_a_long_history_is_packed_in_many_pieces(store: Store) -> None:
    series = some(*(meta(rank) for rank in range(3)))
    put(store, series, 100_000)
    settle(keeping(store, 0))
    found = dict(zip(series, store.shelf.sizes(RUN, list(series)), strict=True))[meta(1).sid]
    assert (found.packed_points, found.points) == (3 * 2**15, 100_000)
    assert [step for step, _, _ in unpack_points(store.points(RUN, [meta(1).sid])[0])] == list(range(100_000))


def test_a_series_too_long_to_be_packed_by_itself_is_packed_where_it_is_folded(store: Store) -> None:
    series = some(*(meta(rank) for rank in range(3)))
    put(store, series, LONGEST + 10_000)
    budget = 2 * (LONGEST + 10_000) * 24 + 10**6
    settle(keeping(store, budget))
    (size,) = store.shelf.sizes(RUN, [meta(1).sid])
    (count,) = store.shelf.counts(RUN, [meta(1).sid])
    assert count > 0
    assert size.points + count == LONGEST + 10_000
    now = keeping(store, budget)
    settle(now)
    assert taken(store, series) < budget


class Slow(Shelf):
    """Another collector is quicker right after this one has measured."""

    def __init__(self, store: Store, budget: int) -> None:
        self._store, self._budget = store, budget
        self.__dict__.update(store.shelf.__dict__)

    def sizes(self, run: RunId, sids: Sequence[str]) -> list[Size]:
        found = super().sizes(run, sids)
        settle(keeping(self._store, self._budget))
        return found


def test_two_collectors_that_measured_the_same_fold_it_once(store: Store) -> None:
    series = some(*(meta(rank) for rank in range(RANKS)))
    put(store, series)
    budget = 280_000
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
    before = taken(store, series)
    runs[RUN].version = "2.0"
    settle(retention, now + LOOK_SECONDS)
    assert taken(store, series) == before
    assert len(store.points(RUN, [meta(1).sid])[0]) == 2000 * 24


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
    assert settle(retention, 30.1) == pytest.approx(REST * 30.1 + 30.1, abs=1.5)  # what packing takes is not counted
    for version, now in (("2.0", 130.0), ("3.0", 200.0)):
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
    budget = 4 * 3 * 3000 * 24 * 13 // 20
    retention = Retention(budget, store.shelf, world.service.roster.runs)
    for _ in range(2):
        world.settle()
        world.now = settle(retention, world.now)
        (run,) = store.runs()
        series = store.series(run)
        counts = store.shelf.counts(run, [one.sid for one in series])
        assert {one.rank for one, count in zip(series, counts, strict=True) if count} == {1, 2}
        assert sum(one.bytes for one in store.shelf.sizes(run, [one.sid for one in series])) < budget
        for one, block in zip(series, store.points(run, [one.sid for one in series]), strict=True):
            steps = [step for step, _, _ in unpack_points(block)]
            assert (steps[0], steps[-1], steps) == (1, 3000, sorted(set(steps)))
            assert one.rank in (1, 2) or len(steps) == 3000
        redis_client.flushall()
    store.close()


def pin(client: redis.Redis, seconds: float, handle: str = "shown") -> None:
    now, _ = client.time()
    client.zadd(schema.pins(RUN), {handle: now + seconds})


def test_while_a_snapshot_is_open_nothing_is_folded_and_afterwards_it_is(
    store: Store, redis_client: redis.Redis
) -> None:
    series = some(*(meta(rank) for rank in range(RANKS)))
    put(store, series)
    pin(redis_client, 3600)
    retention = keeping(store, 190_000)
    now = settle(retention)
    assert store.shelf.counts(RUN, list(series)) == [0] * RANKS
    assert taken(store, series) > 190_000
    now = settle(retention, now + LOOK_SECONDS)
    assert store.shelf.counts(RUN, list(series)) == [0] * RANKS
    redis_client.zrem(schema.pins(RUN), "shown")
    settle(retention, now + LOOK_SECONDS)  # although nothing was committed since it was measured
    assert taken(store, series) < 190_000


def test_the_script_itself_refuses_what_a_snapshot_shows(
    store: Store, redis_url: str, redis_client: redis.Redis
) -> None:
    put(store, some(meta(1)))
    pin(redis_client, 3600)
    assert fold_oldest(redis_url, 1024, meta(1).sid, RUN) == 0
    pin(redis_client, 3600, "another")
    pin(redis_client, -5)
    assert fold_oldest(redis_url, 1024, meta(1).sid, RUN) == 0
    pin(redis_client, -5, "another")  # both have expired
    assert fold_oldest(redis_url, 1024, meta(1).sid, RUN) == 1
