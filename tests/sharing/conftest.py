"""Runs on one Redis and on a cluster, as a collector writes them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from collector.store import Store
from tests.support.committing import Writer
from tests.support.redis_cluster import RedisCluster


@pytest.fixture(params=["redis", "cluster"])
def url(request: pytest.FixtureRequest) -> str:
    """The address of an empty store of either kind."""
    if request.param == "redis":
        found: str = request.getfixturevalue("redis_url")
        return found
    cluster: RedisCluster = request.getfixturevalue("empty_cluster")
    return cluster.url


@pytest.fixture
def writer(url: str) -> Iterator[Writer]:
    """Commits to it."""
    collected = Store(url)
    yield Writer([collected])
    collected.close()
