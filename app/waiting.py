"""Waiting for the next entry of one live stream, on a connection of its own: a cluster answers for several streams at
once only when they share a slot."""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence
from typing import cast

import redis

from app.decode import Fields, entry
from app.stored import LiveEntry

BLOCK_SECONDS = 5.0  # after which the server says that nothing came, so that a connection that died is noticed


class Wait:
    """Has a ``fileno``, so that a selector tells when there is an answer."""

    def __init__(self, client: redis.Redis, key: str, position: str) -> None:
        """The question is sent. Raises redis.RedisError and OSError."""
        self._client, self._key, self.position = client, key, position
        self._connection = client.connection_pool.get_connection()
        try:
            self._ask()
        except BaseException:
            self.drop()
            raise

    def fileno(self) -> int:
        """Of the connection's socket, which redis-py has no other name for."""
        return cast(socket.socket, self._connection._sock).fileno()

    @property
    def age(self) -> float:
        """Seconds since the question."""
        return time.monotonic() - self._asked

    def take(self) -> Sequence[LiveEntry]:
        """The answer that is there, and the next question. Raises redis.RedisError and OSError."""
        answer = self._client.parse_response(self._connection, "XREAD")  # type: ignore[no-untyped-call]  # by redis-py
        found = [
            entry(*one)
            for _, entries in cast(list[tuple[bytes, list[tuple[bytes, Fields]]]], answer or [])
            for one in entries
        ]
        self.position = found[-1].id if found else self.position
        self._ask()
        return found

    def drop(self) -> None:
        """Do not wait any longer."""
        self._connection.disconnect()  # type: ignore[no-untyped-call]  # it may still be answered
        self._client.connection_pool.release(self._connection)

    def _ask(self) -> None:
        self._asked = time.monotonic()
        command = ("XREAD", "BLOCK", int(1000 * BLOCK_SECONDS), "STREAMS", self._key, self.position)
        self._connection.send_command(*command)  # type: ignore[no-untyped-call]
