"""Fifty readers of one run's stream: what they cost the server, and how late they hear."""

from __future__ import annotations

import json
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from tests.bench.page.stage import Stage, descendants, parents_now, share_of_core, staged
from tests.bench.page.stored import live, publish
from tests.bench.rows import Line, at_most, latency
from tests.support.dashboard import ROOT
from tests.support.waiting import eventually

CLIENTS = 50
SECONDS = 16.0
EVERY = 0.1  # seconds between two points
HISTORY = 500


def fifty(folder: Path) -> Iterator[Line]:
    """Two lines: processor time of gunicorn, and delay from publishing to a client's read."""
    with staged() as stage:
        seed = live(stage.client, "live", HISTORY)
        address = f"{stage.home}api/runs/live/stream"
        listener = subprocess.Popen(
            [sys.executable, "-m", __name__, address, str(CLIENTS)],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert listener.stdout is not None
        ready = listener.stdout.readline().strip()
        assert ready == "ready", ready
        idle = share_of_core(lambda: server(stage), lambda: pause(5.0))

        def during() -> float:
            began = time.monotonic()
            for number in range(int(SECONDS / EVERY)):
                publish(seed, HISTORY + 1 + number)
                time.sleep(max(0.0, began + (number + 1) * EVERY - time.monotonic()))
            return time.monotonic() - began

        busy = share_of_core(lambda: server(stage), during)
        said, _ = listener.communicate("", timeout=20)
        delays = json.loads(said.splitlines()[-1])
    note = f"10 points a second, of five metrics each; with nothing new {idle:.1f} %"
    yield at_most(f"{CLIENTS} streaming clients: the server", busy, None, 5, "% core", note)
    yield latency(f"{CLIENTS} streaming clients: publish -> receive", delays, 0.95, 50)


def server(stage: Stage) -> set[int]:
    """gunicorn's processes."""
    return {stage.pid} | descendants({stage.pid}, parents_now())


def pause(seconds: float) -> float:
    """Nothing, for so long."""
    time.sleep(seconds)
    return seconds


def listen(address: str, count: int) -> list[float]:
    """Seconds from publishing to each client's read, of all clients, until standard input ends. The published wall time
    travels in the point itself."""
    where = urlsplit(address)
    waiting = selectors.DefaultSelector()
    waiting.register(sys.stdin, selectors.EVENT_READ)
    clients = [connected(str(where.hostname), int(where.port or 80), where.path) for _ in range(count)]
    for one in clients:
        waiting.register(one, selectors.EVENT_READ)
    print("ready", flush=True)
    rests = dict.fromkeys(clients, b"")
    delays: list[float] = []
    while True:
        for key, _ in waiting.select():
            if key.fileobj is sys.stdin:
                return delays
            client = key.fileobj
            assert isinstance(client, socket.socket)
            piece = client.recv(65536)
            now = time.time()
            *lines, rests[client] = (rests[client] + piece).split(b"\n")
            delays += [now - wall for line in lines if line.startswith(b"data: {") for wall in published(line)]


def published(line: bytes) -> list[float]:
    """When the points of an event were published."""
    points = json.loads(line.removeprefix(b"data: ")).get("points", {}).get("loss", [])
    return [wall for _, wall, _, _ in points]


def connected(host: str, port: int, path: str) -> socket.socket:
    """A client that has been told that its stream is ready."""
    client = socket.create_connection((host, port), timeout=20)
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nAccept: text/event-stream\r\n\r\n".encode())
    said = bytearray()

    def ready() -> bool:
        said.extend(client.recv(65536))
        return b"event: ready" in said

    eventually(ready, seconds=20)
    client.setblocking(False)
    return client


if __name__ == "__main__":
    print(json.dumps(listen(sys.argv[1], int(sys.argv[2]))))
