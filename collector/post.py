"""What pages ask and collectors answer, over Redis' publish and subscribe: a connection of its own, for the thread that
answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Protocol, cast

import redis
from redis.backoff import NoBackoff
from redis.client import PubSub
from redis.retry import Retry

from collector.errors import StoreAway
from collector.wire import schema
from collector.wire.address import SLOTS, Slots, is_cluster, nodes_of

CONNECT_SECONDS, REPLY_SECONDS = 2.0, 5.0
PING_SECONDS = 30  # a connection that a firewall forgot is noticed, and made anew


class Post(Protocol):
    """What the desk needs; every method but ``close`` may raise ``errors.StoreAway``."""

    def take(self, seconds: float) -> bytes | None: ...

    def is_awaited(self, question_id: str) -> bool: ...

    def reply(self, question_id: str, text: str) -> None: ...

    def close(self) -> None: ...


class RedisPost:
    """Questions that were published since the last ``take``; those published while Redis is away are lost, and those
    who asked have given up by then."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._nodes = deque(nodes_of(url))  # what one node of a cluster is told, all of them hear: the first is used
        self._redis = _client(self._nodes[0])
        self._ear: PubSub | None = None

    def take(self, seconds: float) -> bytes | None:
        """The next question as text, None when there is none within ``seconds``."""
        with self._patience():
            if self._ear is None:
                ear = self._redis.pubsub(ignore_subscribe_messages=True)  # type: ignore[no-untyped-call]  # by redis-py
                ear.subscribe(schema.ASKS)
                self._ear = ear
            message = self._ear.get_message(timeout=seconds)
        return cast(bytes, message["data"]) if message else None

    def is_awaited(self, question_id: str) -> bool:
        """Whether the page that asked still listens."""
        channel = schema.answer(question_id)
        with self._patience():
            if _listeners(self._redis, channel):
                return True
            others = self._others() if is_cluster(self._url) else []
        return any(_heard_at(url, channel) for url in others)

    def reply(self, question_id: str, text: str) -> None:
        """Answer one question."""
        with self._patience():
            self._redis.publish(schema.answer(question_id), text)

    def close(self) -> None:
        """Give the connections back."""
        self._forget()
        self._redis.close()

    def _others(self) -> list[str]:
        """The other nodes of a cluster: each knows of its own listeners alone."""
        slots = Slots.told(self._redis.execute_command(SLOTS), self._url, self._nodes[0])  # type: ignore[no-untyped-call]
        return [one for one in slots.nodes if one != self._nodes[0]]

    def _forget(self) -> None:
        if self._ear is not None:
            with suppress(redis.RedisError, OSError):
                self._ear.close()
            self._ear = None

    @contextmanager
    def _patience(self) -> Iterator[None]:
        try:
            yield
        except (redis.RedisError, OSError) as error:
            self._forget()
            if len(self._nodes) > 1:
                self._redis.close()
                self._nodes.rotate(-1)
                self._redis = _client(self._nodes[0])
            raise StoreAway(f"Redis takes no questions ({type(error).__name__})") from error


def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(
        url,
        retry=Retry(NoBackoff(), 0),
        socket_timeout=REPLY_SECONDS,
        socket_connect_timeout=CONNECT_SECONDS,
        health_check_interval=PING_SECONDS,
    )


def _listeners(client: redis.Redis, channel: str) -> int:
    """How many listen at this node."""
    counts = cast(list[tuple[bytes, int]], client.pubsub_numsub(channel))
    return sum(count for _, count in counts)


def _heard_at(url: str, channel: str) -> bool:
    """Whether somebody listens at another node; nobody at one that is away."""
    with suppress(redis.RedisError, OSError), _client(url) as client:
        return _listeners(client, channel) > 0
    return False
