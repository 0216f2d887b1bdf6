"""An application that asks for a password, on a real store."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from app.factory import close, create_app
from app.store import RedisRunStore
from tests.support.guarded import config
from tests.support.seed import Seed


class Clock:
    """Unix seconds that pass when a test says so."""

    now = 1_000_200.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(redis_url: str) -> Iterator[RedisRunStore]:
    store = RedisRunStore(redis_url)
    yield store
    store.close()


@pytest.fixture
def server(store: RedisRunStore, clock: Clock) -> Iterator[Flask]:
    server = create_app(config(), store, clock=clock).server
    yield server
    close(server)


@pytest.fixture
def client(server: Flask) -> FlaskClient:
    """A browser that nobody has logged in with."""
    return server.test_client()


@pytest.fixture
def seed(redis_client: redis.Redis) -> Seed:
    return Seed(redis_client)
