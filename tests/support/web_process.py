"""The pages as production serves them: gunicorn in a process of its own, and a client that sends bytes as they are."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.growing import PROJECT
from tests.support.waiting import eventually

GUNICORN = ("-m", "gunicorn", "-c", "python:app.serving")


@dataclass(frozen=True)
class Answered:
    """What came back: the status (0: the connection was closed without one), headers in lower case, the body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")


@dataclass
class WebProcess:
    """A running server; ``log`` holds all that it has printed."""

    port: int
    process: subprocess.Popen[bytes]
    log: Path

    def get(self, target: str | bytes, **headers: str) -> Answered:
        """GET of an address exactly as it is spelled; ``X_Y`` in ``headers`` is sent as ``X-Y``."""
        return self.ask("GET", target, **headers)

    def ask(
        self, method: str, target: str | bytes, body: bytes = b"", *, seconds: float = 15, **headers: str
    ) -> Answered:
        """One request of one connection; ``Host`` is ours unless it is told. ``seconds``: to wait for the answer."""
        spelled = target.encode() if isinstance(target, str) else target
        told = {"Host": f"127.0.0.1:{self.port}", "Connection": "close"}
        told |= {name.replace("_", "-"): text for name, text in headers.items()}
        if body:
            told["Content-Length"] = str(len(body))
        lines = "".join(f"{name}: {text}\r\n" for name, text in told.items())
        return self.raw(
            method.encode() + b" " + spelled + b" HTTP/1.1\r\n" + lines.encode() + b"\r\n" + body, seconds=seconds
        )

    def raw(self, *parts: bytes, seconds: float = 15) -> Answered:
        """What the server says to these bytes; what it no longer wants to read is not sent."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as connection:
            try:
                for part in parts:
                    connection.sendall(part)
            except OSError:
                pass  # it has closed its ear, and may have said why
            return read(connection)

    def memory(self) -> int:
        """Bytes that the workers hold now."""
        mine = str(self.process.pid)
        found = [int(one) for one in _children(mine)]
        return sum(_resident(one) for one in found)


def read(connection: socket.socket) -> Answered:
    """An answer up to the end of the connection."""
    data = b""
    try:
        while piece := connection.recv(1 << 16):
            data += piece
    except OSError:
        pass
    return parsed(data)


def parsed(data: bytes) -> Answered:
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split()
    headers = {name.lower(): text for name, _, text in (line.partition(": ") for line in lines)}
    if headers.get("transfer-encoding") == "chunked":
        body = _unchunked(body)
    return Answered(int(words[1]) if len(words) > 1 else 0, headers, body)


def _unchunked(body: bytes) -> bytes:
    whole = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        length = int(size or b"0", 16)
        whole, body = whole + body[:length], body[length + 2 :]
        if not length:
            break
    return whole


def _children(parent: str) -> list[str]:
    return Path(f"/proc/{parent}/task/{parent}/children").read_text().split()


def _resident(process: int) -> int:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


@contextmanager
def web_process(directory: Path, redis_url: str, **environ: str) -> Iterator[WebProcess]:
    """gunicorn with our own settings on a free port of loopback."""
    log = directory / "web.log"
    with socket.create_server(("127.0.0.1", 0)) as listener, log.open("wb") as out:
        port, handle = listener.getsockname()[1], listener.fileno()
        process = subprocess.Popen(
            [sys.executable, *GUNICORN, "--bind", f"fd://{handle}", "app.factory:create_server()"],
            cwd=PROJECT,
            env={**os.environ, "REDIS_URL": redis_url, "TIDEWATCH_ALERTS": "", **environ},
            pass_fds=(handle,),
            stdout=out,
            stderr=out,
        )
        server, alive = WebProcess(port, process, log), environ.get("TIDEWATCH_PREFIX", "/") + "livez"
        try:
            eventually(lambda: process.poll() is not None or server.get(alive).status == 200, seconds=30)
            assert process.poll() is None, log.read_text()
            yield server
        finally:
            process.terminate()
            process.wait(timeout=20)
