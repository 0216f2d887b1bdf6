"""The connection of one open page, for whoever has news while the page's own thread sleeps.

Waking fifty threads for one point costs several times what writing to fifty sockets does.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import Self


class Line:
    """Writes chunks of an answer that has begun. One thread at a time, and not while the server writes."""

    def __init__(self, connection: socket.socket) -> None:
        """``connection`` blocks, and its answer is in chunks (HTTP/1.1)."""
        self._connection = connection
        self._rest = b""

    @classmethod
    def found(cls, environ: Mapping[str, object]) -> Self | None:
        """That of a request, where the server lends it and writes nothing but chunks on it: gunicorn without TLS."""
        connection = environ.get("gunicorn.socket")
        plain = type(connection) is socket.socket and connection.gettimeout() is None
        chunked = (environ.get("REQUEST_METHOD"), environ.get("SERVER_PROTOCOL")) == ("GET", "HTTP/1.1")
        return cls(connection) if plain and chunked and isinstance(connection, socket.socket) else None

    def send(self, data: bytes) -> bool:
        """Write without waiting. False when nothing was written, as there is no room or nobody there any more."""
        if self._rest:
            return False
        chunk = b"%X\r\n%b\r\n" % (len(data), data)
        try:
            count = self._connection.send(chunk, socket.MSG_DONTWAIT)
        except OSError:  # who writes next learns what it was
            return False
        self._rest = chunk[count:]
        return True

    @property
    def whole(self) -> bool:
        """Whether every chunk was written to its end."""
        return not self._rest

    def finish(self) -> None:
        """Write the rest of a chunk; waits for room. Raises OSError when the client has gone."""
        rest, self._rest = self._rest, b""
        if rest:
            self._connection.sendall(rest)
