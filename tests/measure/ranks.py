"""How long the answer about every rank takes: ``python -m tests.measure.ranks``.

For each size a process that has read nothing answers once, and then as one step after the other comes to all ranks: the
page asks for the newest columns then. Times are of the server alone, without the way to the browser.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import redis
from flask.testing import FlaskClient

from app.config import AppConfig
from app.factory import close, create_app
from app.series.curve import POINT
from app.store import RedisRunStore
from collector.wire import schema
from collector.wire.records import RunId, SeriesMeta
from tests.support.redis_server import RedisServer
from tests.support.seed import Seed

SIZES = ((8, 1_000), (64, 1_000), (1_024, 500), (10_240, 300))
STEPS = 12  # that come one by one
AGAIN = 8  # columns that the page asks for once more, since some ranks write later
OCTETS = {"Accept": "application/octet-stream"}
TAG = "local_lm_loss"
BEGAN = 1_700_000_000.0


def metas(run: str, ranks: int) -> list[SeriesMeta]:
    """One event file a rank, eight ranks a node."""
    files = [f"tensorboard/rank_{rank}/events.out.tfevents.1700000000.node-{rank // 8}" for rank in range(ranks)]
    return [SeriesMeta(file, 0, TAG, "local_loss", rank, "tensorboard") for rank, file in enumerate(files)]


def filled(client: redis.Redis, run: str, ranks: int, steps: int) -> list[SeriesMeta]:
    """A store as a collector leaves it; one rank is off."""
    seed = Seed(client, RunId(run), f"/data/{run}")
    series = metas(run, ranks)
    client.hset(schema.series(seed.run), mapping={one.sid: one.encode() for one in series})
    random = np.random.default_rng(0)
    with client.pipeline(transaction=False) as pipe:
        for rank, one in enumerate(series):
            pipe.set(schema.points(seed.run, one.sid), block(1, steps, rank, random))
        pipe.execute()
    seed.announce([], total=ranks * steps)
    return series


def block(first: int, count: int, rank: int, random: np.random.Generator) -> bytes:
    """Points as the store holds them."""
    points = np.empty(count, dtype=POINT)
    points["step"] = np.arange(first, first + count)
    points["wall"] = BEGAN + points["step"]
    points["value"] = 2 + random.normal(0, 0.02, count) + (0.5 if rank == 5 else 0)
    return points.tobytes()


def grow(client: redis.Redis, run: str, series: list[SeriesMeta], step: int) -> None:
    """One step of all ranks, as one commit announces it."""
    random = np.random.default_rng(step)
    with client.pipeline(transaction=False) as pipe:
        for rank, one in enumerate(series):
            pipe.append(schema.points(RunId(run), one.sid), block(step, 1, rank, random))
        text = schema.encode_live([("local_loss", 0, "tensorboard", 0, step, 0.0, 0.0)] * 2_001, total=1, events=0)
        pipe.xadd(schema.live(RunId(run)), {schema.LIVE_FIELD: text})
        pipe.execute()


@dataclass(frozen=True)
class Took:
    """One answer: milliseconds that passed, those of CPU in this process, and its bytes."""

    wall: float
    cpu: float
    size: int

    def __str__(self) -> str:
        return f"{self.wall:>7.0f} {f'({self.cpu:.0f})':>7}"


def timed(client: FlaskClient, address: str) -> Took:
    """Ask."""
    began, busy = time.perf_counter(), time.process_time()
    reply = client.get(address, headers=OCTETS)
    wall, cpu = (time.perf_counter() - began) * 1000, (time.process_time() - busy) * 1000
    assert reply.status_code == 200, reply.text
    return Took(wall, cpu, len(reply.data))


def measure(server: RedisServer, ranks: int, steps: int) -> str:
    """One line of the table."""
    client = redis.Redis.from_url(server.url)
    client.flushall()
    series = filled(client, "wide", ranks, steps)
    store = RedisRunStore(server.url)
    app = create_app(AppConfig(), store).server
    pages = app.test_client()
    pages.get("/livez")
    address = "/api/runs/wide/ranks?metric=local_loss"
    cold, again = timed(pages, address), timed(pages, address)
    grown: list[Took] = []
    for step in range(steps + 1, steps + STEPS + 1):
        grow(client, "wide", series, step)
        grown.append(timed(pages, f"{address}&start={step - AGAIN}"))
    close(app)
    store.close()
    client.close()
    grown.sort(key=lambda one: one.wall)
    middle, most = grown[len(grown) // 2], grown[-1]
    return f"{ranks:>6} × {steps:<5} {cold} {again} {middle} {most} {cold.size / 2**20:>6.1f} MiB"


def main() -> None:
    """The table."""
    print(f"{'ranks × steps':<14} {'first':>15} {'same':>15} {'grown':>15} {'worst':>15}   ms passed (ms of CPU)")
    server = RedisServer().start()
    for ranks, steps in SIZES:
        print(measure(server, ranks, steps), flush=True)
    server.close()


if __name__ == "__main__":
    main()
