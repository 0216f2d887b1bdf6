"""Wherever points lie (packed, folded, in a cluster), an export is the same table, and says what was folded."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator

import numpy as np
import pytest
import redis
from flask.testing import FlaskClient

from app.api.exports import SLOTS
from app.cluster_store import opened as opened_cluster
from app.export.export import opened
from app.export.form import Form, writer
from app.export.question import Question
from app.export.shape import Shape
from app.reader import Reader, Wanted
from app.store import RedisRunStore
from app.stored import RunStore
from collector.store import Store
from collector.wire.records import RunId
from tests.app.test_folded import LOCAL, SID, put
from tests.support.committing import RUN as COMMITTED
from tests.support.committing import Writer, history
from tests.support.folding import fold_oldest, pack_oldest
from tests.support.redis_cluster import RedisCluster
from tests.support.seed import RUN, Seed, straight


def written(store: RunStore, run_id: RunId, question: Question, form: Form = "csv") -> bytes:
    """A whole export."""
    run = store.run(run_id)
    assert run is not None
    export = opened(store, run, question)
    made = writer(form, Shape(export.plan.labels, question.layout == "long", export.plan.ranked, {}))
    out = io.BytesIO(made.head())
    out.seek(0, io.SEEK_END)
    for rows in export.rows():
        out.write(made.rows(rows))
    out.write(made.end())
    return out.getvalue()


def test_packed_points_are_the_same(store: RedisRunStore, redis_url: str, seed: Seed) -> None:
    put(seed, 0, 20_000)
    asked = Question(metrics=("local_loss",), ranks=(1,))
    before = written(store, RUN, asked)
    assert pack_oldest(redis_url, 12_800, SID)
    with_packed = RedisRunStore(redis_url)
    assert written(with_packed, RUN, asked) == before
    assert (
        written(with_packed, RUN, Question(metrics=("local_loss",), ranks=(1,), start=12_000, end=13_000)).count(b"\n")
        == 1002
    )
    with_packed.close()


def test_of_folded_history_what_is_kept_is_exported_and_told(
    client: FlaskClient, store: RedisRunStore, redis_url: str, seed: Seed
) -> None:
    put(seed, 0, 20_000)
    fold_oldest(redis_url, 12_800, SID)
    answer = client.get(f"/api/runs/{RUN}/export.csv?metric=local_loss&rank=1")
    lines = answer.data.decode().splitlines()[1:]
    run = store.run(RUN)
    assert run is not None
    curve = Reader(store).curve(run, Wanted("local_loss", False, LOCAL.rank))
    assert [int(line.split(",")[0]) for line in lines] == curve.steps.tolist()
    np.testing.assert_array_equal([float(line.split(",")[-1]) for line in lines], curve.values)
    told = json.loads(answer.headers["X-Tidewatch-Meta"])
    assert 0 < told["folded"] == len(curve) - 7200
    estimate = client.get(f"/api/runs/{RUN}/export?metric=local_loss&rank=1").get_json()
    assert (estimate["folded"], estimate["rows"]) == (told["folded"], len(curve))


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("layout", ["wide", "long"])
def test_a_cluster_gives_the_same_table(
    redis_url: str, redis_client: redis.Redis, empty_cluster: RedisCluster, form: Form, layout: str
) -> None:
    plain, spread = Store(redis_url), Store(empty_cluster.url)
    history(Writer([plain, spread]), 7)
    one, other = RedisRunStore(redis_url), opened_cluster(empty_cluster.url)
    asked = Question(every=True, ranks=tuple(range(0, 24, 3)), layout="long" if layout == "long" else "wide")
    assert written(one, COMMITTED, asked, form) == written(other, COMMITTED, asked, form)
    assert written(one, COMMITTED, asked).count(b"\n") > 100
    for it in (plain, spread, one, other):
        it.close()


@pytest.fixture
def free() -> Iterator[None]:
    yield
    assert SLOTS.taken == 0


def test_a_question_for_the_head_alone_takes_no_place(client: FlaskClient, seed: Seed, free: None) -> None:
    seed.points(straight(range(100)))
    for _ in range(9):
        answer = client.head(f"/api/runs/{RUN}/export.csv")
        assert (answer.status_code, answer.data) == (200, b"")
        assert "attachment" in answer.headers["Content-Disposition"]


def test_an_export_is_never_held_whole_to_be_compressed(client: FlaskClient, seed: Seed, free: None) -> None:
    seed.points(straight(range(50_000)), live=False)
    answer = client.get(f"/api/runs/{RUN}/export.csv", headers={"Accept-Encoding": "gzip"}, buffered=False)
    assert "Content-Encoding" not in answer.headers
    assert "Content-Length" not in answer.headers
    pieces = [len(piece) for piece in answer.iter_encoded()]
    assert len(pieces) > 5
    assert max(pieces) < 2**20
    answer.close()
