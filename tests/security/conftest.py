"""A server as production runs it, for attacks that need bytes on a socket; and the application in this process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis

from tests.app.conftest import client, seed, server, store  # noqa: F401 (fixtures: an application of this process)
from tests.e2e.conftest import home, page, watch, web  # noqa: F401 (fixtures: a browser before the application)
from tests.support.redis_server import RedisServer
from tests.support.seed import Seed, straight
from tests.support.web_process import WebProcess, web_process


@pytest.fixture(scope="session")
def filled() -> Iterator[RedisServer]:
    """A Redis with one small run, ``gpt``."""
    started = RedisServer().start()
    with redis.Redis.from_url(started.url) as connected:
        one = Seed(connected)
        one.points(straight(range(100)))
        one.beat()
    yield started
    started.close()


@pytest.fixture(scope="session")
def web_server(filled: RedisServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebProcess]:
    """gunicorn before that Redis, for all tests that leave it whole."""
    with web_process(tmp_path_factory.mktemp("web"), filled.url) as running:
        yield running
