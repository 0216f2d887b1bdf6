"""``python -m tests.measure.snapshots [--ranks 1] [--metrics 10] [--points 1000]``.

A run of so many series in a real Redis is frozen, and its frozen page opened by a server that has not read it before,
and again. Prints milliseconds inside the server (median of several, and those of CPU, which say more on a busy
machine), what a snapshot takes in Redis, and what one that is open takes in the process.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import redis

from app.series.curve import POINT
from app.store import RedisRunStore
from collector.wire import schema
from collector.wire.records import SeriesMeta
from tests.support.freezing import freeze, serving
from tests.support.redis_server import RedisServer
from tests.support.seed import RUN, Seed

NAMES = (
    "loss",
    "lr",
    "grad_norm",
    "throughput",
    "step_time",
    "local_loss",
    "loss_scale",
    "tflops",
    "lm_loss",
    "mtp_loss",
)
AGAIN = 9


def fill(client: redis.Redis, ranks: int, metrics: int, points: int) -> None:
    """So many points of each metric of each rank."""
    seed = Seed(client)
    block = np.zeros(points, POINT)
    block["step"], block["wall"] = np.arange(points), 1e9 + np.arange(points)
    pipe = client.pipeline(transaction=False)
    for rank in range(ranks):
        file = f"log/rank_{rank}/info.log"
        for name in NAMES[:metrics]:
            meta = SeriesMeta(file, 0, name, name, rank, "log")
            block["value"] = 3 + np.random.default_rng([rank, NAMES.index(name)]).normal(0, 0.1, points)
            pipe.hset(schema.series(RUN), meta.sid, meta.encode())
            pipe.append(schema.points(RUN, meta.sid), block.tobytes())
        pipe.execute()
    seed.announce([], total=points)
    seed.beat(1e9 + points)


def timed(name: str, times: int, act: Callable[[], object]) -> None:
    """Prints what an act takes."""
    walls, cpus = list[float](), list[float]()
    for _ in range(times):
        wall, cpu = time.perf_counter(), time.process_time()
        act()
        walls.append((time.perf_counter() - wall) * 1e3)
        cpus.append((time.process_time() - cpu) * 1e3)
    print(f"{name:34} {statistics.median(walls):9.1f} ms  {statistics.median(cpus):9.1f} ms of CPU  ({times} times)")


def resident() -> float:
    """MiB of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20


def measure(ranks: int, metrics: int, points: int) -> None:
    """All of it."""
    server = RedisServer().start()
    client = redis.Redis.from_url(server.url)
    store = RedisRunStore(server.url)
    now = 1e9 + points
    try:
        fill(client, ranks, metrics, points)
        print(f"{ranks * metrics:,} series of {points:,} points")
        with serving(store, now) as one:
            link = freeze(one, RUN)
            timed("freeze", AGAIN, lambda: freeze(one, RUN))
            taken = sum(
                client.memory_usage(key) or 0 for key in (schema.frozen(RUN, link.id), schema.snapshot(RUN, link.id))
            )
            print(f"{'in Redis, one':34} {taken / 1024:9.1f} kB")
        before = resident()
        with serving(store, now) as two:
            timed("page, read for the first time", 1, lambda: two.get(link.path))
            print(f"{'in the process, one that is open':34} {resident() - before:9.1f} MiB")
            timed("page, again", AGAIN, lambda: two.get(link.path))
            timed(
                "curves of the page, first",
                1,
                lambda: two.get(f"{link.path}/api/runs/{RUN}/curves?metric=loss&metric=lr"),
            )
            timed("live page, for comparison", AGAIN, lambda: two.get(f"/run/{RUN}"))
    finally:
        store.close()
        server.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--metrics", type=int, default=10)
    parser.add_argument("--points", type=int, default=1_000)
    said = parser.parse_args()
    measure(said.ranks, said.metrics, said.points)
