"""Series whose steps go anywhere: the table is right, and memory does not grow with them."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import redis

from app.export.export import opened
from app.export.question import Question
from app.series.curve import POINT
from app.store import RedisRunStore
from collector.wire import schema
from collector.wire.records import SeriesMeta
from tests.support.seed import RUN, Seed

COUNT = 300_000
METRICS = ("lr", "grad_norm")
MIB = 2**20


def steps(kind: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    count = np.arange(COUNT)
    if kind == "epochs":  # each begins at step 0 again, within one attempt
        return count % 1_000
    if kind == "backwards":
        return COUNT - count
    if kind == "anywhere":
        return np.random.default_rng(1).permutation(COUNT)
    return np.zeros(COUNT, dtype=np.int64)


def filled(client: redis.Redis, kind: str) -> None:
    seed = Seed(client)
    for number, metric in enumerate((*METRICS, "loss")):
        points = np.zeros(COUNT, POINT)
        points["step"] = np.arange(COUNT) if metric == "loss" else steps(kind)  # the loss tells the attempts: one
        points["wall"] = 1_000_000.0 + np.arange(COUNT)
        points["value"] = np.arange(COUNT) + number / 2
        meta = SeriesMeta("e.1", 0, metric, metric, 0, "tensorboard")
        client.hset(schema.series(RUN), meta.sid, meta.encode())
        client.append(schema.points(RUN, meta.sid), points.tobytes())
    seed.announce([], total=COUNT)


@pytest.mark.timeout(240)
@pytest.mark.parametrize("kind", ["epochs", "backwards", "anywhere"])
@pytest.mark.parametrize("attempt", ["all", "latest"])
def test_any_order_of_steps_takes_little_memory(
    redis_client: redis.Redis, redis_url: str, kind: str, attempt: str
) -> None:
    filled(redis_client, kind)
    store = RedisRunStore(redis_url)
    run = store.run(RUN)
    assert run is not None
    asked = Question(metrics=METRICS, source="tensorboard", attempt="latest" if attempt == "latest" else "all")
    tracemalloc.start()
    found: list[np.ndarray] = []
    most = 0
    for rows in opened(store, run, asked).rows():
        values = [one.values for one in rows.columns if one is not None]
        found.append(np.array([rows.steps, *values]))
        tracemalloc.reset_peak() if len(found) == 1 else None
        most = max(most, tracemalloc.get_traced_memory()[1] - sum(one.nbytes for one in found))
    tracemalloc.stop()
    store.close()
    table = np.concatenate(found, axis=1)
    order = np.argsort(steps(kind), kind="stable")
    expected = np.array([steps(kind)[order], order, order + 0.5])
    if attempt == "latest":  # of each step the last
        expected = expected[:, np.r_[np.diff(expected[0]) != 0, True]]
    np.testing.assert_array_equal(table, expected)
    assert most < 24 * MIB


def test_a_tag_without_steps_is_exported_block_by_block(redis_client: redis.Redis, redis_url: str) -> None:
    filled(redis_client, "none")
    store = RedisRunStore(redis_url)
    run = store.run(RUN)
    assert run is not None
    lengths = [len(rows) for rows in opened(store, run, Question(metrics=("lr",), layout="long")).rows()]
    assert sum(lengths) == COUNT
    assert max(lengths) < 10_000
    store.close()
