"""``python -m tests.measure.windows [--points 1000000] [--panels 10] [--files events|both|twins] [--attempts 1]``.

Ten curves of a million points each in a real Redis, asked for as a page does it (``/api/runs/<run>/curves``): the first
time, again, zoomed, after one more point, and by several pages at once. Prints milliseconds inside the server (least
and median of several; those that passed, and those of CPU, which say more on a busy machine) and the process's memory.
``both``: a log and an event file have every step, and the event file is 1,200 points behind; ``twins``: two logs of one
rank hold the same lines.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import redis
from flask.testing import FlaskClient

from app.config import AppConfig
from app.factory import close, create_app
from app.series.curve import POINT
from app.store import RedisRunStore
from collector.wire import schema
from collector.wire.records import SeriesMeta, Source
from tests.support.redis_server import RedisServer
from tests.support.seed import RUN, Seed

NAMES = (
    *("loss", "lr", "grad_norm", "throughput", "step_time", "loss_scale", "tflops", "lm_loss", "mtp_loss"),
    *("load_balancing_loss", "indexer_loss", "batch_size"),
)
LATE = 1_200  # points that an event file is behind the log: two minutes at ten a second
BEGAN, EVERY = 1_790_000_000.0, 0.1  # Unix seconds
LOG, WORKER, EVENTS = "log/rank_0/info.log", "msrun_log/worker_0.log", "tensorboard/rank_0/events.out.tfevents.1"
Writer = tuple[str, Source, int]


def writers(files: str) -> Sequence[Writer]:
    """(file, source, points it is behind) of each file that has the curves."""
    found: dict[str, Sequence[Writer]] = {
        "events": [(EVENTS, "tensorboard", 0)],
        "both": [(LOG, "log", 0), (EVENTS, "tensorboard", LATE)],
        "twins": [(LOG, "log", 0), (WORKER, "log", 0)],
    }
    return found[files]


def fill(url: str, panels: int, points: int, files: str, attempts: int) -> None:
    """A run of so many curves; each attempt begins a hundred steps before the last one ended."""
    client = redis.Redis.from_url(url)
    seed = Seed(client)
    numbers = np.random.default_rng(4)
    each = points // attempts
    for name in NAMES[:panels]:
        for attempt in range(attempts):
            block = np.zeros(each, dtype=POINT)
            block["step"] = np.arange(each) + attempt * (each - 100)
            block["wall"] = BEGAN + (np.arange(each) + attempt * (each + 36_000)) * EVERY
            block["value"] = 10 * np.exp(-block["step"] / points) + numbers.normal(0, 0.1, each)
            for file, source, late in writers(files):
                _append(client, file, source, name, attempt, block[: each - (late if attempt == attempts - 1 else 0)])
    for attempt in range(1, attempts):
        for file, source, _ in writers(files):
            seed.points([], metric=None, file=file, source=source, generation=attempt, reason="start_announced")
    seed.announce([], total=points)


def _append(client: redis.Redis, file: str, source: Source, name: str, generation: int, block: np.ndarray) -> None:
    meta = SeriesMeta(file, generation, name, name, 0, source)
    client.hset(schema.series(RUN), meta.sid, meta.encode())
    client.append(schema.points(RUN, meta.sid), block.tobytes())


def grow(seed: Seed, panels: int, files: str, attempts: int, at: int) -> None:
    """One more point of each curve in each file, ten a second."""
    points = [(at, BEGAN + 2 * at * EVERY + attempts * 3_600_000, 1.0)]
    for name in NAMES[:panels]:
        for file, source, late in writers(files):
            behind = [(step - late, wall - late * EVERY, value) for step, wall, value in points]
            seed.points(behind, metric=name, file=file, source=source, generation=attempts - 1, live=False)


def timed(ask: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds that passed, and those that this process worked."""
    began, worked = time.perf_counter(), time.process_time()
    ask()
    return (time.perf_counter() - began) * 1000, (time.process_time() - worked) * 1000


def told(what: str, several: Sequence[tuple[float, float]]) -> None:
    """One line."""
    passed, worked = zip(*several, strict=True)
    median = statistics.median
    print(f"{what:<34}{min(passed):9.1f} {median(passed):9.1f}{min(worked):12.1f} {median(worked):9.1f}", flush=True)


def resident() -> int:
    """MiB of this process now."""
    # VmRSS:     123456 kB
    line = next(one for one in Path("/proc/self/status").read_text().splitlines() if one.startswith("VmRSS"))
    return int(line.split()[1]) // 1024


def measure(client: FlaskClient, seed: Seed, options: argparse.Namespace) -> None:
    """Every question once or several times."""
    names = "&".join(f"metric={name}" for name in NAMES[: options.panels])

    def ask(more: str = "") -> Callable[[], object]:
        def once() -> object:
            reply = client.get(f"/api/runs/{RUN}/curves?{names}{more}")
            assert reply.status_code == 200, reply.text
            return reply.data

        return once

    print(f"memory before {resident()} MiB")
    print(f"{'':<34}{'least':>9} {'median':>9}{'CPU least':>12} {'median':>9}   ms")
    told("first time", [timed(ask())])
    print(f"memory after the first {resident()} MiB")
    told("again", [timed(ask()) for _ in range(9)])
    total = options.points
    for name, share in (("half", 2), ("a tenth", 10), ("a hundredth", 100), ("a ten-thousandth", 10_000)):
        widths = [(total // 3 + number * 17, total // 3 + number * 17 + total // share) for number in range(9)]
        told(f"zoomed to {name}", [timed(ask(f"&start={start}&end={end}")) for start, end in widths])
    told("the last hour by time", [timed(ask(f"&since={BEGAN + total * EVERY - 3600}")) for _ in range(9)])
    told("all attempts", [timed(ask("&attempt=all")) for _ in range(9)])
    after = []
    for number in range(9):
        grow(seed, options.panels, options.files, options.attempts, total + number)
        after.append(timed(ask()))
    told("after one more point each", after)
    told("  the first of these", after[:1])
    print(f"memory after that {resident()} MiB")


def together(url: str, options: argparse.Namespace) -> None:
    """Eight pages at once ask a server that holds nothing yet."""
    store = RedisRunStore(url)
    server = create_app(AppConfig(), store).server
    names = "&".join(f"metric={name}" for name in NAMES[: options.panels])

    def ask() -> None:
        assert server.test_client().get(f"/api/runs/{RUN}/curves?{names}").status_code == 200

    pages = [threading.Thread(target=ask) for _ in range(8)]

    def all_of_them() -> None:
        for page in pages:
            page.start()
        for page in pages:
            page.join()

    told("eight pages at once, first time", [timed(all_of_them)])
    close(server)
    store.close()


def main() -> None:
    """Fill (in a process of its own, so that its memory does not count), ask, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--panels", type=int, default=10, choices=range(1, len(NAMES) + 1), metavar="1-12")
    parser.add_argument("--files", default="events", choices=("events", "both", "twins"))
    parser.add_argument("--attempts", type=int, default=1)
    parser.add_argument("--fill", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fill:
        fill(options.fill, options.panels, options.points, options.files, options.attempts)
        return
    redis_server = RedisServer().start()
    program = [sys.executable, "-m", "tests.measure.windows"]
    subprocess.run([*program, *sys.argv[1:], "--fill", redis_server.url], check=True)
    store = RedisRunStore(redis_server.url)
    server = create_app(AppConfig(), store).server
    try:
        measure(server.test_client(), Seed(redis.Redis.from_url(redis_server.url)), options)
        store.close()
        together(redis_server.url, options)
    finally:
        close(server)
        redis_server.close()


if __name__ == "__main__":
    main()
