"""Assembled curves are kept while nothing was appended, and no more of them than memory allows."""

from __future__ import annotations

from app import reader as module
from app.reader import Reader, Wanted, default_rank, members, owner
from app.series.weave import POINT_BYTES
from app.store import RedisRunStore
from app.stored import StoredRun
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
    seed.client.flushall()
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
