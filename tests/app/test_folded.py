"""A series of which older points are packed or folded is read as one: what is kept, and every exact point."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from threading import Thread
from typing import cast

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
from collector.wire.packed import points_of
from collector.wire.records import POINT_BYTES, RunId, SeriesMeta, unpack_points
from tests.support.folding import fold_oldest, pack_oldest
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
    keys = schema.folded(RUN, SID), schema.packed(RUN, SID), schema.points(RUN, SID)
    folded, packed, block = (cast(bytes, client.get(key) or b"") for key in keys)
    return kept_of(folded) + points_of(packed) + block


def drawn(store: RedisRunStore, reader: Reader) -> list[int]:
    return list(reader.curve(stored(store), WANTED).steps.tolist())


@pytest.mark.parametrize("packed", [0, 128, 768])
@pytest.mark.parametrize("folded", [0, 128, 640])
def test_every_way_of_reading_agrees(
    store: RedisRunStore, redis_url: str, seed: Seed, folded: int, packed: int
) -> None:
    put(seed, 0, 1000)
    before = store.points(RUN, [SID])
    if packed:
        assert pack_oldest(redis_url, packed, SID) == 1
        assert store.points(RUN, [SID]) == before
    if folded:
        assert fold_oldest(redis_url, folded, SID) == 1
    whole = truth(seed.client)
    count = len(whole) // POINT_BYTES
    exact = 1000 - folded
    assert exact <= count < exact + folded / 4 + 1
    assert store.points(RUN, [SID]) == [whole]
    assert store.lengths(RUN, [SID]) == [count]
    assert store.kept(RUN, [SID]) == [count - exact]
    assert store.heads(RUN, [SID]) == [whole[:24]]
    for length in (1, 64, 232, 300, 400, 5000):
        assert store.tails(RUN, [SID], length) == [whole[-length * 24 :]]
    edges = {count - one + by for one in (exact, 1000 - packed, 232, 1) for by in (-1, 0, 1, 128)}
    for at in sorted({0, 7, count, count + 50, *(one for one in edges if one >= 0)}):
        assert store.after(RUN, [(SID, at)]) == [whole[at * 24 :]]
        assert store.ends(RUN, [(SID, at), (SID, 0)]) == [whole[at * 24 :], whole]
        assert store.points_at(RUN, SID, [0, at]) == whole[:24] + whole[at * 24 : at * 24 + 24]
        for length in (1, 127, 128, 129, 500):
            assert store.ranges(RUN, [(SID, at, length)]) == [whole[at * 24 : (at + length) * 24]]


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


def test_the_front_of_a_long_series_is_known_whole(store: RedisRunStore, redis_url: str, seed: Seed) -> None:
    put(seed, 0, 40_000)
    assert pack_oldest(redis_url, 39_808, SID) == 1
    assert pack_oldest(redis_url, 128, SID) == 1
    whole = truth(seed.client)
    assert len(whole) == 40_000 * 24
    for at in (0, 1000, 20_000, 39_807, 39_809, 39_999):
        assert store.ranges(RUN, [(SID, at, 300)]) == [whole[at * 24 : (at + 300) * 24]]
    assert store.tails(RUN, [SID], 700) == [whole[-700 * 24 :]]


def test_packed_points_are_no_folded_history(store: RedisRunStore, redis_url: str, seed: Seed) -> None:
    put(seed, 0, 1000)
    pack_oldest(redis_url, 640, SID)
    assert (store.kept(RUN, [SID]), store.folded(RUN, [SID])) == ([0], [b""])
    lean = store.lean(RUN)
    assert lean is not None
    assert not lean.folded
    grids = Grids(store, Reader(store))
    seen = grids.of(stored(store), Shown("local_loss", False))
    assert (seen.floor, seen.grid.shape) == (None, (1, 1000))


def test_a_series_that_was_flushed_and_filled_again_is_read_anew(
    store: RedisRunStore, redis_url: str, seed: Seed
) -> None:
    put(seed, 0, 1000)
    pack_oldest(redis_url, 640, SID)
    assert steps(store.points(RUN, [SID])[0]) == list(range(1000))
    seed.flush()
    assert store.lengths(RUN, [SID]) == [0]
    put(Seed(seed.client), 5, 700)
    assert steps(store.points(RUN, [SID])[0]) == list(range(5, 705))
    pack_oldest(redis_url, 128, SID)
    assert steps(store.ends(RUN, [(SID, 100)])[0]) == list(range(105, 705))


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
    for rank, count in ((1, 640), (2, 512)):
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


@pytest.mark.parametrize("folds", [False, True])
def test_what_is_read_while_series_are_packed_and_folded_is_whole(
    store: RedisRunStore, redis_url: str, seed: Seed, *, folds: bool
) -> None:
    metas = [SeriesMeta(f"log/rank_{rank}/info.log", 0, "local_loss", "local_loss", rank, "log") for rank in range(6)]
    sids = [meta.sid for meta in metas]

    def grow(first: int, count: int) -> None:
        for meta in metas:
            seed.points(points(first, count), metric="local_loss", file=meta.file, rank=meta.rank)

    def work() -> None:
        for turn in range(12):
            grow(400 + turn * 128, 128)
            for sid in sids:
                pack_oldest(redis_url, 128, sid)
                if folds and turn % 3 == 2:
                    fold_oldest(redis_url, 128, sid)

    grow(0, 400)
    worker, reads = Thread(target=work), 0
    worker.start()
    while worker.is_alive() or not reads:
        for block in (*store.ends(RUN, [(sid, 0) for sid in sids]), *store.tails(RUN, sids, 300)):
            found = steps(block)
            whole = [step for step in found if step >= 512 * folds]  # no more than those are folded
            assert (whole, found) == (list(range(found[-1] + 1))[-len(whole) or found[-1] + 1 :], sorted(set(found)))
        places = [(sid, length - 200, 2) for sid, length in zip(sids, store.lengths(RUN, sids), strict=True)]
        pairs = store.ranges(RUN, [] if folds else places)
        assert [steps(block) for block in pairs] == [[at, at + 1] for _, at, _ in places[: len(pairs)]]
        reads += 1
    worker.join()
    assert [block for sid in sids for block in store.ends(RUN, [(sid, 0)])] == list(store.points(RUN, sids))
    assert steps(store.ends(RUN, [(sids[0], 0)])[0])[-1] == 400 + 12 * 128 - 1


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

    @rule(chunks=st.integers(1, 2))
    def is_folded(self, chunks: int) -> None:
        exact = len(truth(self.client)) // POINT_BYTES - self.store.kept(RUN, [SID])[0]
        if exact > chunks * 128 and fold_oldest(self.server.url, chunks * 128, SID):
            put(self.seed, self.count, 1)  # the next commit is what a reader hears of
            self.count += 1

    @rule(chunks=st.integers(1, 2))
    def is_packed(self, chunks: int) -> None:
        if self.client.strlen(schema.points(RUN, SID)) // POINT_BYTES > chunks * 128:
            assert pack_oldest(self.server.url, chunks * 128, SID) == 1

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
