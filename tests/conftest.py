"""Fixtures that every test may ask for: a real Redis, flushed; no thread left behind."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from flask import Flask
from playwright.sync_api import Browser

from app.factory import close, create_app
from app.store import RedisRunStore
from collector.wire import schema
from tests.support import committing, guarded
from tests.support.chromium import chromium
from tests.support.redis_cluster import RedisCluster
from tests.support.redis_server import RedisServer

SHARED = Path(__file__).resolve().parents[2] / "shared"  # facts and real files beside the project, used in place


# A shell's background job ignores Ctrl-C, and so would every program that a test starts and then interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """For all tests of pages, wherever they stand."""
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    server = RedisServer().start()
    yield server
    server.close()


@pytest.fixture
def redis_client(redis_server: RedisServer) -> Iterator[redis.Redis]:
    """A client of an empty server."""
    client = redis.Redis.from_url(redis_server.url)
    client.flushall()
    yield client
    client.close()


@pytest.fixture
def redis_url(redis_server: RedisServer, redis_client: redis.Redis) -> str:
    """The address of an empty server."""
    return redis_server.url


@pytest.fixture
def own_redis() -> Iterator[RedisServer]:
    """A server that the test may stop, kill and start again."""
    server = RedisServer().start()
    yield server
    server.close()


@pytest.fixture
def closed(redis_url: str) -> Iterator[Flask]:
    """An application that asks for a password (tests/support/guarded.py), on an empty Redis."""
    store = RedisRunStore(redis_url)
    server: Flask = create_app(guarded.config(), store).server
    yield server
    close(server)
    store.close()


@pytest.fixture(autouse=True)
def no_thread_is_left_behind() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    left = [thread for thread in threading.enumerate() if thread not in before and not thread.daemon]
    for thread in left:
        thread.join(timeout=5)
    assert not [thread for thread in left if thread.is_alive()], f"threads left behind: {left}"


@pytest.fixture(scope="session")
def lasting_cluster() -> Iterator[RedisCluster]:
    """For tests that leave it whole."""
    found = RedisCluster(schema.run(committing.RUN))
    try:
        yield found.start()
    finally:
        found.close()


@pytest.fixture
def empty_cluster(lasting_cluster: RedisCluster) -> RedisCluster:
    """Nothing is stored in it."""
    for one in lasting_cluster.primaries:
        one.ask("FLUSHALL")
    return lasting_cluster
