"""A series whose older points are folded is read as what is kept of it, and then its exact points; on a real Redis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import pytest
import redis
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from app import point_store, tail
from app.grids import Grids, Shown
from app.reader import Reader, Wanted
from app.store import RedisRunStore
from app.stored import StoredRun
from collector.wire import schema
from collector.wire.folded import kept_of
from collector.wire.records import POINT_BYTES, RunId, SeriesMeta, unpack_points
from tests.support.folding import fold_oldest
from tests.support.redis_server import RedisServer
from tests.support.seed import RUN, Point, Seed

LOCAL = SeriesMeta("log/rank_1/info.log", 0, "local_loss", "local_loss", 1, "log")
SID = LOCAL.sid
WANTED = Wanted("local_loss", False, 1)


def points(first: int, count: int) -> list[Point]:
    """Values that go up and down, now and then none."""
    return [(at, 1e6 + at, math.nan if at % 97 == 5 else math.sin(at / 9)) for at in range(first, first + count)]


def put(seed: Seed, first: int, count: int) -> None:
    seed.points(points(first, count), metric="local_loss", file=LOCAL.file, rank=1)


def stored(store: RedisRunStore) -> StoredRun:
    run = store.run(RUN)
    assert run is not None
    return run


def steps(block: bytes) -> list[int]:
    return [step for step, _, _ in unpack_points(block)]


def truth(client: redis.Redis) -> bytes:
    """What a reader is to see."""
    text, block = client.get(schema.folded(RUN, SID)) or b"", client.get(schema.points(RUN, SID)) or b""
    assert isinstance(text, bytes)
    assert isinstance(block, bytes)
    return kept_of(text) + block


def drawn(store: RedisRunStore, reader: Reader) -> list[int]:
    return list(reader.curve(stored(store), WANTED).steps.tolist())


def test_every_way_of_reading_agrees(store: RedisRunStore, redis_url: str, seed: Seed) -> None:
    put(seed, 0, 1000)
    assert fold_oldest(redis_url, 640, SID) == 1
    whole = truth(seed.client)
    count = len(whole) // POINT_BYTES
    assert 360 < count < 500
    assert store.points(RUN, [SID]) == [whole]
    assert store.lengths(RUN, [SID]) == [count]
    assert store.heads(RUN, [SID]) == [whole[:24]]
    for length in (1, 64, 400, 5000):
        assert store.tails(RUN, [SID], length) == [whole[-length * 24 :]]
    for at in (0, 7, count - 361, count - 360, count - 359, count - 1, count, count + 50):
        assert store.after(RUN, [(SID, at)]) == [whole[at * 24 :]]
        assert store.ends(RUN, [(SID, at), (SID, 0)]) == [whole[at * 24 :], whole]
        assert store.points_at(RUN, SID, [0, at]) == whole[:24] + whole[at * 24 : at * 24 + 24]


def test_series_that_are_not_folded_are_read_beside_those_that_are(
    store: RedisRunStore, redis_url: str, seed: Seed
) -> None:
    put(seed, 0, 1000)
    seed.points(points(0, 50))
    fold_oldest(redis_url, 640, SID)
    other = SeriesMeta("log/rank_0/info.log", 0, "loss", "loss", 0, "log").sid
    assert store.lengths(RUN, [other, SID])[0] == 50
    assert steps(store.ends(RUN, [(other, 0), (SID, 0)])[0]) == list(range(50))
    assert [bool(text) for text in store.folded(RUN, [other, SID])] == [False, True]


def test_a_cached_block_is_read_anew_after_a_fold(store: RedisRunStore, redis_url: str, seed: Seed) -> None:
    put(seed, 0, 1000)
    assert steps(store.points(RUN, [SID])[0]) == list(range(1000))
    fold_oldest(redis_url, 640, SID)
    assert store.points(RUN, [SID]) == [truth(seed.client)]
    put(seed, 1000, 10)
    assert store.points(RUN, [SID]) == [truth(seed.client)]


def test_a_curve_that_was_read_is_right_after_a_fold(store: RedisRunStore, redis_url: str, seed: Seed) -> None:
    reader = Reader(store)
    put(seed, 0, 1000)
    assert drawn(store, reader) == list(range(1000))
    fold_oldest(redis_url, 640, SID)
    assert drawn(store, reader) == list(range(1000))  # nothing was committed, so nothing is asked
    put(seed, 1000, 10)
    found = drawn(store, reader)
    assert found == steps(truth(seed.client))
    assert found[-370:] == list(range(640, 1010))
    curve = reader.curve(stored(store), WANTED)
    assert max(v for v in curve.values.tolist() if v == v) == max(v for _, _, v in points(0, 1010) if v == v)
    fold_oldest(redis_url, 128, SID)
    put(seed, 1010, 1)
    assert drawn(store, reader) == steps(truth(seed.client))


def test_ranks_are_compared_where_every_point_is_there(store: RedisRunStore, redis_url: str, seed: Seed) -> None:
    for rank in range(4):
        seed.points(points(0, 1000), metric="local_loss", file=f"log/rank_{rank}/info.log", rank=rank)
    grids, shown = Grids(store, Reader(store)), Shown("local_loss", False)
    assert grids.of(stored(store), shown).grid.shape == (4, 1000)
    for rank, count in ((1, 640), (2, 576)):
        fold_oldest(redis_url, count, SeriesMeta(f"log/rank_{rank}/info.log", 0, "local_loss", None, rank, "log").sid)
    put(seed, 1000, 1)
    for fresh in (grids, Grids(store, Reader(store))):
        seen = fresh.of(stored(store), shown)
        assert (seen.floor, seen.last, seen.grid.shape) == (640, 1000, (4, 361))
        assert seen.grid.there[:, :-1].all()
        assert fresh.of(stored(store), shown, start=10, end=300).grid.shape == (4, 0)
        across = fresh.of(stored(store), shown, start=600, end=700).grid
        assert (across.steps[0], across.steps[-1], across.there.all()) == (640, 700, True)


class Interrupted(RedisRunStore):
    """Folds once while a series is read block by block."""

    folds: int = 0

    def after(self, run_id: RunId, places: Sequence[tuple[str, int]]) -> Sequence[bytes]:
        found = super().after(run_id, places)
        if self.folds and places[0][1] > 0:
            self.folds -= fold_oldest(self._url, 128, SID)
        return found


@pytest.fixture
def interrupted(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Interrupted]:
    monkeypatch.setattr(point_store, "BLOCK", 100)
    monkeypatch.setattr(tail, "BLOCK", 100)
    store = Interrupted(redis_url)
    yield store
    store.close()


@pytest.mark.parametrize("folds", [0, 1, 2])
def test_a_fold_between_two_blocks_of_one_series_is_noticed(interrupted: Interrupted, seed: Seed, folds: int) -> None:
    put(seed, 0, 1000)
    interrupted.folds = folds
    run, reader = stored(interrupted), Reader(interrupted)
    assert list(reader.curve(run, WANTED).steps) == steps(truth(seed.client))
    assert interrupted.folds == 0


class Reading(RuleBasedStateMachine):
    """A reader beside commits, folds and flushes in any order sees what is stored after each commit."""

    server: RedisServer

    @initialize()
    def begin(self) -> None:
        self.client = redis.Redis.from_url(self.server.url)
        self.store = RedisRunStore(self.server.url)
        self.reader = Reader(self.store)
        self.is_flushed()

    @rule(count=st.integers(1, 300))
    def grows(self, count: int) -> None:
        put(self.seed, self.count, count)
        self.count += count

    @rule(buckets=st.integers(1, 3))
    def is_folded(self, buckets: int) -> None:
        exact = self.client.strlen(schema.points(RUN, SID)) // POINT_BYTES
        if exact > buckets * 64:
            fold_oldest(self.server.url, buckets * 64, SID)
            put(self.seed, self.count, 1)  # the next commit is what a reader hears of
            self.count += 1

    @rule()
    def is_flushed(self) -> None:
        self.client.flushall()
        self.seed, self.count = Seed(self.client), 1
        put(self.seed, 0, 1)

    @invariant()
    def is_seen(self) -> None:
        assert drawn(self.store, self.reader) == steps(truth(self.client))

    def teardown(self) -> None:
        self.store.close()
        self.client.close()


def test_whatever_happens_a_reader_sees_what_is_stored(redis_server: RedisServer) -> None:
    Reading.server = redis_server
    few = settings(max_examples=15, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(Reading, settings=few)
