"""The fenced commit on a real Redis."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
import redis

from collector.batch import Batch, Committed, Conflict, Progress
from collector.errors import InputError, StoreAway, StoreTooNew
from collector.normalise import Block
from collector.store import Store
from collector.wire import schema
from collector.wire.records import (
    Cursor,
    Generation,
    Heartbeat,
    RunEvent,
    RunId,
    RunRecord,
    SeriesMeta,
    pack_point,
    unpack_points,
)
from tests.support.redis_server import RedisServer

RUN = RunId("job")
START = Cursor("info.log", "log", 0)
LOSS = SeriesMeta("info.log", 0, "loss", "loss", 0, "log")
LOCAL = SeriesMeta("info.log", 0, "local_loss", "local_loss", 0, "log")


@pytest.fixture
def store(redis_url: str) -> Iterator[Store]:
    one = Store(redis_url)
    yield one
    one.close()


def batch(before: Cursor | None, after: Cursor, *steps: int) -> Batch:
    points = b"".join(pack_point(step, float(step), step / 4) for step in steps)
    return Batch(
        RunRecord(RUN, "job", "/jobs/job"),
        (Progress(before.encode() if before else None, after),),
        (Block(LOSS, points), Block(LOCAL, points)),
        {"total_steps": "100"},
        (RunEvent("start", None, None, "Start training"),),
        (Generation("info.log", 0, "first", None, 0),),
    )


def losses(store: Store) -> list[int]:
    return [step for step, _, _ in unpack_points(store.points(RUN, [LOSS.sid])[0])]


def test_a_commit_stores_everything_at_once(store: Store, redis_client: redis.Redis) -> None:
    answer = store.commit(batch(None, replace(START, offset=10), 1, 2), 1.7e9)
    assert answer == Committed("1700000000.000000", None)
    assert losses(store) == [1, 2]
    assert store.runs() == [RUN]
    assert store.record(RUN) == RunRecord(RUN, "job", "/jobs/job")
    assert store.series(RUN) == [LOCAL, LOSS]
    assert store.cursors(RUN) == {"info.log": replace(START, offset=10).encode()}
    assert redis_client.hgetall(schema.facts(RUN)) == {b"total_steps": b"100"}
    assert redis_client.llen(schema.events(RUN)) == 1
    assert redis_client.hget(schema.generations(RUN), "info.log\x1f0") is not None
    assert redis_client.hget(schema.run(RUN), "created") == b"1700000000.000000"


def test_a_commit_from_elsewhere_stores_nothing_and_tells_where_the_store_is(
    store: Store, redis_client: redis.Redis
) -> None:
    store.commit(batch(None, replace(START, offset=10), 1), 1.0)
    before = {key: redis_client.dump(key) for key in redis_client.scan_iter()}
    answer = store.commit(batch(None, replace(START, offset=20), 1, 2), 2.0)
    assert answer == Conflict({"info.log": replace(START, offset=10).encode()})
    assert {key: redis_client.dump(key) for key in redis_client.scan_iter()} == before


def test_a_flush_is_told_as_no_cursor(store: Store, redis_client: redis.Redis) -> None:
    first = replace(START, offset=10)
    store.commit(batch(None, first, 1), 1.0)
    redis_client.flushall()
    assert store.commit(batch(first, replace(START, offset=20), 2), 2.0) == Conflict({"info.log": None})
    assert isinstance(store.commit(batch(None, first, 1), 3.0), Committed)
    assert store.series(RUN) == [LOCAL, LOSS]
    assert store.runs() == [RUN]


def test_a_server_that_forgot_the_script_is_given_it_again(store: Store, redis_client: redis.Redis) -> None:
    first = replace(START, offset=10)
    store.commit(batch(None, first, 1), 1.0)
    redis_client.script_flush()
    assert isinstance(store.commit(batch(first, replace(START, offset=20), 2), 2.0), Committed)
    assert losses(store) == [1, 2]


def test_versions_show_that_a_run_changed(store: Store, redis_client: redis.Redis) -> None:
    answer = store.commit(batch(None, replace(START, offset=10), 1), 5.0)
    assert isinstance(answer, Committed)
    assert store.versions([RUN, RunId("other")]) == [answer.version, None]
    redis_client.flushall()
    assert store.versions([RUN]) == [None]


def test_the_live_entry_holds_what_speaks_for_the_run(store: Store, redis_client: redis.Redis) -> None:
    store.commit(batch(None, replace(START, offset=10), 1, 2), 1.0)
    ((_, fields),) = redis_client.xrange(schema.live(RUN))
    entry = json.loads(fields[schema.LIVE_FIELD.encode()])
    assert entry["p"] == [["loss", 0, "log", 0, 1, 1.0, 0.25], ["loss", 0, "log", 0, 2, 2.0, 0.5]]
    assert (entry["n"], entry["e"], entry["reload"]) == (4, 1, False)


def test_a_bulk_commit_says_reload(store: Store, redis_client: redis.Redis) -> None:
    store.commit(batch(None, replace(START, offset=10), *range(schema.LIVE_POINTS + 1)), 1.0)
    ((_, fields),) = redis_client.xrange(schema.live(RUN))
    assert json.loads(fields[schema.LIVE_FIELD.encode()]) == {"p": [], "n": 4002, "e": 1, "reload": True}


def test_a_sign_of_life_expires_and_puts_back_what_a_flush_took(store: Store, redis_client: redis.Redis) -> None:
    beat = Heartbeat("host:1", "host", 1, ("/jobs",), 1.0, 1, 2, 0)
    store.beat(beat, [RUN])
    assert Heartbeat.decode(redis_client.get(schema.collector("host:1")) or b"") == beat
    assert 0 < redis_client.ttl(schema.collector("host:1")) <= schema.HEARTBEAT_TTL
    assert redis_client.get(schema.VERSION_KEY) == schema.SCHEMA_VERSION.encode()
    assert store.runs() == [RUN]
    store.leave("host:1")
    assert redis_client.smembers(schema.COLLECTORS) == set()


def test_a_store_of_another_layout_is_refused_in_one_sentence(store: Store, redis_client: redis.Redis) -> None:
    store.check()
    redis_client.set(schema.VERSION_KEY, "99")
    with pytest.raises(StoreTooNew, match=r"^Redis at \S+ holds layout 99 and this collector writes layout 1: .*\.$"):
        store.check()


@pytest.mark.parametrize("url", ["http://host", "redis://host:port/0", "nonsense", ""])
def test_a_url_that_is_not_understood_is_an_input_error(url: str) -> None:
    with pytest.raises(InputError, match="is not understood: use redis://"):
        Store(url)


def test_no_message_shows_the_password() -> None:
    store = Store("redis://user:s3cret@127.0.0.1:1/0?password=s3cret")
    with pytest.raises(StoreAway) as caught:
        store.check()
    store.close()
    assert "s3cret" not in str(caught.value)
    assert "redis://user:***@127.0.0.1:1/0" in str(caught.value)


@pytest.mark.parametrize("trouble", ["away", "full", "read only", "wrong password"])
def test_troubles_that_pass_are_all_waited_for(trouble: str, own_redis: RedisServer) -> None:
    store, client = Store(own_redis.url), redis.Redis.from_url(own_redis.url)
    first = replace(START, offset=10)
    store.commit(batch(None, first, 1), 1.0)
    match trouble:
        case "away":
            own_redis.stop(kill=True)
        case "full":
            client.config_set("maxmemory", "1mb")
        case "read only":
            client.replicaof("127.0.0.1", 1)
        case "wrong password":
            client.config_set("requirepass", "other")
            store.close()
    with pytest.raises(StoreAway):
        store.commit(batch(first, replace(START, offset=20), 2), 2.0)
    store.close()
    client.close()
