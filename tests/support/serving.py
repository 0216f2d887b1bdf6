"""The application on a real socket, and a client of its live stream that sees every byte."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from flask import Flask
from werkzeug.serving import make_server

from app.factory import close


@contextmanager
def serving(server: Flask) -> Iterator[int]:
    """``server`` on a free port of loopback, one thread a connection; its streams are ended afterwards."""
    web = make_server("127.0.0.1", 0, server, threaded=True)
    thread = threading.Thread(target=web.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield web.server_port
    finally:
        close(server)
        web.shutdown()
        thread.join()
        web.server_close()


@dataclass(frozen=True)
class Event:
    """One Server-Sent Event."""

    name: str
    id: str
    data: Any


@dataclass
class EventStream:
    """A GET of a stream; reads events one by one."""

    port: int
    path: str
    headers: dict[str, str] = field(default_factory=dict)

    def __enter__(self) -> EventStream:
        self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=10)
        asked = {"Host": f"127.0.0.1:{self.port}", "Accept": "text/event-stream", **self.headers}
        lines = [f"GET {self.path} HTTP/1.1", *(f"{name}: {text}" for name, text in asked.items()), "", ""]
        self.socket.sendall("\r\n".join(lines).encode())
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        self.answered = {}
        while (line := self.file.readline().strip()) != b"":
            name, _, text = line.decode().partition(": ")
            self.answered[name.lower()] = text
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        self.socket.close()

    def text(self) -> str:
        """The next block of lines, up to the empty one that ends an event."""
        block = b""
        while not block.endswith(b"\n\n"):
            line = self.file.readline()
            assert line, "the stream ended"
            if not (line.endswith(b"\r\n") and _is_size(line.strip())) and line != b"\r\n":
                block += line
        return block.decode()

    def next(self) -> Event:
        """The next event; comments are passed over."""
        while True:
            fields = dict(line.partition(": ")[::2] for line in self.text().splitlines() if line)
            if "event" in fields:
                return Event(fields["event"], fields["id"], json.loads(fields["data"]))

    def until(self, name: str) -> list[Event]:
        """Events up to and including the first of this name."""
        found = [self.next()]
        while found[-1].name != name:
            found.append(self.next())
        return found


def _is_size(line: bytes) -> bool:
    """Whether the line is the length of a chunk (HTTP/1.1 chunked coding)."""
    return bool(line) and all(one in b"0123456789abcdefABCDEF" for one in line)
