"""A store with one run for each thing that a page has to show well."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping

import redis

from collector.wire import schema
from collector.wire.records import RunId
from tests.support.seed import Point, Seed

STEPS = 600
METRICS: Mapping[str, float] = {"lr": 3e-4, "grad_norm": 1.2, "loss_scale": 65_536.0, "throughput": 12.5}
CHINESE = RunId("微调-qwen2-长文本")


def fill(client: redis.Redis) -> None:
    """Runs named for what they show: going, diverged, resumed, finished, and one with a Chinese name."""
    training(client, RunId("going"))
    training(client, RunId("diverged"), spoil=spoilt)
    resumed(client)
    training(client, RunId("finished"), total=STEPS)
    training(client, CHINESE)


def training(client: redis.Redis, run: RunId, *, total: int = 1_000, spoil: Mapping[int, float] | None = None) -> Seed:
    """One run of ``STEPS`` steps whose last one is a second old; ``spoil`` replaces values of its loss by step."""
    seed = named(client, run, total)
    write(seed, range(1, STEPS + 1), spoil or {})
    seed.event("start", wall=time.time() - STEPS)
    for step in (200, 400):
        seed.event("checkpoint", step=step, wall=time.time() - STEPS + step, text=f"Save checkpoint of step {step}.")
    seed.event("eval", step=300, wall=time.time() - STEPS + 300, text="Eval loss: 3.2")
    seed.touched(time.time())
    seed.beat()
    return seed


def named(client: redis.Redis, run: RunId, total: int) -> Seed:
    """An empty run under its own name."""
    seed = Seed(
        client, run, f"/data/{run}", {"total_steps": str(total), "global_batch_size": "64", "seq_length": "4096"}
    )
    client.hset(schema.run(run), "name", run)
    return seed


def write(seed: Seed, steps: range, spoil: Mapping[int, float], *, generation: int = 0, reason: str = "") -> None:
    """Every metric at every step, one step a second until now."""
    loss = [(step, wall, spoil.get(step, fallen(step))) for step, wall, _ in flat(steps, 0)]
    seed.points(loss, live=False, generation=generation, reason=reason)
    for metric, value in METRICS.items():
        seed.points(flat(steps, value), metric=metric, live=False, generation=generation)
    eighth = [point for point in loss if point[0] % 100 == 0]
    if eighth:
        higher = [(step, wall, value + 0.3) for step, wall, value in eighth]
        seed.points(higher, metric="eval_loss", live=False, generation=generation)


def flat(steps: range, value: float) -> list[Point]:
    """One point a step, with a little noise, a second apart until now."""
    now = time.time()
    return [(step, now - (steps[-1] - step) - 1, value * (1 + math.sin(step * 7.3) / 20)) for step in steps]


def fallen(step: int) -> float:
    """The loss of a step."""
    return 2 + 8 * math.exp(-step / 150) + math.sin(step * 3.7) / 10


spoilt = dict.fromkeys(range(420, 450), math.nan) | {500: math.inf, 501: -math.inf}


def resumed(client: redis.Redis) -> Seed:
    """A run that went back twice: at step 300 to 200, and at 450 to 400."""
    seed = named(client, RunId("resumed"), 1_000)
    ends = ((range(1, 301), ""), (range(200, 451), "restart"), (range(400, STEPS + 1), "restart"))
    for generation, (steps, reason) in enumerate(ends):
        write(seed, steps, {}, generation=generation, reason=reason)
        seed.event("start", wall=time.time() - (len(ends) - generation))
    seed.touched(time.time())
    seed.beat()
    return seed
