"""The reader of live streams, and how an error of Redis becomes StoreAway: the part of the store that waits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import cast

import redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisClusterException
from redis.retry import Retry

from app.decode import Fields, entry
from app.stored import LiveEntry, StoreAway
from collector.wire import schema
from collector.wire.records import RunId

FOLLOW_SECONDS = 15  # a stream's reader waits up to 5 s for an entry, so silence for longer is a dead connection


@contextmanager
def answering() -> Iterator[None]:
    """What fails within is said as StoreAway."""
    try:
        yield
    except (redis.RedisError, RedisClusterException, OSError) as error:
        raise StoreAway(f"Redis does not answer ({type(error).__name__}); pages fill again when it is back.") from error


class RedisFollower:
    """LiveFollower with one connection of its own; ``control`` is the client that wakes it."""

    def __init__(self, url: str, control: redis.Redis) -> None:
        """No connection is made before the first read."""
        # One connection, made when it is first used: a client of the "single connection" kind would connect here.
        self._redis = redis.Redis.from_url(
            url, max_connections=1, socket_timeout=FOLLOW_SECONDS, retry=Retry(NoBackoff(), 0)
        )
        self._control = control
        self._connection: int | None = None  # Redis' number of the connection that waits

    def read(self, positions: Mapping[RunId, str], seconds: float) -> Mapping[RunId, Sequence[LiveEntry]]:
        """See LiveFollower."""
        runs = {schema.live(run).encode(): run for run in positions}
        streams = {schema.live(run): position for run, position in positions.items()}
        with answering():
            self._connection = self._redis.client_id()
            block = max(1, int(seconds * 1000)) if seconds > 0 else None
            answer = self._redis.xread(streams, block=block)  # type: ignore[arg-type]
        found = cast(list[tuple[bytes, list[tuple[bytes, Fields]]]], answer or [])
        return {runs[key]: [entry(*one) for one in entries] for key, entries in found}

    def wake(self) -> None:
        """See LiveFollower."""
        connection = self._connection
        if connection is not None:
            with suppress(redis.RedisError, OSError):
                self._control.client_unblock(connection)

    def close(self) -> None:
        """See LiveFollower."""
        self._connection = None
        self._redis.close()
