"""Snapshots are kept, listed, taken back and pinned, on one Redis and on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
import redis

from app.cluster_store import opened
from app.sharing import store as kept
from app.sharing.snapshot import Label
from app.sharing.store import OPEN, ShareStore
from collector.store import Store
from collector.wire import schema
from collector.wire.records import RunId
from collector.wire.shards import SHARDS, homes
from tests.support.committing import RUN, Writer, history, meta
from tests.support.folding import fold_oldest
from tests.support.freezing import NOW, freeze, serving

DAY = 86_400.0
LABEL = Label("0123456789abcdef", RUN, NOW, "夜班", NOW + 7 * DAY, "ranks", "x=wall&view=3..9", names=True)


@pytest.fixture
def shares(url: str) -> Iterator[ShareStore]:
    found = ShareStore(url)
    yield found
    found.close()


@pytest.fixture
def run(writer: Writer) -> RunId:
    """A run with something in it."""
    history(writer, 0)
    return RUN


@pytest.fixture
def pins(url: str, shares: ShareStore, run: RunId) -> Callable[[], list[set[bytes]]]:
    """What each home of the run is pinned by."""
    spread = homes(run, SHARDS if "cluster" in url else 0)
    every = dict.fromkeys([run, *spread])
    return lambda: [set(shares._client.redis.zrange(schema.pins(one), 0, -1)) for one in every]


def keep(shares: ShareStore, label: Label = LABEL) -> None:
    assert shares.reserve(label.run, label.handle)
    assert shares.keep(label, "digest", b"body")


def test_what_was_kept_is_there(shares: ShareStore, run: RunId) -> None:
    keep(shares)
    assert shares.label(run, LABEL.handle) == (LABEL, "digest")
    assert shares.labels(run) == [LABEL]
    assert shares.body(LABEL) == b"body"
    assert shares.label(run, "another") is None
    assert shares.labels(RunId("another")) == []


def test_it_expires_by_itself_and_what_is_said_of_it_stays(shares: ShareStore, run: RunId) -> None:
    keep(shares)
    left = shares._client.redis.ttl(schema.frozen(run, LABEL.handle))
    assert 7 * DAY - 60 < left <= 7 * DAY
    assert shares._client.redis.ttl(schema.snapshot(run, LABEL.handle)) == -1
    longer = shares.extend(LABEL, NOW, NOW + 30 * DAY)
    assert longer == replace(LABEL, expires=NOW + 30 * DAY) == shares.labels(run)[0]
    assert shares._client.redis.ttl(schema.frozen(run, LABEL.handle)) > 29 * DAY


def test_a_revoked_one_is_remembered_and_empty(
    shares: ShareStore, run: RunId, pins: Callable[[], list[set[bytes]]]
) -> None:
    keep(shares)
    assert pins() == [{LABEL.handle.encode()}] * len(pins())
    assert shares.revoke(LABEL, NOW + 5)
    assert shares.revoke(LABEL, NOW + 9)  # a second time changes nothing
    assert shares.labels(run) == [replace(LABEL, revoked=NOW + 5)]
    assert shares.body(LABEL) is None
    assert pins() == [set()] * len(pins())
    assert shares.extend(LABEL, NOW, NOW + DAY) is None
    assert not shares.revoke(replace(LABEL, handle="another"), NOW)


def test_what_was_reserved_for_nothing_is_given_back(
    shares: ShareStore, run: RunId, pins: Callable[[], list[set[bytes]]]
) -> None:
    assert shares.reserve(run, "one")
    assert pins() == [{b"one"}] * len(pins())
    shares.release(run, "one")
    assert pins() == [set()] * len(pins())
    assert shares.labels(run) == []


def test_so_many_are_open_and_no_more(shares: ShareStore, run: RunId, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "OPEN", 3)
    several = [replace(LABEL, handle=f"{number}", created=NOW + number) for number in range(3)]
    for one in several:
        keep(shares, one)
    assert not shares.reserve(run, "more")
    shares.revoke(several[1], NOW)
    assert shares.reserve(run, "more")
    assert OPEN == 100


def test_of_those_that_are_closed_the_oldest_are_forgotten(
    shares: ShareStore, run: RunId, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "SNAPSHOTS", 3)
    for number in range(6):
        one = replace(LABEL, handle=f"{number}", created=NOW + number)
        keep(shares, one)
        if number % 2:
            shares.revoke(one, NOW)
    assert [one.handle for one in shares.labels(run)] == ["5", "4", "2", "0"]
    assert shares.label(run, "1") is None


def test_a_run_that_is_gone_has_none(shares: ShareStore, run: RunId) -> None:
    assert shares.reserve(run, LABEL.handle)
    shares._client.redis.delete(schema.run(run))
    assert not shares.keep(LABEL, "digest", b"body")
    assert shares.labels(run) == []


def test_while_one_is_open_no_collector_folds_the_run(url: str, shares: ShareStore, run: RunId) -> None:
    store = opened(url)
    writer = Writer([Store(url)])
    writer.write(90, range(2_000))
    long, shelf = meta(90).sid, writer.stores[0].shelf
    try:
        with serving(store) as client:
            assert not shelf.pinned(run)
            first, second = freeze(client, run), freeze(client, run)
            assert shelf.pinned(run)
            assert fold_oldest(url, 1024, long) == 0
            assert client.delete(f"/api/runs/{run}/snapshots/{first.id}").status_code == 200
            assert fold_oldest(url, 1024, long) == 0
            assert client.delete(f"/api/runs/{run}/snapshots/{second.id}").status_code == 200
            assert not shelf.pinned(run)
            assert fold_oldest(url, 1024, long) == 1
    finally:
        store.close()
        writer.stores[0].close()


def test_redis_takes_the_scripts_of_a_store_that_was_started_anew(redis_client: redis.Redis, redis_url: str) -> None:
    collected = Store(redis_url)
    history(Writer([collected]), 1)
    shares = ShareStore(redis_url)
    keep(shares)
    redis_client.script_flush()
    keep(shares, replace(LABEL, handle="another"))
    assert len(shares.labels(RUN)) == 2
    shares.close()
    collected.close()
