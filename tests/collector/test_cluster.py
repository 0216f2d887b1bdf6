"""A run in Redis Cluster: all of its keys in one slot, and a primary that dies loses and doubles nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from redis.crc import key_slot

from collector.batch import Batch, Progress
from collector.config import masked
from collector.errors import StoreAway
from collector.fold import fold
from collector.normalise import Block
from collector.pack import pack
from collector.store import Store
from collector.wire import schema
from collector.wire.address import nodes_of
from collector.wire.records import POINT_BYTES, Cursor, RunId, RunRecord, SeriesMeta, pack_point
from tests.support import growing, ledger
from tests.support.following import following
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


def test_every_key_of_a_run_is_in_one_slot() -> None:
    keys = [
        key(RUN)
        for key in (
            *(schema.run, schema.cursors, schema.series, schema.generations),
            *(schema.facts, schema.events, schema.live),
        )
    ]
    sid = SeriesMeta("log/rank_0/info.log@{b}", 0, "loss{}", "loss", 0, "log").sid
    keys += [schema.points(RUN, sid), schema.packed(RUN, sid), schema.folded(RUN, sid)]
    assert len({key_slot(key.encode()) for key in keys}) == 1


def test_a_url_names_nodes_and_keeps_its_password_to_itself() -> None:
    url = "rediss+cluster://me:secret@a:1,b:2"
    for behind in ("", "/", "?ssl_ca_certs=/x", "/?ssl_ca_certs=/x"):
        assert nodes_of(url + behind) == [f"rediss://me:secret@{host}{behind}" for host in ("a:1", "b:2")]
    assert nodes_of("unix:///run/redis?db=1") == ["unix:///run/redis?db=1"]
    assert "secret" not in masked(url)


def test_a_cluster_that_is_away_is_said_so() -> None:
    with pytest.raises(StoreAway):
        Store(f"redis+cluster://127.0.0.1:{free_ports(1)[0]}")


def test_older_points_are_packed_and_folded_in_a_cluster_too(cluster: RedisCluster) -> None:
    store = Store(cluster.url)
    store.check()
    meta = SeriesMeta("info.log", 0, "loss", "loss", 0, "log")
    points = b"".join(pack_point(step, 1.0 * step, 0.5) for step in range(500))
    progress = Progress(None, Cursor("info.log", "log", 0, offset=5))
    store.commit(Batch(RunRecord(RUN, RUN, "/job"), (progress,), (Block(meta, points),)), 1.0)
    loose = store.shelf.loose(RUN, {meta.sid: 384})
    assert store.shelf.pack(RUN, [(loose[0], pack([loose[0].block])[0])]) == [True]
    fronts = store.shelf.fronts(RUN, {meta.sid: 256})
    assert store.shelf.fold(RUN, [(fronts[0], fold(fronts[0].block))]) == 1
    (size,) = store.shelf.sizes(RUN, [meta.sid])
    assert (size.exact // POINT_BYTES, size.packed_points, store.shelf.counts(RUN, [meta.sid])) == (116, 128, [256])
    store.close()


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
def test_a_primary_that_dies_loses_and_doubles_nothing(tmp_path: Path, cluster: RedisCluster) -> None:
    root = tmp_path / RUN
    Job(root).prepare()
    with following(root, cluster.url) as follower:
        with growing.writer(root):
            eventually(lambda: stored_bytes(cluster) > MANY, seconds=30, every=0.2)
            cluster.primary.stop(kill=True)
            eventually(cluster.replica.leads, seconds=30, every=0.2)
            before = stored_bytes(cluster)
            eventually(lambda: stored_bytes(cluster) > before + MANY, seconds=30, every=0.2)
        eventually(lambda: ledger.agrees(root, cluster.url), seconds=30, every=0.3)
        assert "Redis answers again" in follower.said
    assert ledger.differences(root, cluster.url) == []
    with following(root, cluster.url):
        Job(root).append(1_000_000)
        eventually(lambda: ledger.agrees(root, cluster.url), seconds=30, every=0.3)
