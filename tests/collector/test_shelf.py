"""Packing and folding change a series in one step, or not at all; on a real Redis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import pytest
import redis
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from collector.batch import Batch, Progress
from collector.fold import Front, fold
from collector.normalise import Block
from collector.pack import Loose, pack
from collector.store import Store
from collector.wire import schema
from collector.wire.folded import head_of, kept_of
from collector.wire.packed import count_of, points_of
from collector.wire.records import Cursor, pack_point, unpack_points
from tests.collector.test_store import LOSS, RUN, START, batch
from tests.support.redis_server import RedisServer


@pytest.fixture
def store(redis_url: str) -> Iterator[Store]:
    one = Store(redis_url)
    yield one
    one.close()


def commit(store: Store, before: Cursor | None, first: int, count: int) -> Cursor:
    """So many more steps of one series; the cursor's offset is the next step."""
    after = replace(START, offset=first + count)
    points = b"".join(pack_point(step, 1e9 + step, step % 7) for step in range(first, first + count))
    progress = Progress(before.encode() if before else None, after)
    store.commit(Batch(batch(before, after).run, (progress,), (Block(LOSS, points),)), 1.0)
    return after


def loose(store: Store, points: int) -> Loose:
    (found,) = store.shelf.loose(RUN, {LOSS.sid: points})
    return found


def put(store: Store, one: Loose) -> int:
    return sum(store.shelf.pack(RUN, list(zip([one], pack([one.block]), strict=True))))


def pack_oldest(store: Store, points: int) -> int:
    return put(store, loose(store, points))


def fold_oldest(store: Store, points: int) -> int:
    fronts = store.shelf.fronts(RUN, {LOSS.sid: points})
    return store.shelf.fold(RUN, [(one, fold(one.block)) for one in fronts])


def steps(store: Store) -> list[int]:
    return [step for step, _, _ in unpack_points(store.points(RUN, [LOSS.sid])[0])]


def test_folded_points_make_room_and_the_others_stay(store: Store, redis_client: redis.Redis) -> None:
    commit(store, None, 0, 1000)
    assert pack_oldest(store, 768) == 1
    assert fold_oldest(store, 640) == 1
    (size,) = store.shelf.sizes(RUN, [LOSS.sid])
    assert (size.exact, size.packed_points, store.shelf.counts(RUN, [LOSS.sid])) == (232 * 24, 128, [640])
    assert size.folded < 640 * 2
    found = steps(store)
    assert found[-360:] == list(range(640, 1000))
    assert found == sorted(found)
    assert (found[0], found[-361]) == (0, 639)
    assert redis_client.get(schema.folded(RUN, LOSS.sid)) is not None
    assert fold_oldest(store, 128) == 1
    assert redis_client.exists(schema.packed(RUN, LOSS.sid)) == 0
    assert steps(store)[-232:] == list(range(768, 1000))


def test_packed_points_take_less_and_are_the_same(store: Store) -> None:
    commit(store, None, 0, 2000)
    before = store.points(RUN, [LOSS.sid])
    for points in (128, 1280, 256):
        assert pack_oldest(store, points) == 1
        assert store.points(RUN, [LOSS.sid]) == before
    (size,) = store.shelf.sizes(RUN, [LOSS.sid])
    assert (size.exact, size.packed_points, size.folded) == (336 * 24, 1664, 0)
    assert size.packed < 8.25 * 1664


def test_a_front_longer_than_one_look_is_read_whole(store: Store) -> None:
    commit(store, None, 0, 80_000)
    assert pack_oldest(store, 79_872) == 1
    assert pack_oldest(store, 128) == 1
    assert fold_oldest(store, 128) == 1
    assert steps(store)[-79_872:] == list(range(128, 80_000))


def test_what_another_collector_packed_or_folded_already_is_left_alone(store: Store) -> None:
    commit(store, None, 0, 1000)
    one = loose(store, 256)
    assert [put(store, one), put(store, one)] == [1, 0]
    (front,) = store.shelf.fronts(RUN, {LOSS.sid: 128})
    assert store.shelf.fold(RUN, [(front, fold(front.block))]) == 1
    before = store.points(RUN, [LOSS.sid])
    assert store.shelf.fold(RUN, [(front, fold(front.block))]) == 0
    assert put(store, one) == 0
    assert store.points(RUN, [LOSS.sid]) == before


def test_what_a_flush_took_is_not_put_back(store: Store, redis_client: redis.Redis) -> None:
    commit(store, None, 0, 1000)
    pack_oldest(store, 256)
    one, (front,) = loose(store, 128), store.shelf.fronts(RUN, {LOSS.sid: 128})
    redis_client.flushall()
    assert [put(store, one), store.shelf.fold(RUN, [(front, fold(front.block))])] == [0, 0]
    assert redis_client.keys() == []
    commit(store, None, 1, 1000)  # the files were other ones by then
    pack_oldest(store, 256)
    assert [put(store, one), store.shelf.fold(RUN, [(front, fold(front.block))])] == [0, 0]
    assert steps(store) == list(range(1, 1001))


def test_a_commit_between_reading_and_writing_is_kept(store: Store) -> None:
    cursor = commit(store, None, 0, 1000)
    one = loose(store, 256)
    cursor = commit(store, cursor, 1000, 10)
    assert put(store, one) == 1
    (front,) = store.shelf.fronts(RUN, {LOSS.sid: 128})
    commit(store, cursor, 1010, 10)
    assert store.shelf.fold(RUN, [(front, fold(front.block))]) == 1
    assert steps(store)[-892:] == list(range(128, 1020))


def test_more_that_is_packed_between_reading_and_folding_hinders_the_fold(store: Store) -> None:
    commit(store, None, 0, 1000)
    pack_oldest(store, 256)
    (front,) = store.shelf.fronts(RUN, {LOSS.sid: 128})
    pack_oldest(store, 128)
    assert store.shelf.fold(RUN, [(front, fold(front.block))]) == 0
    assert steps(store) == list(range(1000))


def test_the_register_is_read_in_pieces(store: Store, redis_client: redis.Redis) -> None:
    commit(store, None, 0, 1)
    for number in range(2000):
        meta = replace(LOSS, tag=f"norm/{number}")
        redis_client.hset(schema.series(RUN), meta.sid, meta.encode())
    at, found = store.shelf.described(RUN, 0)
    assert 0 < len(found) < 2000
    while at:
        at, some = store.shelf.described(RUN, at)
        found += some
    assert {one.tag for one in found} == {"loss", *(f"norm/{number}" for number in range(2000))}


class Folding(RuleBasedStateMachine):
    """Commits, packing and folds that are late, flushes and roll-backs in any order: every point is there, exact or
    folded."""

    server: RedisServer

    @initialize()
    def begin(self) -> None:
        self.client = redis.Redis.from_url(self.server.url)
        self.client.flushall()
        self.store = Store(self.server.url)
        self.cursor: Cursor | None = None
        self.late: list[Front] = []
        self.loose: list[Loose] = []
        self.saved: tuple[dict[bytes, bytes], Cursor | None] = ({}, None)

    @rule(count=st.integers(1, 400))
    def appends(self, count: int) -> None:
        self.cursor = commit(self.store, self.cursor, self.cursor.offset if self.cursor else 0, count)

    @rule(chunks=st.integers(1, 4))
    def reads(self, chunks: int) -> None:
        self.late += self.store.shelf.fronts(RUN, {LOSS.sid: chunks * 128})
        self.loose += [one for one in self.store.shelf.loose(RUN, {LOSS.sid: chunks * 128}) if one.block]

    @rule(data=st.data())
    def folds(self, data: st.DataObject) -> None:
        if self.late:
            front = data.draw(st.sampled_from(self.late))
            if front.count:
                self.store.shelf.fold(RUN, [(front, fold(front.block))])

    @rule(data=st.data())
    def packs(self, data: st.DataObject) -> None:
        if self.loose:
            put(self.store, data.draw(st.sampled_from(self.loose)))

    @rule(chunks=st.integers(1, 4))
    def packs_at_once(self, chunks: int) -> None:
        if (one := loose(self.store, chunks * 128)).block:
            assert put(self.store, one) == 1

    @rule()
    def is_flushed(self) -> None:
        self.client.flushall()
        self.cursor = None

    @rule()
    def is_saved(self) -> None:
        dumped = {key: self.client.dump(key) for key in self.client.scan_iter()}
        self.saved = {key: text for key, text in dumped.items() if text is not None}, self.cursor

    @rule()
    def is_rolled_back(self) -> None:
        self.client.flushall()
        for key, text in self.saved[0].items():
            self.client.restore(key, 0, text)
        self.cursor = self.saved[1]

    def teardown(self) -> None:
        text = cast(bytes, self.client.get(schema.folded(RUN, LOSS.sid)) or b"")
        packed = cast(bytes, self.client.get(schema.packed(RUN, LOSS.sid)) or b"")
        block = cast(bytes, self.client.get(schema.points(RUN, LOSS.sid)) or b"")
        count = self.cursor.offset if self.cursor else 0
        folded, length = head_of(text)
        exact = [step for step, _, _ in unpack_points(points_of(packed) + block)]
        assert exact == list(range(folded, count))
        assert len(exact) == count_of(packed) + len(block) // 24
        kept = [step for step, _, _ in unpack_points(kept_of(text))]
        assert len(kept) == length
        assert kept == sorted(set(kept))
        assert all(step < folded for step in kept)
        self.store.close()
        self.client.close()


def test_no_history_of_folds_loses_or_doubles_a_point(redis_server: RedisServer) -> None:
    Folding.server = redis_server
    few = settings(max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(Folding, settings=few)
