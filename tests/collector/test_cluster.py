"""A run in Redis Cluster: spread over its nodes, and a primary that dies loses and doubles nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import redis

from collector.batch import Batch, Committed, Progress
from collector.config import masked
from collector.errors import StoreAway
from collector.post import RedisPost
from collector.retention import Retention
from collector.store import Store
from collector.wire import schema
from collector.wire.address import nodes_of
from collector.wire.records import POINT_BYTES, Cursor, RunId, RunRecord
from collector.wire.shards import SHARDS, number
from tests.support import committing, growing, ledger
from tests.support.committing import Writer, history, meta
from tests.support.following import Follower, following
from tests.support.growing import Job
from tests.support.redis_cluster import RedisCluster, free_ports
from tests.support.waiting import eventually

RUN = RunId("job_a")
MANY = 24 * 200


@pytest.fixture(autouse=True)
def clocks_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


@pytest.fixture
def cluster() -> Iterator[RedisCluster]:
    found = RedisCluster(schema.run(RUN))
    try:
        yield found.start()
    finally:
        found.close()


def test_a_url_names_nodes_and_keeps_its_password_to_itself() -> None:
    url = "rediss+cluster://me:secret@a:1,b:2"
    for behind in ("", "/", "?ssl_ca_certs=/x", "/?ssl_ca_certs=/x"):
        assert nodes_of(url + behind) == [f"rediss://me:secret@{host}{behind}" for host in ("a:1", "b:2")]
    assert nodes_of("unix:///run/redis?db=1") == ["unix:///run/redis?db=1"]
    assert "secret" not in masked(url)


def test_a_cluster_that_is_away_is_said_so() -> None:
    with pytest.raises(StoreAway):
        Store(f"redis+cluster://127.0.0.1:{free_ports(1)[0]}")


@pytest.fixture
def client(empty_cluster: RedisCluster) -> Iterator[redis.RedisCluster]:
    found = redis.RedisCluster.from_url(empty_cluster.primary.url)
    yield found
    found.close()


@pytest.fixture
def store(empty_cluster: RedisCluster) -> Iterator[Store]:
    found = Store(empty_cluster.url)
    found.check()
    yield found
    found.close()


def entries(client: redis.RedisCluster) -> list[dict[str, Any]]:
    """What open pages of the run were told."""
    found = client.xrange(schema.live(committing.RUN))
    return [json.loads(fields[schema.LIVE_FIELD.encode()]) for _, fields in found]


def test_points_of_one_run_lie_on_every_node(empty_cluster: RedisCluster, store: Store) -> None:
    history(Writer([store]), seed=3)
    for node in empty_cluster.primaries:
        assert node.keys("tw:{" + committing.RUN + ":*:points:*")
    assert [key for node in empty_cluster.primaries for key in node.keys("tw:{" + committing.RUN + "}:points:*")] == []


def test_a_page_reads_again_at_the_first_commit_of_a_process_and_hears_points_then(
    empty_cluster: RedisCluster, store: Store, client: redis.RedisCluster
) -> None:
    writer = Writer([store])
    for rank in range(3):
        writer.write(rank, range(2))
    assert [(one["reload"], len(one["p"])) for one in entries(client)] == [(True, 0), (False, 4), (False, 4)]
    second = Store(empty_cluster.url)
    writer.stores = [second]
    writer.write(3, range(2))
    second.close()
    assert [one["reload"] for one in entries(client)][3:] == [True]


def test_pages_read_again_after_points_were_lost(store: Store, client: redis.RedisCluster) -> None:
    """A replica took over that had not got the last commit of a shard."""
    writer = Writer([store])
    for step in range(3):
        writer.write(5, range(step, step + 1))
    home = store.home(committing.RUN, committing.file(5))
    client.delete(schema.points(home, meta(5).sid), schema.cursors(home), schema.run(home))
    store.doubt(committing.RUN)  # as a collector does that sees the cursor of its file behind (test_spread)
    writer.cursors.clear()
    writer.write(5, range(3))
    writer.write(5, range(3, 4))
    assert [one["reload"] for one in entries(client)] == [True, False, False, True, False]


def test_a_commit_that_was_not_told_before_a_crash_is_told(
    empty_cluster: RedisCluster, store: Store, client: redis.RedisCluster
) -> None:
    writer = Writer([store])
    for rank in range(8):
        writer.write(rank, range(2))
    run, shard = schema.run(committing.RUN), number(committing.file(7), SHARDS)
    told = client.hget(run, schema.told_field(shard))
    client.hset(run, schema.told_field(shard), "1.0")  # the commit is there, and its announcement is not
    other = Store(empty_cluster.url)
    other.versions([committing.RUN])  # it may be on its way
    assert len(entries(client)) == 8
    other.versions([committing.RUN])
    assert entries(client)[8:] == [{"p": [], "n": 1, "e": 1, "reload": True}]
    assert client.hget(run, schema.told_field(shard)) == told
    other.versions([committing.RUN])
    assert len(entries(client)) == 9
    other.close()


def test_what_is_said_of_the_run_is_put_back_when_its_node_lost_it(store: Store, client: redis.RedisCluster) -> None:
    writer = Writer([store])
    for rank in range(8):
        writer.write(rank, range(2))
    version = store.versions([committing.RUN])
    before = store.record(committing.RUN)
    client.delete(schema.run(committing.RUN), schema.live(committing.RUN))
    assert store.versions([committing.RUN]) == version
    assert store.versions([committing.RUN]) == version
    assert store.record(committing.RUN) == before == committing.RECORD
    assert client.hget(schema.run(committing.RUN), schema.SHARDS_FIELD) == str(SHARDS).encode()
    assert [one["reload"] for one in entries(client)] == [True]


def test_a_run_keeps_the_number_of_shards_that_it_began_with(empty_cluster: RedisCluster, store: Store) -> None:
    few = Store(empty_cluster.url, shards=4)
    writer = Writer([few])
    for rank in range(8):
        writer.write(rank, range(3))
    assert store.versions([committing.RUN]) == few.versions([committing.RUN])
    writer.stores = [store]
    for rank in range(8):
        writer.write(rank, range(3, 6))
    few.close()
    fresh = Store(empty_cluster.url)
    assert [len(one) for one in fresh.points(committing.RUN, [meta(rank).sid for rank in range(8)])] == [
        6 * POINT_BYTES
    ] * 8
    fresh.close()
    assert not any(node.keys("tw:{" + committing.RUN + ":04}:*") for node in empty_cluster.primaries)


def test_two_collectors_that_begin_a_run_at_once_agree_on_its_shards(empty_cluster: RedisCluster, store: Store) -> None:
    few = Store(empty_cluster.url, shards=4)
    assert store.versions([committing.RUN]) == few.versions([committing.RUN]) == [None]
    Writer([few]).write(1, range(3))
    writer = Writer([store])
    writer.write(2, range(3))
    assert sorted(store.cursors(committing.RUN)) == [committing.file(1), committing.file(2)]
    few.close()


def test_every_version_of_a_shard_counts(store: Store) -> None:
    """What a commit says of before and after, so that a change by somebody else is noticed."""
    writer = Writer([store])
    writer.write(1, range(3))
    known = store.versions([committing.RUN])[0]
    cursor = replace(writer.cursors[9] if 9 in writer.cursors else Cursor(committing.file(9), "log", 9), offset=4)
    answer = store.commit(Batch(committing.RECORD, (Progress(None, cursor),)), 2e6)
    assert isinstance(answer, Committed)
    assert answer.before == known != answer.version
    assert store.versions([committing.RUN]) == [answer.version]


def test_of_many_runs_every_change_is_noticed(
    empty_cluster: RedisCluster, store: Store, client: redis.RedisCluster
) -> None:
    runs = [RunId(f"run_{number}") for number in range(200)]
    assert store.versions(runs) == [None] * len(runs)
    for run in runs:
        progress = Progress(None, Cursor("info.log", "log", 0, offset=5))
        assert isinstance(store.commit(Batch(RunRecord(run, run, "/x"), (progress,)), 5.0), Committed)
    known = store.versions(runs)
    assert None not in known
    assert store.versions(runs) == known
    other = Store(empty_cluster.url)
    progress = Progress(None, Cursor("other.log", "log", 1, offset=5))
    other.commit(Batch(RunRecord(runs[150], "", "/x"), (progress,)), 6.0)
    other.close()
    now = store.versions(runs)
    assert [place for place in range(200) if now[place] != known[place]] == [150]
    home = store.home(runs[7], "info.log")  # a replica took over that lacks a shard
    client.delete(schema.run(home), schema.cursors(home))
    turns = [store.versions(runs) for _ in range(5)]
    assert any(turn[7] != now[7] for turn in turns), "each is looked at in its turn"
    client.delete(schema.run(runs[190]))  # and here the run's own slot was lost
    turns = [store.versions(runs) for _ in range(2)]
    assert client.hget(schema.run(runs[190]), "name") == runs[190].encode()


def test_two_collectors_of_one_run_do_not_make_pages_read_again(
    empty_cluster: RedisCluster, store: Store, client: redis.RedisCluster
) -> None:
    other = Store(empty_cluster.url)
    mine, theirs = Writer([store]), Writer([other], clock=999_000.0)
    for step in range(4):
        mine.write(1, range(step, step + 1))
        theirs.write(2, range(step, step + 1))
        store.versions([committing.RUN])
    other.close()
    assert [one["reload"] for one in entries(client)] == [True, True, *[False] * 6]


def test_all_series_are_looked_through_once_and_folded_where_they_lie(store: Store) -> None:
    writer = Writer([store])
    for rank in range(committing.RANKS):
        writer.write(rank, range(2000))
    at, found = -1, list[str]()
    while at:
        at, some = store.shelf.described(committing.RUN, max(at, 0))
        found += [one.sid for one in some]
    assert sorted(found) == [one.sid for one in store.series(committing.RUN)]
    budget = 12 * 2000 * 24
    retention = Retention(budget, store.shelf, {committing.RUN: Followed()})
    now = 0.0
    while (wait := retention.turn(now)) < 1.0:
        now += wait
    sizes = dict(zip(found, store.shelf.sizes(committing.RUN, found), strict=True))
    assert sum(one.bytes for one in sizes.values()) < budget
    folded = dict(zip(found, store.shelf.counts(committing.RUN, found), strict=True))
    assert (sizes[meta(0).sid].packed_points, folded[meta(0).sid]) == (0, 0)  # it speaks for the run
    assert sizes[meta(1).sid].exact < 2000 * POINT_BYTES
    assert folded[meta(1).sid] > 0


@dataclass
class Followed:
    """A run as the roster knows it."""

    version: str | None = "1.0"


def test_a_question_is_awaited_wherever_the_page_listens(empty_cluster: RedisCluster) -> None:
    post = RedisPost(f"redis+cluster://127.0.0.1:{empty_cluster.nodes[0].port}")
    assert not post.is_awaited("q1")
    with redis.Redis.from_url(empty_cluster.nodes[4].url) as other, other.pubsub() as ear:
        ear.subscribe(schema.answer("q1"))
        eventually(lambda: post.is_awaited("q1"))
        assert post.take(0.01) is None  # it listens now
        other.publish(schema.ASKS, "text")
        assert eventually(lambda: post.take(0.1)) == b"text"
        post.reply("q1", "answer")
        assert eventually(lambda: (ear.get_message() or {}).get("data") == b"answer")
    post.close()


def test_the_desk_goes_on_at_another_node(empty_cluster: RedisCluster) -> None:
    post = RedisPost(f"redis+cluster://127.0.0.1:{free_ports(1)[0]},127.0.0.1:{empty_cluster.nodes[1].port}")
    with pytest.raises(StoreAway):
        post.take(0.01)
    assert post.take(0.01) is None
    post.close()


def stored_bytes(cluster: RedisCluster) -> int:
    """Bytes of points that the store can be asked for, 0 while it is away."""
    try:
        store = Store(cluster.url)
        try:
            return sum(map(len, store.points(RUN, [meta.sid for meta in store.series(RUN)])))
        finally:
            store.close()
    except StoreAway:
        return 0


@pytest.mark.timeout(120)
@pytest.mark.parametrize("behind", [False, True], ids=["whole replica", "replica that lacks commits"])
def test_a_primary_that_dies_loses_and_doubles_nothing(tmp_path: Path, cluster: RedisCluster, behind: bool) -> None:
    root = tmp_path / RUN
    Job(root).prepare()
    with following(root, cluster.url) as follower:
        with growing.writer(root):
            eventually(lambda: stored_bytes(cluster) > MANY, seconds=30, every=0.2)
            if behind:
                cluster.fall_behind(cluster.primary)
                before = stored_bytes(cluster)
                eventually(lambda: stored_bytes(cluster) > before + MANY, seconds=30, every=0.2)
            cluster.depose(cluster.primary, behind=behind)
            later = stored_bytes(cluster)
            eventually(lambda: stored_bytes(cluster) > later + MANY, seconds=30, every=0.2)
        eventually(lambda: ledger.agrees(root, cluster.url), seconds=30, every=0.3)
        assert "Redis answers again" in follower.said
    assert ledger.differences(root, cluster.url) == []
    with following(root, cluster.url):
        Job(root).append(1_000_000)
        eventually(lambda: ledger.agrees(root, cluster.url), seconds=30, every=0.3)


def test_a_cluster_that_comes_later_is_waited_for(tmp_path: Path) -> None:
    root = tmp_path / RUN
    Job(root).prepare().append(1)
    later = RedisCluster(schema.run(RUN))
    follower = Follower(root, later.url)
    follower.start()
    try:
        eventually(lambda: "does not take commands" in follower.said, seconds=15)
        later.start()
        eventually(lambda: ledger.agrees(root, later.url), seconds=20, every=0.3)
        assert follower.stop() == 0
    finally:
        follower.close()
        later.close()


def test_a_collector_that_waits_for_a_cluster_stops_when_it_is_asked_to(tmp_path: Path) -> None:
    Job(tmp_path / RUN).prepare()
    follower = Follower(tmp_path, f"redis+cluster://127.0.0.1:{free_ports(1)[0]}")
    follower.start()
    try:
        eventually(lambda: "does not take commands" in follower.said, seconds=15)
        assert follower.stop() == 0
        assert "Traceback" not in follower.said
    finally:
        follower.close()
