"""The read-only store on a real Redis: what it reads, what it keeps, and what it says when Redis is away."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import redis

from app.block_cache import BlockCache
from app.store import RedisRunStore
from app.stored import START, StoreAway
from collector.wire.records import POINT_BYTES, RunId, pack_point, unpack_points
from tests.support.redis_server import RedisServer
from tests.support.seed import RUN, Seed, straight


def sids(store: RedisRunStore) -> list[str]:
    run = store.run(RUN)
    assert run is not None
    return sorted(run.series)


def test_a_run_is_read_with_everything_that_is_small(store: RedisRunStore, redis_client: redis.Redis) -> None:
    seed = Seed(redis_client, facts={"total_steps": "500"})
    newest = seed.points(straight(range(1, 4)), reason="start_announced", generation=1)
    seed.event("start", wall=5.0)
    seed.touched(1234.5)
    run = store.run(RUN)
    assert run is not None
    assert (run.id, run.record.path, run.created, run.position) == (RUN, "/data/gpt", 1000.0, newest)
    assert [meta.metric for meta in run.series.values()] == ["loss"]
    assert run.generations[0].reason == "start_announced"
    assert run.facts == {"total_steps": "500"}
    assert [event.kind for event in run.events] == ["start"]
    assert run.cursors["log/rank_0/info.log"].mtime == 1234.5


def test_a_run_that_does_not_exist_is_none_and_none_are_listed(store: RedisRunStore, redis_url: str) -> None:
    assert store.run(RunId("nobody")) is None
    assert store.runs() == []
    assert store.heartbeats() == []


def test_a_run_id_with_a_pattern_in_it_matches_nothing_else(store: RedisRunStore, seed: Seed) -> None:
    seed.points(straight(range(3)))
    for pattern in ("*", "g*", "[a-z]*", "gp?"):
        assert store.run(RunId(pattern)) is None


def test_nothing_is_written_by_reading(store: RedisRunStore, seed: Seed) -> None:
    seed.points(straight(range(10)))
    before = {key: seed.client.dump(key) for key in seed.client.scan_iter()}
    names = sids(store)
    store.points(RUN, names)
    store.tails(RUN, names, 3)
    store.live_after(RUN, START)
    assert {key: seed.client.dump(key) for key in seed.client.scan_iter()} == before


def test_points_heads_tails_and_lengths_agree(store: RedisRunStore, seed: Seed) -> None:
    seed.points(straight(range(1, 101)))
    (block,) = store.points(RUN, sids(store))
    points = list(unpack_points(block))
    assert points == straight(range(1, 101))
    assert store.lengths(RUN, sids(store)) == [100]
    assert list(unpack_points(store.tails(RUN, sids(store), 3)[0])) == points[-3:]
    assert list(unpack_points(store.heads(RUN, sids(store))[0])) == points[:1]


def test_points_that_were_appended_are_seen_the_next_time(store: RedisRunStore, seed: Seed) -> None:
    for end in range(10, 60, 10):
        seed.points(straight(range(end - 10, end)))
        assert len(store.points(RUN, sids(store))[0]) == end * POINT_BYTES


def test_a_flushed_and_refilled_store_is_read_anew(store: RedisRunStore, seed: Seed) -> None:
    seed.points(straight(range(100)))
    names = sids(store)
    store.points(RUN, names)
    for count in (50, 100, 150):
        seed.flush()
        other = Seed(seed.client)
        other.points(straight(range(count), value=99.0))
        assert list(unpack_points(store.points(RUN, names)[0])) == straight(range(count), value=99.0)


def test_a_series_that_is_gone_is_empty(store: RedisRunStore, seed: Seed) -> None:
    seed.points(straight(range(10)))
    names = sids(store)
    store.points(RUN, names)
    seed.flush()
    assert store.points(RUN, names) == [b""]


def test_the_cache_asks_only_for_what_is_new() -> None:
    asked: list[tuple[str, int]] = []
    data = {"a": b"".join(pack_point(step, 0.0, 0.0) for step in range(4))}

    def ranges(wanted: Sequence[tuple[str, int]]) -> list[bytes]:
        asked.extend(wanted)
        return [data[key][start:] for key, start in wanted]

    cache = BlockCache(1000)
    cache.read(["a"], ranges)
    data["a"] += pack_point(4, 0.0, 0.0) + b"torn"
    assert cache.read(["a"], ranges) == [data["a"][:-4]]
    assert asked == [("a", 0), ("a", 3 * POINT_BYTES)]


def test_the_cache_keeps_no_more_than_its_limit_and_still_answers() -> None:
    data = {key: bytes(240) for key in "abcdef"}
    cache = BlockCache(500)
    for _ in range(2):
        for key in data:
            assert cache.read([key], lambda wanted: [data[one][start:] for one, start in wanted]) == [data[key]]
    assert cache.size <= 500


def test_live_entries_after_a_position_come_in_order(store: RedisRunStore, seed: Seed) -> None:
    ids = [seed.points(straight([step])) for step in range(5)]
    assert [entry.id for entry in store.live_after(RUN, ids[1]) or []] == ids[2:]
    assert [entry.id for entry in store.live_before(RUN, ids[3], 2)] == ids[2:4]
    assert store.live_after(RUN, ids[-1]) == []
    (entry,) = store.live_after(RUN, ids[-2]) or []
    assert (entry.points[0].metric, entry.points[0].step, entry.reload) == ("loss", 4, False)


def test_a_position_that_was_trimmed_or_flushed_away_is_told(store: RedisRunStore, seed: Seed) -> None:
    ids = [seed.points(straight([step])) for step in range(5)]
    seed.client.xtrim("tw:{gpt}:live", maxlen=2, approximate=False)
    assert store.live_after(RUN, ids[0]) is None
    seed.flush()
    assert store.live_after(RUN, ids[4]) is None
    assert store.live_after(RUN, START) == []


def test_redis_away_is_one_error_and_a_redis_that_is_back_is_used_again(own_redis: RedisServer) -> None:
    store = RedisRunStore(own_redis.url)
    Seed(redis.Redis.from_url(own_redis.url)).points(straight(range(3)))
    assert store.runs() == [RUN]
    own_redis.stop()
    for ask in (store.runs, store.version, store.heartbeats, lambda: store.run(RUN), lambda: store.points(RUN, ["x"])):
        with pytest.raises(StoreAway, match="Redis does not answer"):
            ask()
    own_redis.start()
    assert store.runs() == [RUN]
    store.close()
