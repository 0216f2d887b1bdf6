"""Notes on a real Redis and a real cluster: kept, changed by one of two, told on the live stream."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
import redis

from app.notes.note import MOST, Note
from app.notes.store import NoteStore
from app.stored import StoreAway
from collector.wire import schema
from collector.wire.records import RunId
from tests.support import committing
from tests.support.redis_cluster import RedisCluster, free_ports
from tests.support.seed import RUN, Seed

NOTE = Note("0123456789ab", 10, 20, "first", "夜班", 1_000.0)
AGAIN = replace(NOTE, text="second", edited=1_001.0, editor="Han", version=2)


@dataclass
class Place:
    """A store and what is behind it."""

    store: NoteStore
    run: RunId
    client: redis.Redis

    def told(self) -> list[Mapping[str, Any]]:
        entries = self.client.xrange(schema.live(self.run))
        return [json.loads(fields[schema.LIVE_FIELD.encode()]) for _, fields in entries]


@pytest.fixture(params=["server", "cluster"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    """One run without a note."""
    if request.param == "server":
        client, run = request.getfixturevalue("redis_client"), RUN
        url = request.getfixturevalue("redis_url")
        Seed(client)
    else:
        cluster: RedisCluster = request.getfixturevalue("empty_cluster")
        client, run, url = redis.Redis.from_url(cluster.primary.url), committing.RUN, cluster.url
        client.hset(schema.run(run), "name", "job")
    store = NoteStore(url)
    yield Place(store, run, client)
    store.close()
    client.close()


def test_notes_are_kept_in_order_of_their_steps_and_told(place: Place) -> None:
    early = replace(NOTE, id="ffffffffffff", first=3, last=3)
    assert [place.store.add(place.run, one) for one in (NOTE, early)] == ["written", "written"]
    assert place.store.notes(place.run) == [early, NOTE]
    assert place.store.note(place.run, NOTE.id) == NOTE
    assert [one["notes"] for one in place.told()] == [1, 1]
    assert all(one["p"] == [] and not one["reload"] for one in place.told())


def test_a_run_that_there_is_not_gets_no_note(place: Place) -> None:
    other = RunId("nobody")
    assert place.store.add(other, NOTE) == "no run"
    assert place.store.notes(other) == []
    assert place.told() == []


def test_of_two_who_edit_one_version_one_writes(place: Place) -> None:
    place.store.add(place.run, NOTE)
    assert place.store.change(place.run, AGAIN) == "written"
    assert place.store.change(place.run, replace(AGAIN, text="third")) == "changed"
    assert place.store.remove(place.run, NOTE.id, 1) == "changed"
    assert place.store.notes(place.run) == [AGAIN]
    assert len(place.told()) == 2


def test_a_note_that_was_taken_away_is_neither_changed_nor_taken_away_again(place: Place) -> None:
    place.store.add(place.run, NOTE)
    assert place.store.remove(place.run, NOTE.id, 1) == "written"
    assert place.store.change(place.run, AGAIN) == "no note"
    assert place.store.remove(place.run, NOTE.id, 1) == "no note"
    assert (place.store.notes(place.run), place.store.note(place.run, NOTE.id)) == ([], None)


def test_a_run_that_is_full_takes_no_more(place: Place) -> None:
    several = {f"{number:012x}": replace(NOTE, id=f"{number:012x}").encode() for number in range(MOST)}
    place.client.hset(schema.notes(place.run), mapping=several)
    assert place.store.add(place.run, replace(NOTE, id="ffffffffffff")) == "full"
    assert len(place.store.notes(place.run)) == MOST


def test_a_store_that_is_away_is_said_to_be() -> None:
    (port,) = free_ports(1)
    store = NoteStore(f"redis://127.0.0.1:{port}")
    with pytest.raises(StoreAway):
        store.notes(RUN)
    store.close()
