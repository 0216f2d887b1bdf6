"""Whatever dies, the store ends equal to the files, point for point: real Redis, real files, real processes."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
import redis

from tests.support import growing, ledger
from tests.support.following import Follower, following
from tests.support.growing import Job
from tests.support.redis_server import RedisServer
from tests.support.waiting import eventually


@pytest.fixture(autouse=True)
def clocks_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test reads the logs' local times in the time zone of the processes that it starts."""
    import time

    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


def stored_bytes(client: redis.Redis) -> int:
    """How much of the files is in the store, 0 while there is no server."""
    try:
        keys = list(client.scan_iter("tw:*:points:*"))
        return sum(client.strlen(key) for key in keys)
    except redis.RedisError:
        return 0


@pytest.mark.timeout(90)
def test_twenty_kills_while_a_writer_appends_lose_and_double_nothing(
    tmp_path: Path, redis_url: str, redis_client: redis.Redis
) -> None:
    follower = Follower(tmp_path, redis_url)
    with growing.writer(tmp_path):
        for _ in range(20):
            before = stored_bytes(redis_client)
            follower.start()
            eventually(lambda before=before: stored_bytes(redis_client) > before, seconds=20)
            assert follower.stop(signal.SIGKILL) == -signal.SIGKILL
    follower.close()
    with following(tmp_path, redis_url):
        eventually(lambda: ledger.agrees(tmp_path, redis_url), seconds=20, every=0.2)
    assert len(ledger.in_files(tmp_path)) >= 6
    assert ledger.differences(tmp_path, redis_url) == []


def test_redis_killed_and_restarted_is_caught_up_with(tmp_path: Path, own_redis: RedisServer) -> None:
    client = redis.Redis.from_url(own_redis.url)
    with following(tmp_path, own_redis.url), growing.writer(tmp_path):
        for kill in (True, False):
            before = stored_bytes(client)
            eventually(lambda before=before: stored_bytes(client) > before, seconds=20)
            own_redis.stop(kill=kill)
            own_redis.start()
        before = stored_bytes(client)
        eventually(lambda: stored_bytes(client) > before, seconds=20)
    with following(tmp_path, own_redis.url):
        eventually(lambda: ledger.agrees(tmp_path, own_redis.url), seconds=20, every=0.2)
    client.close()
    assert ledger.differences(tmp_path, own_redis.url) == []


def test_a_flush_is_healed_while_files_grow_and_when_they_rest(
    tmp_path: Path, redis_url: str, redis_client: redis.Redis
) -> None:
    with following(tmp_path, redis_url):
        with growing.writer(tmp_path):
            eventually(lambda: stored_bytes(redis_client) > 24 * 300, seconds=20)
            redis_client.flushall()
            eventually(lambda: stored_bytes(redis_client) > 24 * 300, seconds=20)
        eventually(lambda: ledger.agrees(tmp_path, redis_url), seconds=20, every=0.2)
        redis_client.flushall()
        eventually(lambda: ledger.agrees(tmp_path, redis_url), seconds=10, every=0.2)
    assert ledger.differences(tmp_path, redis_url) == []


def test_two_collectors_on_the_same_files_store_each_point_once(tmp_path: Path, redis_url: str) -> None:
    job = Job(tmp_path).prepare()
    job.append(0)
    with following(tmp_path, redis_url), following(tmp_path, redis_url, "--poll-only"):
        with growing.writer(tmp_path) as process:
            eventually(lambda: job.log.stat().st_size > 60_000, seconds=20)
            assert process.poll() is None
        eventually(lambda: ledger.agrees(tmp_path, redis_url), seconds=20, every=0.2)
    assert ledger.differences(tmp_path, redis_url) == []


def test_a_collector_that_starts_before_redis_waits_for_it(tmp_path: Path, own_redis: RedisServer) -> None:
    own_redis.stop()
    job = Job(tmp_path).prepare()
    job.append(1)
    with following(tmp_path, own_redis.url):
        own_redis.start()
        eventually(lambda: ledger.agrees(tmp_path, own_redis.url), seconds=10, every=0.1)
    assert ledger.differences(tmp_path, own_redis.url) == []


def test_it_leaves_no_sign_of_life_when_it_is_asked_to_stop(
    tmp_path: Path, redis_url: str, redis_client: redis.Redis
) -> None:
    with following(tmp_path, redis_url):
        eventually(lambda: redis_client.smembers("tw:collectors"), seconds=10)
    assert redis_client.keys("tw:collector:*") == []
