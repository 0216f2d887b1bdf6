"""A store with one run for each thing that a page has to show well."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping

import redis

from collector.wire import schema
from collector.wire.records import RunId
from tests.support.seed import Seed

STEPS = 600
PAUSE = 60.0  # seconds between two attempts of the run that was resumed
CHINESE = RunId("微调-qwen2-长文本")


def fill(client: redis.Redis) -> None:
    """Runs named for what they show: going, diverged, resumed, finished, and one with a Chinese name."""
    training(client, RunId("going"))
    training(client, RunId("diverged"), spoil=spoilt, above=0.4)
    resumed(client)
    training(client, RunId("finished"), total=STEPS, above=0.2)
    training(client, CHINESE)


def training(
    client: redis.Redis, run: RunId, *, total: int = 1_000, spoil: Mapping[int, float] | None = None, above: float = 0.0
) -> Seed:
    """One run of ``STEPS`` steps whose last one is a second old; ``spoil`` replaces values of its loss by step, which
    otherwise lies ``above`` that of the others."""
    seed = named(client, run, total)
    write(seed, range(1, STEPS + 1), {step: fallen(step) + above for step in range(1, STEPS + 1)} | dict(spoil or {}))
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


def write(
    seed: Seed, steps: range, spoil: Mapping[int, float], *, until: float = 0.0, generation: int = 0, reason: str = ""
) -> None:
    """Every metric at every step, one step a second; the last one ``until`` seconds ago."""
    walls = {step: time.time() - until - (steps[-1] - step) - 1 for step in steps}
    loss = [(step, walls[step], spoil.get(step, fallen(step))) for step in steps]
    seed.points(loss, live=False, generation=generation, reason=reason)
    for metric, value in METRICS.items():
        points = [(step, walls[step], value(step)) for step in steps]
        seed.points(points, metric=metric, live=False, generation=generation)
    measured = [(step, walls[step], fallen(step) + 0.3) for step in steps if step % 100 == 0]
    if measured:
        seed.points(measured, metric="eval_loss", live=False, generation=generation)


def noise(step: int, seed: int) -> float:
    """The same for the same step, between -1 and 1."""
    return random.Random(step * 31 + seed).uniform(-1, 1)


def fallen(step: int) -> float:
    """The loss of a step."""
    return 2 + 8 * math.exp(-step / 150) + noise(step, 0) / 10


METRICS: Mapping[str, Callable[[int], float]] = {
    "lr": lambda step: 3e-4 * min(step / 50, 1 - step / 1_200),
    "grad_norm": lambda step: 0.8 + 2 * math.exp(-step / 200) + noise(step, 1) / 5,
    "loss_scale": lambda step: 65_536.0 * 2 ** (step // 250),
    "throughput": lambda step: 12.5 + noise(step, 2) / 2,
}
spoilt = dict.fromkeys(range(420, 450), math.nan) | {500: math.inf, 501: -math.inf}


def resumed(client: redis.Redis) -> Seed:
    """A run that went back twice: at step 300 to 200, and at 450 to 400; a minute passed each time."""
    seed = named(client, RunId("resumed"), 1_000)
    parts = ((range(1, 301), ""), (range(200, 451), "restart"), (range(400, STEPS + 1), "restart"))
    until = sum(len(steps) + PAUSE for steps, _ in parts) - PAUSE
    for generation, (steps, reason) in enumerate(parts):
        until -= len(steps)
        seed.event("start", wall=time.time() - until - len(steps) - 5)
        write(seed, steps, {}, until=until, generation=generation, reason=reason)
        until -= PAUSE
    seed.touched(time.time())
    seed.beat()
    return seed
