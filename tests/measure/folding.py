"""``python -m tests.measure.folding [--ranks 1024] [--series 5] [--points 2000] [--rows 10] [--keep-mb 1]``.

What a point takes in a real Redis: when it was appended, ``rows`` at a time as a job goes on, after a collector has
packed older ones, and after it has folded what ``--keep-mb`` of the run does not hold. Bytes are those that Redis says
it uses, with everything beside the points. Prints how long that kept collector and Redis busy, and its longest piece.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from itertools import islice
from typing import cast

import numpy as np
import redis

from app.series.curve import POINT
from collector.retention import Retention
from collector.store import Store
from collector.wire import schema
from collector.wire.records import RunId, SeriesMeta
from tests.support.redis_server import RedisServer
from tests.support.seed import RUN, Seed

NAMES = ("loss", "local_loss", "grad_norm", "step_time", "device_local_norm", "lr", "throughput", "loss_scale")
AT_ONCE = 5_000  # commands of one pipeline


@dataclass
class Followed:
    """A run as the collector knows it."""

    version: str | None = "1"


def used(client: redis.Redis) -> int:
    """Bytes."""
    return int(cast(dict[str, int], client.info("memory"))["used_memory"])


def busy(client: redis.Redis) -> float:
    """Seconds of its processor."""
    told = cast(dict[str, float], client.info("cpu"))
    return told["used_cpu_user"] + told["used_cpu_sys"]


def fill(client: redis.Redis, series: list[SeriesMeta], points: int, rows: int) -> None:
    """A row a second of each series, noise for values."""
    seed = Seed(client)
    client.hset(schema.series(RUN), mapping={one.sid: one.encode() for one in series})
    keys = [schema.points(RUN, one.sid) for one in series]
    noise = np.random.default_rng(7)
    for first in range(0, points, rows):
        block = np.zeros((len(series), rows), POINT)
        block["step"] = first + np.arange(rows)
        block["wall"] = 1.79e9 + first + np.arange(rows) + noise.random((len(series), rows))
        block["value"] = noise.normal(3.0, 0.1, (len(series), rows))
        commands = iter(zip(keys, block, strict=True))
        while some := list(islice(commands, AT_ONCE)):
            with client.pipeline(transaction=False) as pipe:
                for key, one in some:
                    pipe.append(key, one.tobytes())
                pipe.execute()
    seed.announce([])


def settle(url: str, keep: int) -> tuple[float, float, int]:
    """Pack, and fold what is beyond ``keep`` bytes (0: nothing): seconds of the processor in all pieces and in the
    longest, and how many there were."""
    store, now, took = Store(url), 0.0, list[float]()
    retention = Retention(keep, store.shelf, {RunId(RUN): Followed()})
    while True:
        began = time.process_time()
        wait = retention.turn(now)
        took.append(time.process_time() - began)
        if wait > 1.0:
            store.close()
            return sum(took), max(took), len(took)
        now += wait


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, usual in (("ranks", 1024), ("series", 5), ("points", 2000), ("rows", 10), ("keep-mb", 1)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    asked = parser.parse_args()
    series = [
        SeriesMeta(f"log/rank_{rank}/info.log", 0, name, name, rank, "log")
        for rank in range(asked.ranks)
        for name in NAMES[: asked.series]
    ]
    server = RedisServer().start()
    try:
        client = redis.Redis.from_url(server.url)
        empty = used(client)
        fill(client, series, asked.points, asked.rows)
        total = len(series) * asked.points
        print(f"{total:,} points: {(used(client) - empty) / total:.1f} bytes a point as they were appended", flush=True)
        for name, keep in (("packed", 0), ("folded", asked.keep_mb * 2**20)):
            before = busy(client)
            took, longest, pieces = settle(server.url, keep)
            print(f"{(used(client) - empty) / total:.1f} bytes a point {name}: the collector was busy for ", end="")
            print(f"{took:.1f} s in {pieces} pieces, the longest {longest * 1000:.0f} ms, ", end="")
            print(f"and Redis for {busy(client) - before:.1f} s", flush=True)
    finally:
        server.close()


if __name__ == "__main__":
    main()
