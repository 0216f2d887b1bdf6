"""gunicorn's worker with threads, in which nobody can keep everybody waiting by being slow: app/serving.py names it.

gunicorn waits for the next bytes of a request for as long as its client likes, and when a connection ends it waits two
seconds for the client to end it too, in the one thread that accepts all others.
"""

from __future__ import annotations

import socket
import struct
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

HALF_SECONDS = 5  # for which a thread waits for the next bytes of a request that has begun


class Worker(ThreadWorker):  # type: ignore[misc] # it has no types
    """gunicorn's own, and these two remedies."""

    def init_process(self) -> None:
        """Called by gunicorn before the first connection, which inherit what is set here."""
        for listener in self.sockets:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", HALF_SECONDS, 0))
        super().init_process()

    def handle(self, conn: Any) -> Any:
        """Called by gunicorn in one of the threads (Any: its connections); what is not to be kept is closed here. The
        accepting thread finds it closed, and need not wait."""
        kept = super().handle(conn)
        if kept is False:
            conn.close(graceful=True)
        return kept
