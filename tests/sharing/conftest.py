"""An application on a real store with a run in it, frozen or going on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from app.config import AppConfig
from app.factory import close, create_app
from app.store import RedisRunStore
from tests.app.conftest import NOW
from tests.support.seed import Seed


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
