"""A series that reaches the longest string that the server allows goes on in the next generation of its file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from collector.batch import Full
from collector.store import Store
from collector.wire.records import Cursor
from tests.collector.test_store import LOCAL, LOSS, START, batch, losses
from tests.support import event_writer, ledger
from tests.support.following import following
from tests.support.memory import MemoryFiles
from tests.support.redis_server import RedisServer
from tests.support.waiting import eventually
from tests.support.world import World

EVENTS = "/job/tensorboard/rank_0/events.out.tfevents.1700000000.node0"
LEAST_LIMIT = 2**20  # bytes; Redis takes no smaller one


@pytest.fixture
def small_store(redis_url: str) -> Iterator[Store]:
    store = Store(redis_url, series_bytes=3 * 24)
    yield store
    store.close()


def test_a_commit_that_a_series_cannot_hold_leaves_no_trace(small_store: Store, redis_client: redis.Redis) -> None:
    first = Cursor(START.file, "log", 0, offset=10)
    small_store.commit(batch(None, first, 1, 2), 1.0)
    before = {key: redis_client.dump(key) for key in redis_client.scan_iter()}
    answer = small_store.commit(batch(first, Cursor(START.file, "log", 0, offset=20), 3, 4), 2.0)
    assert answer == Full(LOSS.file)
    assert {key: redis_client.dump(key) for key in redis_client.scan_iter()} == before
    small_store.commit(batch(first, Cursor(START.file, "log", 0, offset=20), 3), 3.0)
    assert losses(small_store) == [1, 2, 3]
    assert len({LOSS.sid, LOCAL.sid}) == 2


def test_a_file_goes_on_in_its_next_generation_and_a_restart_changes_nothing() -> None:
    world = World(MemoryFiles(), bound=8192)
    world.store.series_bytes = 24 * 500
    for part in range(4):
        world.files.append(EVENTS, event_writer.scalars(range(part * 400, part * 400 + 400), ("loss", "lr")))
        world.settle()
        world.start()
    world.settle()
    assert world.store.steps("loss") == list(range(1600))
    assert world.store.steps("lr") == list(range(1600))
    assert [one[2] for one in world.store.generations] == ["first", "series_full", "series_full", "series_full"]
    assert {one.state(world.now).state for one in world.service.roster} == {"following"}


def test_a_piece_that_no_series_could_hold_is_read_in_smaller_ones() -> None:
    world = World(MemoryFiles(), bound=2**20)
    world.store.series_bytes = 24 * 500
    world.files.append(EVENTS, event_writer.scalars(range(3000)))
    world.settle()
    assert world.store.steps("loss") == list(range(3000))


def test_a_real_server_with_a_low_limit_is_asked_for_it_and_never_refuses(
    tmp_path: Path, own_redis: RedisServer
) -> None:
    client = redis.Redis.from_url(own_redis.url)
    client.config_set("proto-max-bulk-len", LEAST_LIMIT)
    path = tmp_path / "tensorboard" / "rank_0" / "events.out.tfevents.1700000000.node0"
    path.parent.mkdir(parents=True)
    path.write_bytes(event_writer.header() + event_writer.scalars(range(100_000)))  # 2.4 MB of points
    with following(tmp_path, own_redis.url) as follower:
        eventually(lambda: ledger.agrees(tmp_path, own_redis.url), seconds=30, every=0.3)
        assert "does not take commands" not in follower.said
    lengths = [client.strlen(key) for key in client.keys("tw:*:points:*")]
    client.close()
    assert 3 <= len(lengths) <= 5
    assert max(lengths) <= LEAST_LIMIT
