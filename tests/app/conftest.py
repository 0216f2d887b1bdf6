"""An application on a real store, with a clock that stands still."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from app.config import AppConfig
from app.factory import close, create_app
from app.store import RedisRunStore
from tests.support.seed import Seed

NOW = 1_000_200.0  # Unix seconds; the seeds' points lie a little before


@pytest.fixture
def store(redis_url: str) -> Iterator[RedisRunStore]:
    store = RedisRunStore(redis_url)
    yield store
    store.close()


@pytest.fixture
def server(store: RedisRunStore) -> Iterator[Flask]:
    server = create_app(AppConfig(), store, clock=lambda: NOW).server
    yield server
    close(server)


@pytest.fixture
def client(server: Flask) -> FlaskClient:
    return server.test_client()


@pytest.fixture
def seed(redis_client: redis.Redis) -> Seed:
    return Seed(redis_client)
