"""A fold changes a series in one step, or not at all; on a real Redis."""

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
from collector.store import Store
from collector.wire import schema
from collector.wire.folded import head_of, kept_of
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


def fold_oldest(store: Store, points: int) -> int:
    fronts = store.shelf.fronts(RUN, {LOSS.sid: points * 24})
    return store.shelf.fold(RUN, [(one, fold(one.block)) for one in fronts])


def steps(store: Store) -> list[int]:
    return [step for step, _, _ in unpack_points(store.points(RUN, [LOSS.sid])[0])]


def test_folded_points_make_room_and_the_others_stay(store: Store, redis_client: redis.Redis) -> None:
    commit(store, None, 0, 1000)
    assert fold_oldest(store, 640) == 1
    exact, folded = store.shelf.sizes(RUN, [LOSS.sid])[0]
    assert (exact, store.shelf.counts(RUN, [LOSS.sid])) == (360 * 24, [640])
    assert folded < 640 * 2
    found = steps(store)
    assert found[-360:] == list(range(640, 1000))
    assert found == sorted(found)
    assert (found[0], found[-361]) == (0, 639)
    assert redis_client.get(schema.folded(RUN, LOSS.sid)) is not None


def test_a_fold_of_what_another_collector_folded_already_changes_nothing(store: Store) -> None:
    commit(store, None, 0, 1000)
    (front,) = store.shelf.fronts(RUN, {LOSS.sid: 128 * 24})
    assert store.shelf.fold(RUN, [(front, fold(front.block))]) == 1
    before = store.points(RUN, [LOSS.sid])
    assert store.shelf.fold(RUN, [(front, fold(front.block))]) == 0
    assert store.points(RUN, [LOSS.sid]) == before


def test_a_fold_of_what_a_flush_took_changes_nothing(store: Store, redis_client: redis.Redis) -> None:
    commit(store, None, 0, 1000)
    (front,) = store.shelf.fronts(RUN, {LOSS.sid: 128 * 24})
    redis_client.flushall()
    assert store.shelf.fold(RUN, [(front, fold(front.block))]) == 0
    assert redis_client.keys() == []
    commit(store, None, 1, 1000)  # the files were other ones by then
    assert store.shelf.fold(RUN, [(front, fold(front.block))]) == 0
    assert steps(store) == list(range(1, 1001))


def test_a_commit_between_reading_and_folding_is_kept(store: Store) -> None:
    cursor = commit(store, None, 0, 1000)
    (front,) = store.shelf.fronts(RUN, {LOSS.sid: 128 * 24})
    commit(store, cursor, 1000, 10)
    assert store.shelf.fold(RUN, [(front, fold(front.block))]) == 1
    assert steps(store)[-882:] == list(range(128, 1010))


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
    """Commits, folds that are late, flushes and roll-backs in any order: every point is there, exact or folded."""

    server: RedisServer

    @initialize()
    def begin(self) -> None:
        self.client = redis.Redis.from_url(self.server.url)
        self.client.flushall()
        self.store = Store(self.server.url)
        self.cursor: Cursor | None = None
        self.late: list[Front] = []
        self.saved: tuple[dict[bytes, bytes], Cursor | None] = ({}, None)

    @rule(count=st.integers(1, 300))
    def appends(self, count: int) -> None:
        self.cursor = commit(self.store, self.cursor, self.cursor.offset if self.cursor else 0, count)

    @rule(buckets=st.integers(1, 4))
    def reads(self, buckets: int) -> None:
        exact, _ = self.store.shelf.sizes(RUN, [LOSS.sid])[0]
        if exact >= buckets * 64 * 24:
            self.late += self.store.shelf.fronts(RUN, {LOSS.sid: buckets * 64 * 24})

    @rule(data=st.data())
    def folds(self, data: st.DataObject) -> None:
        if self.late:
            front = data.draw(st.sampled_from(self.late))
            self.store.shelf.fold(RUN, [(front, fold(front.block))])

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
        block = cast(bytes, self.client.get(schema.points(RUN, LOSS.sid)) or b"")
        count = self.cursor.offset if self.cursor else 0
        folded, length = head_of(text)
        assert [step for step, _, _ in unpack_points(block)] == list(range(folded, count))
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
