"""The same run on one Redis and on a cluster is the same to whoever reads it, whatever is asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from app.cluster_store import ClusterRunStore, opened
from app.merging import in_order
from app.store import RedisRunStore
from app.stored import START, StoreAway, StoredRun
from collector.batch import Batch, Committed, Progress
from collector.store import Store
from collector.wire.records import (
    Cursor,
    Heartbeat,
    RunEvent,
    RunId,
    RunRecord,
)
from tests.support.committing import RANKS, RUN, Writer, file, history, meta
from tests.support.folding import fold_oldest, pack_oldest
from tests.support.redis_cluster import RedisCluster, free_ports
from tests.support.waiting import eventually

Reads = RedisRunStore | ClusterRunStore


@pytest.fixture
def collected(empty_cluster: RedisCluster) -> Iterator[Store]:
    found = Store(empty_cluster.url)
    found.check()
    yield found
    found.close()


@pytest.fixture
def store(empty_cluster: RedisCluster) -> Iterator[ClusterRunStore]:
    found = opened(empty_cluster.url)
    assert isinstance(found, ClusterRunStore)
    yield found
    found.close()


@pytest.fixture
def both(redis_url: str, collected: Store, store: ClusterRunStore) -> Iterator[tuple[Writer, Sequence[Reads]]]:
    plain, single = Store(redis_url), RedisRunStore(redis_url)
    yield Writer([plain, collected]), (single, store)
    plain.close()
    single.close()


def read(store: Reads) -> StoredRun:
    found = store.run(RUN)
    assert found is not None
    return found


def small(run: StoredRun) -> dict[str, Any]:
    """All of it but the stream's ids, which each server makes."""
    return {
        **{name: getattr(run, name) for name in ("record", "created", "committed", "series", "cursors", "facts")},
        "generations": list(run.generations),
        "events": list(run.events),
    }


def asked(store: Reads, sids: Sequence[str]) -> list[Any]:
    """Every way to ask for points."""
    places = [(sid, place) for place, sid in enumerate(sids)]
    return [
        list(store.lengths(RUN, sids)),
        list(store.points(RUN, sids)),
        list(store.kept(RUN, sids)),
        list(store.folded(RUN, sids)),
        list(store.heads(RUN, sids)),
        list(store.tails(RUN, sids, 3)),
        list(store.after(RUN, places)),
        list(store.ends(RUN, places)),
        list(store.ranges(RUN, [(sid, place, 5) for sid, place in places])),
        [store.points_at(RUN, sid, [0, 2, 10_000]) for sid in sids],
    ]


def test_a_cluster_tells_what_one_redis_tells(both: tuple[Writer, Sequence[Reads]]) -> None:
    writer, (single, spread) = both
    history(writer, seed=1)
    assert small(read(spread)) == small(read(single))
    sids = sorted(read(single).series)
    assert len(sids) > RANKS
    assert asked(spread, sids) == asked(single, sids)
    assert asked(spread, []) == asked(single, [])
    assert spread.events(RUN).events == single.events(RUN).events
    assert spread.events(RUN).total == single.events(RUN).total
    assert spread.hosts(RUN) == single.hosts(RUN)
    assert (spread.runs(), spread.version()) == (single.runs(), single.version())
    name = lambda one: one.file  # noqa: E731
    assert sorted(spread.cursors(RUN), key=name) == sorted(single.cursors(RUN), key=name)
    assert lean(spread) == lean(single)


def lean(store: Reads) -> tuple[Any, ...]:
    found = store.lean(RUN)
    assert found is not None
    return found.series, list(found.generations), found.facts, found.folded


def test_it_does_so_when_older_points_are_packed_and_folded(
    both: tuple[Writer, Sequence[Reads]], redis_url: str, empty_cluster: RedisCluster
) -> None:
    writer, (single, spread) = both
    for rank in range(RANKS):
        writer.write(rank, range(600))
    sids = sorted(read(single).series)
    for url in (redis_url, empty_cluster.url):
        assert [pack_oldest(url, 384, sid, RUN) for sid in sids[::2]] == [1] * RANKS
    assert asked(spread, sids) == asked(single, sids)
    assert not lean(spread)[-1]
    before = asked(spread, sids)
    for url in (redis_url, empty_cluster.url):
        assert [fold_oldest(url, 256, sid, RUN) for sid in sids[::4]] == [1] * (RANKS // 2)
    assert asked(spread, sids) == asked(single, sids) != before
    assert lean(spread) == lean(single)
    assert lean(spread)[-1]


def test_what_was_read_is_the_same_object_until_something_is_added(both: tuple[Writer, Sequence[Reads]]) -> None:
    writer, (_, spread) = both
    history(writer, seed=2)
    series, events = read(spread).series, spread.events(RUN)
    assert read(spread).series is series
    assert spread.events(RUN) is events
    writer.write(0, range(5000, 5001), generation=2)
    assert read(spread).series.keys() - series.keys() == {meta(0, 2, name).sid for name in ("loss", "lr")}
    assert spread.events(RUN).total == events.total + 1


def test_a_run_that_is_not_there(store: ClusterRunStore) -> None:
    assert store.runs() == []
    assert store.run(RUN) is store.lean(RUN) is store.version() is None
    assert store.heartbeats() == []
    assert store.live_after(RUN, START) == []


def test_a_run_that_began_before_runs_were_spread_is_read_and_goes_on(
    empty_cluster: RedisCluster, store: ClusterRunStore
) -> None:
    older = Store(empty_cluster.url, shards=0)
    writer = Writer([older])
    writer.write(1, range(10))
    older.close()
    newer = Store(empty_cluster.url)
    newer.check()
    assert newer.versions([RUN]) == ["1000001.000000"]
    writer.stores = [newer]
    writer.write(1, range(10, 20))
    writer.write(2, range(5))
    newer.close()
    assert store.lengths(RUN, [meta(1).sid, meta(2).sid]) == [20, 5]
    assert set(read(store).cursors) == {file(1), file(2)}
    assert not any(one.keys("tw:{" + RUN + ":*") for one in empty_cluster.primaries)


def test_signs_of_life_and_marks_are_gathered_from_all_nodes(collected: Store, store: ClusterRunStore) -> None:
    runs = [RunId(f"run_{number}") for number in range(30)]
    for number in range(20):
        collected.beat(Heartbeat(f"host-{number}:1", f"host-{number}", 1, (), 1.0, 1, 1, 1), runs)
    assert sorted(one.host for one in store.heartbeats()) == sorted(f"host-{number}" for number in range(20))
    assert store.runs() == sorted(runs)
    before = store.marks(runs)
    assert len(before) == len(runs)
    progress = Progress(None, Cursor("info.log", "log", 0, offset=5))
    collected.commit(Batch(RunRecord(runs[7], "seven", "/seven"), (progress,)), 5.0)
    assert [place for place, one in enumerate(store.marks(runs)) if one != before[place]] == [7]


def test_open_pages_hear_of_runs_on_every_node(collected: Store, store: ClusterRunStore) -> None:
    runs = [RunId(f"run_{number}") for number in range(12)]
    for run in runs:
        assert_committed(collected, run, None, 1)
    follower = store.follow()
    positions = {run: store.live_before(run, "+", 1)[0].id for run in runs}
    assert follower.read(positions, 0.01) == {}
    for run in runs:
        assert_committed(collected, run, 1, 2)
    heard: dict[RunId, list[str]] = {}

    def hear() -> bool:
        for run, entries in follower.read(positions, 1.0).items():
            heard.setdefault(run, []).extend(entry.id for entry in entries)
            positions[run] = entries[-1].id
        return len(heard) == len(runs)

    eventually(hear)
    assert all(len(ids) == 1 for ids in heard.values())
    waited = threading.Thread(target=lambda: follower.read(positions, 30.0))
    waited.start()
    follower.wake()
    waited.join(timeout=5)
    assert not waited.is_alive()
    follower.close()


def assert_committed(store: Store, run: RunId, before: int | None, after: int) -> None:
    known = None if before is None else Cursor("info.log", "log", 0, offset=before).encode()
    batch = Batch(RunRecord(run, run, "/x"), (Progress(known, Cursor("info.log", "log", 0, offset=after)),))
    assert isinstance(store.commit(batch, float(after)), Committed)


def test_a_slot_that_has_moved_is_found_again(
    empty_cluster: RedisCluster, collected: Store, store: ClusterRunStore
) -> None:
    """The primary and its replica change places, as for maintenance."""
    assert_committed(collected, RUN, None, 1)
    assert read(store).cursors["info.log"].offset == 1
    for to, other in ((empty_cluster.replica, empty_cluster.primary), (empty_cluster.primary, empty_cluster.replica)):
        eventually(to.follows, seconds=10)
        to.ask("CLUSTER FAILOVER", "TAKEOVER")
        eventually(lambda to=to, other=other: to.leads() and not other.leads(), seconds=10)
        eventually(lambda: is_read(store, lambda: read(store).cursors["info.log"].offset == 1), seconds=10)


def is_read(store: ClusterRunStore, question: Callable[[], bool]) -> bool:
    try:
        return question()
    except StoreAway:
        return False


def test_a_cluster_that_is_away_is_said_so_at_the_first_question() -> None:
    store = opened(f"redis+cluster://127.0.0.1:{free_ports(1)[0]}")
    with pytest.raises(StoreAway):
        store.runs()
    follower = store.follow()
    with pytest.raises(StoreAway):
        follower.read({RUN: START}, 0.1)
    follower.close()
    store.close()


def test_an_address_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="Port"):
        opened("redis+cluster://127.0.0.1:7000,127.0.0.1:letters")


def test_lines_of_shards_are_put_in_order_by_their_clocks() -> None:
    def event(wall: float | None, text: str) -> RunEvent:
        return RunEvent("error", None, wall, text)

    one = [event(1, "a"), event(None, "b"), event(5, "c"), event(4, "d")]
    two = [event(2, "e"), event(None, "f"), event(6, "g")]
    assert "".join(found.text for found in in_order([one, two])) == "abefcdg"
    assert in_order([]) == []


def test_pages_of_a_plain_redis_are_read_as_before(redis_url: str) -> None:
    store = opened(redis_url)
    assert isinstance(store, RedisRunStore)
    store.close()
