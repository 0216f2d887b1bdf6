"""The connection of what the diagnosis writes and sends: to one server, or to a cluster, whose nodes take the same
commands; all keys of one script carry one hash tag. Made when it is first needed, and again after a cluster that could
not be reached."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import cast

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.commands.core import Script
from redis.connection import parse_url
from redis.exceptions import RedisClusterException
from redis.retry import Retry

from collector.wire.address import is_cluster, nodes_of

ANSWER_SECONDS = 5


class Client:
    """Safe to share between threads. What fails is a redis.RedisError, whatever it is connected to."""

    def __init__(self, url: str) -> None:
        """``url`` as REDIS_URL; no connection is made."""
        self._url = url
        self._made: redis.Redis | None = None
        self._scripts: dict[str, Script] = {}
        self._lock = threading.Lock()

    @property
    def redis(self) -> redis.Redis:
        """Raises redis.ConnectionError where no node of a cluster answers."""
        with self._lock:
            if self._made is None:
                self._made = _connected(self._url)
            return self._made

    def run(self, text: str, keys: Sequence[str], arguments: Sequence[str | int | bytes]) -> object:
        """What a script answers."""
        client = self.redis
        with self._lock:
            script = self._scripts.get(text) or self._scripts.setdefault(text, client.register_script(text))
        return script(keys=list(keys), args=list(arguments))

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            made, self._made = self._made, None
            self._scripts.clear()
        if made is not None:
            made.close()


def _connected(url: str) -> redis.Redis:
    first, *others = nodes_of(url)
    asked = {"socket_timeout": ANSWER_SECONDS, "retry": Retry(NoBackoff(), 1)}
    if not is_cluster(url):
        return redis.Redis.from_url(first, **asked)
    try:
        cluster = RedisCluster.from_url(first, startup_nodes=[_node(one) for one in others], **asked)
    except RedisClusterException as error:
        raise redis.ConnectionError("No node of the cluster answers.") from error
    return cast(redis.Redis, cluster)


def _node(url: str) -> ClusterNode:
    named = parse_url(url)  # type: ignore[no-untyped-call]  # by redis-py, as the next one
    return ClusterNode(named["host"], named.get("port", 6379))  # type: ignore[no-untyped-call]
