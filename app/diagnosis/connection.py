"""The diagnosis' connection to Redis: one server, or the nodes of a cluster, which take the same commands."""

from __future__ import annotations

import threading
from typing import Any, cast

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.connection import parse_url
from redis.exceptions import RedisClusterException
from redis.retry import Retry

from app.stored import StoreAway
from collector.wire.address import is_cluster, nodes_of

ASKED: dict[str, Any] = {"socket_timeout": 5, "retry": Retry(NoBackoff(), 1)}


class Connection:
    """Made at the first question, since a cluster is asked for its slots then; safe to share between threads."""

    def __init__(self, url: str) -> None:
        """``url`` as redis-py takes it, or as wire.address says for a cluster."""
        self._url = url
        self._made: redis.Redis | None = None
        self._lock = threading.Lock()

    @property
    def client(self) -> redis.Redis:
        """Raises StoreAway while no node answers."""
        with self._lock:
            if self._made is None:
                self._made = _client(self._url)
            return self._made

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            if self._made is not None:
                self._made.close()


def _client(url: str) -> redis.Redis:
    if not is_cluster(url):
        return redis.Redis.from_url(url, **ASKED)
    first, *others = nodes_of(url)
    try:
        cluster = RedisCluster.from_url(first, startup_nodes=[_node(one) for one in others], **ASKED)
    except (redis.RedisError, RedisClusterException, OSError) as error:
        raise StoreAway(f"Redis does not answer ({type(error).__name__}); pages fill again when it is back.") from error
    return cast(redis.Redis, cluster)


def _node(url: str) -> ClusterNode:
    named = parse_url(url)  # type: ignore[no-untyped-call]  # by redis-py, as the next one
    return ClusterNode(named["host"], named.get("port", 6379))  # type: ignore[no-untyped-call]
