"""``python -m tests.measure.backlog [--size 0.5]``: a collector catches up with gigabytes while a run goes on.

Prints how long it took, the collector's peak memory, and how long the points of the live run were under way.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis

from collector.wire import schema
from collector.wire.records import Heartbeat, RunId
from tests.measure import history
from tests.support.growing import PROJECT, line
from tests.support.redis_server import RedisServer
from tests.support.waiting import eventually

EVERY = 0.1  # seconds between two lines of a live run
LIVE, NEW = "live", "new"  # one run that goes on, one that begins in the middle of the catching up


class Writer(threading.Thread):
    """Appends lines to the log of one run, and notes when each was written."""

    def __init__(self, root: Path, run: str) -> None:
        super().__init__(daemon=True)
        self.written: dict[int, float] = {}
        self.done = threading.Event()
        self._log = root / run / "output" / "log" / "rank_0" / "info.log"

    def run(self) -> None:
        self._log.parent.mkdir(parents=True)
        with self._log.open("ab", buffering=0) as file:
            step = 0
            while not self.done.wait(EVERY):
                step += 1
                self.written[step] = time.perf_counter()
                file.write(line(step))


class Listener(threading.Thread):
    """Notes when each step of a run comes by on its live stream."""

    def __init__(self, url: str, run: str) -> None:
        super().__init__(daemon=True)
        self.received: dict[int, float] = {}
        self.done = threading.Event()
        self._url, self._run = url, RunId(run)

    def run(self) -> None:
        client = redis.Redis.from_url(self._url)
        position: Any = "0"
        while not self.done.is_set():
            answer: Any = client.xread({schema.live(self._run): position}, block=200)
            now = time.perf_counter()
            for _, entries in answer.items() if isinstance(answer, dict) else answer:
                for position, fields in entries:  # noqa: B007 (the last one is where the next read begins)
                    for point in json.loads(fields[schema.LIVE_FIELD.encode()])["p"]:
                        self.received.setdefault(point[4], now)
        client.close()


@dataclass(frozen=True, slots=True)
class Measured:
    """Bytes of history, seconds that it took, bytes of the collector's peak memory and of Redis, and for each live run
    how long its points were under way, seconds, in order of length."""

    size: int
    took: float
    peak: int
    stored: int
    delays: Mapping[str, Sequence[float]]


def main() -> int:
    asked = _arguments()
    with tempfile.TemporaryDirectory(dir=asked.dir) as folder:
        found = measure(Path(folder), int(asked.size * 1e9), asked.flags)
    rate = found.size / found.took / 1e6
    print(f"caught up with {found.size / 1e9:.2f} GB in {found.took:.1f} s, {rate:.0f} MB/s", end=", ")
    print(f"peak memory {found.peak / 1e6:.0f} MB, {found.stored / 1e9:.2f} GB in Redis")
    for run, delays in found.delays.items():
        p50, p95 = delays[len(delays) // 2], delays[len(delays) * 95 // 100]
        print(f"{run}: {len(delays)} points, delay p50 {p50:.3f} s, p95 {p95:.3f} s, max {delays[-1]:.3f} s")
    return 0


def measure(root: Path, size: int, flags: Sequence[str] = (), *, quiet: bool = False) -> Measured:
    """Let a collector catch up with ``size`` bytes of history below ``root``, while two runs are written."""
    size = history.write(root, size)
    server = RedisServer().start()
    client = redis.Redis.from_url(server.url)
    try:
        with _collector(root, server.url, flags, quiet=quiet) as process:
            took, delays = _watched(root, server.url, client, size)
            peak = _peak(process.pid)
        return Measured(size, took, peak, int(client.info("memory")["used_memory"]), delays)
    finally:
        client.close()
        server.close()


def _watched(root: Path, url: str, client: redis.Redis, size: int) -> tuple[float, dict[str, list[float]]]:
    writers = {run: Writer(root, run) for run in (LIVE, NEW)}
    listeners = {run: Listener(url, run) for run in (LIVE, NEW)}
    began = time.perf_counter()
    for one in (writers[LIVE], *listeners.values()):
        one.start()
    eventually(lambda: listeners[LIVE].received, seconds=60)
    follows = time.perf_counter()
    eventually(lambda: _lag(client) < size * 0.7, seconds=600)
    writers[NEW].start()
    eventually(lambda: not _behind(client) and _lag(client) < 10_000, seconds=3600, every=0.2)
    took = time.perf_counter() - began
    for run, listener in listeners.items():
        writers[run].done.set()
        writers[run].join()
        eventually(lambda run=run, it=listener: it.received.keys() >= writers[run].written.keys(), seconds=20)
        listener.done.set()
        listener.join()
    delays = {
        run: sorted(listeners[run].received[step] - at for step, at in writer.written.items() if at > follows)
        for run, writer in writers.items()
    }
    return took, delays


@contextmanager
def _collector(root: Path, url: str, flags: Sequence[str], *, quiet: bool) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "collector", "follow", str(root), "--redis", url, *flags]
    said = subprocess.DEVNULL if quiet else None
    with subprocess.Popen(command, cwd=PROJECT, env={**os.environ, "TZ": "UTC"}, stderr=said) as process:
        try:
            yield process
        finally:
            process.terminate()


def _beats(client: redis.Redis) -> list[Heartbeat]:
    texts: list[Any] = [client.get(key) for key in client.keys("tw:collector:*")]
    return [Heartbeat.decode(text) for text in texts if text]


def _lag(client: redis.Redis) -> float:
    return sum(beat.lag_bytes for beat in _beats(client)) if any(beat.files > 2 for beat in _beats(client)) else 1e18


def _behind(client: redis.Redis) -> bool:
    return any(beat.behind for beat in _beats(client))


def _peak(pid: int) -> int:
    """The largest resident size so far, bytes (VmHWM of proc(5))."""
    # VmHWM:	  123456 kB
    told = next(one for one in Path(f"/proc/{pid}/status").read_text().splitlines() if one.startswith("VmHWM"))
    return int(told.split()[1]) * 1024


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.measure.backlog", description=__doc__)
    parser.add_argument("--size", type=float, default=0.5, help="GB of history")
    parser.add_argument("--dir", help="where to make it; default: the directory for temporary files")
    parser.add_argument("flags", nargs="*", help="passed to the collector, for instance -- --poll-only")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
