"""From a flushed write to a subscriber of the run's live stream: a real collector and a real Redis."""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import redis

from app.demo import curves, log_lines
from collector.wire import schema
from collector.wire.records import RunId
from tests.bench import drawn
from tests.bench.rows import Line, latency, not_measured
from tests.support.dashboard import ROOT
from tests.support.redis_server import RedisServer
from tests.support.waiting import eventually

STEPS = 300
EVERY = 0.1  # seconds
RUN = RunId("job")


def to_subscriber(folder: Path) -> Iterator[Line]:
    """One line a way of noticing."""
    yield latency("write -> subscriber, 10 a second", measure(), 0.5, 5)
    yield latency("write -> subscriber, --poll-only (looks every 100 ms)", measure("--poll-only"))


def to_screen(folder: Path) -> Iterator[Line]:
    """The same, to the drawing of the point in a browser."""
    if shutil.which("chromium") is None:
        yield not_measured("write -> drawn, 10 a second", "there is no chromium on the PATH")
        return
    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # it would tell of every request
    yield latency("write -> drawn, 10 a second, headless Chromium", drawn.measure(), 0.95, 500)


def measure(*flags: str) -> list[float]:
    """Seconds from each flushed write until its point was received."""
    server = RedisServer().start()
    try:
        with tempfile.TemporaryDirectory() as directory, collector(Path(directory) / "job", server.url, flags):
            return write_and_listen(Path(directory) / "job", server.url)
    finally:
        server.close()


@contextmanager
def collector(job: Path, url: str, flags: tuple[str, ...]) -> Iterator[None]:
    log(job).parent.mkdir(parents=True)
    command = [sys.executable, "-m", "collector", "follow", *flags, str(job)]
    with subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "REDIS_URL": url}, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield
        finally:
            process.terminate()


def log(job: Path) -> Path:
    return job / "output" / "log" / "rank_0" / "info.log"


def write_and_listen(job: Path, url: str) -> list[float]:
    written: dict[int, float] = {}
    received: dict[int, float] = {}
    done = threading.Event()
    listener = threading.Thread(target=listen, args=(url, received, done))
    listener.start()
    try:
        with log(job).open("a") as file:
            for number in range(1, STEPS + 1):
                shared = curves.step(number)
                wall = time.time()
                lines = [one.in_file(wall) for one in log_lines.records(shared, curves.local(shared, 0))]
                file.write("".join(lines))
                file.flush()
                written[number] = time.perf_counter()
                if number == 1:
                    eventually(lambda: 1 in received, seconds=10)  # the file has been found: from now on it is followed
                done.wait(EVERY)
        eventually(lambda: STEPS in received, seconds=10)
    finally:
        done.set()
        listener.join()
    return [received[number] - written[number] for number in range(2, STEPS + 1)]


def listen(url: str, received: dict[int, float], done: threading.Event) -> None:
    """Note when the loss of each step comes by."""
    client = redis.Redis.from_url(url)
    position: Any = "0"
    while not done.is_set():
        answer: Any = client.xread({schema.live(RUN): position}, block=200)
        now = time.perf_counter()
        for _, entries in answer.items() if isinstance(answer, dict) else answer:
            for position, fields in entries:  # noqa: B007 (the last one is where the next read begins)
                for step in steps(fields[schema.LIVE_FIELD.encode()]):
                    received.setdefault(step, now)
    client.close()


def steps(text: bytes) -> list[int]:
    return [step for metric, _, _, _, step, _, _ in json.loads(text)["p"] if metric == "loss"]
