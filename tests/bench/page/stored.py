"""Runs as a collector would have left them, written fast."""

from __future__ import annotations

import time

import numpy as np
import redis

from app.series.curve import POINT
from collector.wire import schema
from collector.wire.records import RunId, SeriesMeta
from tests.support.seed import Seed

PANELS = ("loss", "lr", "grad_norm", "loss_scale", "throughput")  # those that every run page has
TAGS = tuple(f"layer_{number}/norm" for number in range(5))  # those that its reader adds
EVENTS = "tensorboard/events.out.tfevents.1700000000.node0"


def million(client: redis.Redis, name: str, count: int) -> Seed:
    """A run of an event file with ten series of ``count`` points: noisy, falling, with a peak that must not be lost."""
    seed = Seed(client, RunId(name), f"/data/{name}", {"total_steps": str(2 * count)})
    steps = np.arange(1, count + 1)
    for number, title in enumerate((*PANELS, *TAGS)):
        metric = title if title in PANELS else None
        meta = SeriesMeta(EVENTS, 0, title, metric, 0, "tensorboard")
        client.hset(schema.series(seed.run), meta.sid, meta.encode())
        values = curve(title, steps, np.random.default_rng(number))
        client.set(schema.points(seed.run, meta.sid), block(steps, values))
    seed.announce([], total=count * (len(PANELS) + len(TAGS)))  # else nobody may keep what he read
    seed.touched(time.time(), file=EVENTS)
    seed.beat()
    return seed


def curve(title: str, steps: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Ten falling to two, with noise and one peak; the learning rate without either, the loss scale in one step."""
    if title == "lr":
        return 1e-3 * (1 - steps / len(steps) / 2)
    if title == "loss_scale":
        return np.where(steps < len(steps) // 2, 65_536.0, 131_072.0)
    values = 2 + 8 * np.exp(-steps / len(steps) * 5) + random.normal(0, 0.1, len(steps))
    values[len(steps) // 3] = 40
    return values


def block(steps: np.ndarray, values: np.ndarray) -> bytes:
    """Points as the store holds them, the last one a second old."""
    points = np.empty(len(steps), dtype=POINT)
    points["step"], points["value"] = steps, values
    points["wall"] = time.time() - 1 - (len(steps) - np.arange(1, len(steps) + 1)) * 0.5
    return points.tobytes()


def live(client: redis.Redis, name: str, history: int = 500) -> Seed:
    """A run of five panels that goes on: ``history`` points a series from a log."""
    seed = Seed(client, RunId(name), f"/data/{name}", {"total_steps": "100000"})
    steps = np.arange(1, history + 1)
    for number, metric in enumerate(PANELS):
        points = zip(
            steps.tolist(), walls(history), curve(metric, steps, np.random.default_rng(number)).tolist(), strict=True
        )
        seed.points(list(points), metric=metric, live=False)
    seed.touched(time.time())
    seed.beat()
    return seed


def walls(count: int) -> list[float]:
    """One point each half second until now."""
    now = time.time()
    return [now - (count - number) * 0.5 for number in range(1, count + 1)]


def publish(seed: Seed, step: int) -> float:
    """One step of all five panels, as one commit announces it; when it was published (Unix seconds)."""
    now = time.time()
    with seed.client.pipeline(transaction=True) as pipe:
        for metric in PANELS:
            meta = SeriesMeta("log/rank_0/info.log", 0, metric, metric, 0, "log")
            pipe.append(schema.points(seed.run, meta.sid), block_of(step, now, next_value(metric, step)))
        entries = [(metric, 0, "log", 0, step, now, next_value(metric, step)) for metric in PANELS]
        pipe.xadd(schema.live(seed.run), {schema.LIVE_FIELD: schema.encode_live(entries, total=len(entries), events=0)})
        pipe.execute()
    return now


def next_value(metric: str, step: int) -> float:
    """What goes on where ``curve`` ends."""
    return {"lr": 5e-4, "loss_scale": 131_072.0}.get(metric, 2.0 + step % 7 / 10)


def block_of(step: int, wall: float, value: float) -> bytes:
    """One point."""
    return np.array([(step, wall, value)], dtype=POINT).tobytes()
