"""Curves are read once and extended by what is appended, and no more of them are kept than memory allows."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

import pytest
import redis

from app import reader as module
from app.kept import Kept
from app.reader import Reader, Wanted, default_rank, members, owner
from app.series.parts import Line
from app.series.weave import POINT_BYTES
from app.store import RedisRunStore
from app.stored import StoreAway, StoredRun
from collector.wire.records import RunId
from tests.support.redis_server import RedisServer
from tests.support.seed import RUN, Seed, straight

LOSS = Wanted("loss", False, 0)


def stored(store: RedisRunStore) -> StoredRun:
    run = store.run(RUN)
    assert run is not None
    return run


def test_a_curve_is_assembled_once_until_a_point_is_appended(store: RedisRunStore, seed: Seed) -> None:
    reader = Reader(store)
    seed.points(straight(range(10)))
    first = reader.curve(stored(store), LOSS)
    assert reader.curve(stored(store), LOSS) is first
    seed.points([(10, 1_000_010.0, 1.0)])
    assert len(reader.curve(stored(store), LOSS)) == 11


def test_a_refilled_store_of_equal_length_is_assembled_anew(store: RedisRunStore, seed: Seed) -> None:
    reader = Reader(store)
    seed.points(straight(range(10)))
    reader.curve(stored(store), LOSS)
    seed.flush()
    Seed(seed.client).points(straight(range(10), value=50.0))
    assert reader.curve(stored(store), LOSS).values[0] == 50.0


def test_a_curve_that_is_larger_than_the_memory_is_still_answered(store: RedisRunStore, seed: Seed) -> None:
    reader = Reader(store, kept_bytes=module.SMALL + 15 * POINT_BYTES)
    seed.points(straight(range(10)))
    seed.points(straight(range(20)), metric="lr")
    for _ in range(2):
        assert len(reader.curve(stored(store), LOSS)) == 10
        assert len(reader.curve(stored(store), Wanted("lr", False, 0))) == 20
    assert reader.held <= module.SMALL + 15 * POINT_BYTES


def test_files_without_a_rank_are_members_of_the_owners_curve_alone(store: RedisRunStore, seed: Seed) -> None:
    for rank in (0, 7):
        seed.points(straight(range(3)), file=f"log/rank_{rank}/info.log", rank=rank)
    seed.points(straight(range(3)), file="e", rank=None, source="tensorboard")
    run = stored(store)
    assert (owner(run), default_rank(run, "loss", is_tag=False)) == (7, 7)
    assert {meta.rank for _, meta in members(run, Wanted("loss", False, 7))} == {7, None}
    assert {meta.rank for _, meta in members(run, LOSS)} == {0}


def test_a_run_whose_files_name_no_rank_has_a_curve_of_no_rank(store: RedisRunStore, seed: Seed) -> None:
    seed.points(straight(range(3)), file="e", rank=None, source="tensorboard")
    run = stored(store)
    assert owner(run) is None
    assert len(Reader(store).curve(run, Wanted("loss", False, None))) == 3


class Listening(RedisRunStore):
    """Notes which points are asked for."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.asked: list[tuple[str, int]] = []

    def after(self, run_id: RunId, places: Sequence[tuple[str, int]]) -> Sequence[bytes]:
        self.asked += [(sid.rpartition("\x1f")[2], at) for sid, at in places]
        return super().after(run_id, places)


@pytest.fixture
def listening(redis_url: str) -> Iterator[Listening]:
    store = Listening(redis_url)
    yield store
    store.close()


def test_only_what_was_appended_is_read_and_nothing_while_the_stream_stands_still(
    listening: Listening, seed: Seed
) -> None:
    reader = Reader(listening)
    seed.points(straight(range(10)))
    run = stored(listening)
    known = reader.timeline(run)
    for _ in range(3):
        assert reader.timeline(stored(listening)) is known
        reader.curve(stored(listening), LOSS, known)
        reader.line(stored(listening), LOSS, known, attempt="latest")
    assert listening.asked == [("loss", 0), ("loss", 0)]
    seed.points([(10, 1_000_010.0, 1.0)])
    grown = stored(listening)
    assert len(reader.curve(grown, LOSS)) == 11
    assert listening.asked[2:] == [("loss", 9), ("loss", 9)]
    assert len(reader.curve(run, LOSS, known)) == 11  # asked by a page that is a moment behind


def test_pages_that_ask_for_one_curve_at_once_make_it_once(listening: Listening, seed: Seed) -> None:
    reader = Reader(listening)
    seed.points(straight(range(5000)))
    run = stored(listening)
    known = reader.timeline(run)
    listening.asked.clear()
    found: list[Line] = []
    pages = [threading.Thread(target=lambda: found.append(reader.line(run, LOSS, known))) for _ in range(8)]
    for page in pages:
        page.start()
    for page in pages:
        page.join()
    assert len(found) == 8
    assert len({id(one) for one in found}) == 1
    assert listening.asked == [("loss", 0)]


def test_a_store_that_goes_away_in_the_middle_loses_no_point(own_redis: RedisServer) -> None:
    store, seed = RedisRunStore(own_redis.url), Seed(redis.Redis.from_url(own_redis.url))
    reader = Reader(store)
    seed.points(straight(range(10)))
    reader.curve(stored(store), LOSS)
    seed.points(straight(range(10, 20)))
    run, known = stored(store), reader.timeline(stored(store))
    own_redis.stop()
    with pytest.raises(StoreAway):
        reader.line(run, LOSS, known)
    own_redis.start()
    assert reader.curve(stored(store), LOSS).steps.tolist() == list(range(20))
    store.close()


def test_a_new_attempt_is_woven_on(store: RedisRunStore, seed: Seed) -> None:
    reader = Reader(store)
    seed.points(straight(range(1, 221)))
    reader.curve(stored(store), LOSS)
    for steps in (range(201, 240), range(240, 260)):
        began = 1_003_600.0 + steps.start
        seed.points(straight(steps, at=began), generation=1, reason="start_announced" if began < 1_003_802 else "")
        run = stored(store)
        known = reader.timeline(run)
        assert reader.line(run, LOSS, known).curve().attempts.tolist() == reader.curve(run, LOSS).attempts.tolist()
        assert Reader(store).curve(run, LOSS).attempts.tolist() == reader.curve(run, LOSS).attempts.tolist()
    assert known.first_steps == (1, 201)


def test_what_is_kept_is_forgotten_in_the_order_of_its_last_use() -> None:
    made: list[list[int]] = []
    kept = Kept(100, lambda: made.append([]) or made[-1], sum)  # type: ignore[func-returns-value]
    for key, weight in (("a", 40), ("b", 40), ("a", 0), ("c", 40)):
        with kept.using(key) as value:
            value.append(weight)
    assert (kept.held, len(made)) == (80, 4)  # "b" is gone; the fourth was made and not needed
    with kept.using("a") as value:
        assert value == [40, 0]
    with kept.using("d") as value:
        value.append(101)
    assert kept.held == 80


def test_the_series_of_a_run_are_read_again_when_one_is_added_or_the_store_is_another(
    store: RedisRunStore, seed: Seed
) -> None:
    seed.points(straight(range(3)), metric="lr")
    first = stored(store).series
    seed.points(straight(range(3, 6)), metric="lr")
    assert stored(store).series is first
    seed.points(straight(range(3)))
    assert {meta.metric for meta in stored(store).series.values()} == {"lr", "loss"}
    seed.flush()
    for metric in ("tflops", "overflow"):
        Seed(seed.client).points(straight(range(3)), metric=metric)
    assert {meta.metric for meta in stored(store).series.values()} == {"tflops", "overflow"}


def test_attempts_of_files_that_have_only_tags_follow_a_refilled_store(store: RedisRunStore, seed: Seed) -> None:
    reader = Reader(store)
    for tag, count in (("a", 9), ("b", 3)):
        seed.points(straight(range(count)), metric=None, tag=tag)
    assert reader.timeline(stored(store)).attempts[0].last_step == 8
    seed.flush()
    for tag, count in (("b", 5), ("a", 0)):
        Seed(seed.client).points(straight(range(count)), metric=None, tag=tag)
    assert reader.timeline(stored(store)).attempts[0].last_step == 4
