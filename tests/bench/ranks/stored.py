"""Runs of many ranks as a collector would have left them, written fast, and columns that they grow by."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from secrets import token_hex

import numpy as np
import redis

from app.series.curve import POINT
from collector.keep import Size, packs, tiers
from collector.pack import pack
from collector.wire import schema
from collector.wire.metrics import TENSORBOARD_ALIASES
from collector.wire.packed import front_of
from collector.wire.records import POINT_BYTES, Cursor, RunId, SeriesMeta
from tests.generate.numbers import Numbers
from tests.generate.plan import Plan
from tests.support.seed import Seed

BEGUN = "1760000000"


def ranks(client: redis.Redis, name: str, plan: Plan) -> Seed:
    """A run with all points of a plan, the last ones a second old."""
    seed = Seed(client, RunId(name), f"/data/{name}", facts(plan))
    numbers, steps = Numbers(plan), np.arange(1, plan.steps + 1)
    walls = time.time() - 1 - (plan.steps - steps) * plan.every
    every = {meta.sid: meta for rank in range(plan.shape.world) for meta in series(plan, rank)}
    older = packs([sid for tier in tiers(every) for sid in tier], dict.fromkeys(every, Size(plan.steps * POINT_BYTES)))
    for host in plan.hosts:
        values = numbers.of(plan.ranks(host), steps)
        with client.pipeline(transaction=False) as pipe:
            for row, rank in enumerate(plan.ranks(host).tolist()):
                register(pipe, seed.run, plan, rank)
                for meta in series(plan, rank):
                    put(pipe, seed.run, meta.sid, block(steps, walls, values[meta.tag][row]), older.get(meta.sid, 0))
            pipe.execute()
    if older:
        client.hset(schema.run(seed.run), schema.PACKED_FIELD, token_hex(8))
    seed.announce([], total=plan.shape.world * plan.steps)  # else nobody may keep what he read
    seed._committed()
    seed.beat()
    return seed


def put(pipe: redis.client.Pipeline, run: RunId, sid: str, points: bytes, older: int) -> None:
    """The points of a series, so many of the oldest packed."""
    if older:
        (packed,) = pack([points[: older * POINT_BYTES]])
        pipe.set(schema.packed(run, sid), front_of(packed.kinds) + packed.body)
    pipe.set(schema.points(run, sid), points[older * POINT_BYTES :])


def register(pipe: redis.client.Pipeline, run: RunId, plan: Plan, rank: int) -> None:
    """What the store says of a rank's file and of its series."""
    pipe.hset(schema.series(run), mapping={meta.sid: meta.encode() for meta in series(plan, rank)})
    cursor = Cursor(file_of(rank), "tensorboard", rank, offset=100, mtime=time.time())
    pipe.hset(schema.cursors(run), cursor.file, cursor.encode())


def facts(plan: Plan) -> Mapping[str, str]:
    shape = plan.shape
    axes = {"data_parallel": shape.dp, "model_parallel": shape.tp, "pipeline_stages": shape.pp}
    return {"total_steps": str(10 * plan.steps), **{name: str(size) for name, size in axes.items()}}


def file_of(rank: int) -> str:
    return f"tensorboard/rank_{rank}/events.out.tfevents.{BEGUN}.node{rank // 8}"


def series(plan: Plan, rank: int) -> Iterator[SeriesMeta]:
    """What a rank's file holds."""
    for tag in plan.tags:
        if plan.has_loss(rank) or "local_lm_loss" not in tag:
            yield SeriesMeta(file_of(rank), 0, tag, TENSORBOARD_ALIASES.get(tag), rank, "tensorboard")


def block(steps: np.ndarray, walls: np.ndarray, values: np.ndarray) -> bytes:
    """Points as the store holds them."""
    points = np.empty(len(steps), dtype=POINT)
    points["step"], points["wall"], points["value"] = steps, walls, values
    return points.tobytes()


class Growing:
    """A stored run that goes on."""

    def __init__(self, seed: Seed, plan: Plan) -> None:
        self._seed, self._plan = seed, plan
        self._numbers = Numbers(plan)

    def column(self, step: int) -> float:
        """One step of all ranks, in the store before it is announced; when it was announced (Unix seconds)."""
        plan, now = self._plan, time.time()
        values = self._numbers.of(np.arange(plan.shape.world), np.array([step]))
        with self._seed.client.pipeline(transaction=False) as pipe:
            for rank in range(plan.shape.world):
                for meta in series(plan, rank):
                    piece = block(np.array([step]), np.array([now]), values[meta.tag][rank])
                    pipe.append(schema.points(self._seed.run, meta.sid), piece)
            pipe.execute()
        owner = plan.shape.world - 1
        entries = [
            (one.metric, owner, one.source, 0, step, now, float(values[one.tag][owner, 0]))
            for one in series(plan, owner)
            if one.metric
        ]
        announced = time.time()
        self._seed.announce(entries, total=plan.shape.world * len(entries))
        return announced
