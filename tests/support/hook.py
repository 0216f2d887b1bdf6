"""A chat's end of a webhook, and a mail server: real ones, on this machine, which keep what they are sent."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Posted:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def query(self) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}


@dataclass
class Hook:
    """``status``, ``headers`` and ``reply`` are what it answers with; ``replies`` go before it, one each."""

    port: int = 0
    status: int = 200
    reply: bytes = b'{"code": 0, "errcode": 0}'
    headers: dict[str, str] = field(default_factory=dict)
    replies: list[bytes] = field(default_factory=list)
    posted: list[Posted] = field(default_factory=list)
    taking: threading.Event = field(default_factory=threading.Event)  # cleared: a request is held until it is set

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def hook() -> Iterator[Hook]:
    """A server that answers until the block ends."""
    told = Hook()
    told.taking.set()

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            told.posted.append(Posted(self.path, dict(self.headers), body))
            told.taking.wait(10)
            self.send_response(told.status)
            for name, value in told.headers.items():
                self.send_header(name, value)
            reply = told.replies.pop(0) if told.replies else told.reply
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    told.port = server.server_port
    with _served(server):
        yield told


@contextmanager
def mailbox() -> Iterator[tuple[int, list[str]]]:
    """An SMTP server: its port, and the mails that it has taken."""
    mails: list[str] = []

    class Answering(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.say("220 mail")
            while line := self.rfile.readline().decode().strip():
                if line.upper().startswith("DATA"):
                    self.say("354 go on")
                    mails.append(self.mail())
                    self.say("250 taken")
                elif line.upper().startswith("QUIT"):
                    return self.say("221 bye")
                else:
                    self.say("250 yes")
            return None

        def mail(self) -> str:
            lines = []
            while (line := self.rfile.readline().decode()) != ".\r\n":
                lines.append(line)
            return "".join(lines)

        def say(self, text: str) -> None:
            self.wfile.write(f"{text}\r\n".encode())

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answering)
    with _served(server):
        yield server.server_address[1], mails


@contextmanager
def _served(server: socketserver.BaseServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
