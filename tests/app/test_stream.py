"""Server-Sent Events over a real socket, from commits in a real Redis."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import redis
from flask import Flask

from app.api.live import Hub
from app.api.mailbox import Mailbox
from app.config import AppConfig
from app.factory import HUB, create_app
from app.store import RedisRunStore
from app.stored import LiveEntry
from collector.wire.records import RunId
from tests.support.redis_server import RedisServer
from tests.support.seed import Seed, straight
from tests.support.serving import EventStream, serving
from tests.support.waiting import eventually

STREAM = "/api/runs/gpt/stream"


@pytest.fixture
def port(server: Flask) -> Iterator[int]:
    with serving(server) as port:
        yield port


@pytest.fixture
def hub(server: Flask) -> Hub:
    found: Hub = server.extensions[HUB]
    return found


def test_a_commit_is_sent_with_its_stream_id(port: int, seed: Seed) -> None:
    seed.points(straight(range(1, 4)))
    with EventStream(port, STREAM) as stream:
        assert stream.status == 200
        assert stream.answered["content-type"].startswith("text/event-stream")
        assert (stream.answered["cache-control"], stream.answered["x-accel-buffering"]) == ("no-store", "no")
        assert stream.next().name == "ready"
        newest = seed.points([(4, 1_000_003.0, 2.5)])
        event = stream.next()
    assert (event.name, event.id) == ("points", newest)
    assert event.data == {"points": {"loss": [[4, 1_000_003.0, 2.5, "log"]]}, "events": 0}


def test_nan_infinity_and_a_missing_clock_are_strict_json(port: int, seed: Seed) -> None:
    seed.points(straight(range(1, 2)))
    with EventStream(port, STREAM) as stream:
        stream.until("ready")
        seed.points([(2, float("nan"), float("nan")), (3, float("nan"), float("inf"))])
        assert stream.next().data["points"]["loss"] == [[2, None, "NaN", "log"], [3, None, "Infinity", "log"]]


def test_nothing_lies_between_the_series_and_the_stream(port: int, server: Flask, seed: Seed) -> None:
    seed.points(straight(range(1, 11)))
    read = server.test_client().get("/api/runs/gpt/series?metric=loss&points=0").json
    for step in range(11, 15):
        seed.points([(step, float(step), 1.0)])
    with EventStream(port, f"{STREAM}?since={read['stream']}") as stream:
        stream.until("ready")
        assert [row[0] for row in stream.next().data["points"]["loss"]] == [11, 12, 13, 14]


def test_a_browser_that_connects_again_goes_on_after_its_last_event(port: int, seed: Seed) -> None:
    ids = [seed.points([(step, float(step), 1.0)]) for step in range(1, 7)]
    headers = {"Last-Event-ID": ids[3]}
    with EventStream(port, f"{STREAM}?since={ids[0]}", headers) as stream:
        stream.until("ready")
        event = stream.next()
    assert [row[0] for row in event.data["points"]["loss"]] == [5, 6]
    assert event.id == ids[-1]


def test_a_twin_line_from_before_the_start_is_known_as_such(port: int, seed: Seed) -> None:
    ids = [seed.points([(step, float(step), 1.0)]) for step in range(1, 7)]
    with EventStream(port, f"{STREAM}?since={ids[-1]}") as stream:
        stream.until("ready")
        for step in (5, 6, 7):
            seed.points([(step, float(step), 1.0)], file="msrun_log/worker_0.log")
        assert [row[0] for row in stream.next().data["points"]["loss"]] == [7]


def test_a_position_that_is_gone_means_reload(port: int, seed: Seed) -> None:
    first = seed.points([(1, 1.0, 1.0)])
    for step in range(2, 30):
        seed.points([(step, float(step), 1.0)])
    seed.client.xtrim("tw:{gpt}:live", maxlen=3, approximate=False)
    with EventStream(port, f"{STREAM}?since={first}") as stream:
        assert [event.name for event in stream.until("reload")] == ["ready", "reload"]


def test_a_bulk_commit_means_one_reload_and_points_follow_it(port: int, seed: Seed) -> None:
    seed.points(straight(range(1, 3)))
    with EventStream(port, STREAM) as stream:
        stream.until("ready")
        seed.points(straight(range(3, 3000)))
        assert stream.next().name == "reload"
        seed.points([(3000, 2e6, 1.0)])
        assert stream.next().data["points"]["loss"][0][0] == 3000


def test_a_restart_means_reload(port: int, seed: Seed) -> None:
    seed.points(straight(range(1, 100)))
    with EventStream(port, STREAM) as stream:
        stream.until("ready")
        seed.points([(50, 2e6, 1.0)], generation=1, reason="truncated")
        assert stream.next().name == "reload"


def test_events_are_announced_without_points(port: int, seed: Seed) -> None:
    with EventStream(port, STREAM) as stream:
        stream.until("ready")
        seed.announce([], events=2)
        assert stream.next().data == {"points": {}, "events": 2}


def test_every_client_of_every_run_gets_its_own(port: int, redis_client: redis.Redis, hub: Hub) -> None:
    seeds = [Seed(redis_client, RunId(name)) for name in ("one", "two")]
    for seed in seeds:
        seed.points(straight(range(1, 3)))
    with (
        EventStream(port, "/api/runs/one/stream") as first,
        EventStream(port, "/api/runs/one/stream") as second,
        EventStream(port, "/api/runs/two/stream") as third,
    ):
        for stream in (first, second, third):
            stream.until("ready")
        assert hub.clients == 3
        seeds[1].points([(9, 9.0, 9.0)])
        seeds[0].points([(8, 8.0, 8.0)])
        assert [stream.next().data["points"]["loss"][0][0] for stream in (first, second, third)] == [8, 8, 9]


def test_one_thread_reads_for_all_and_none_before_the_first_client(port: int, seed: Seed) -> None:
    def readers() -> list[threading.Thread]:
        return [thread for thread in threading.enumerate() if thread.name == "tidewatch-live"]

    seed.points(straight(range(1, 3)))
    assert readers() == []
    with EventStream(port, STREAM) as first, EventStream(port, STREAM) as second:
        first.until("ready")
        second.until("ready")
        assert len(readers()) == 1


def test_a_client_that_left_is_forgotten(port: int, seed: Seed, hub: Hub) -> None:
    with EventStream(port, STREAM) as stream:
        stream.until("ready")
    step = iter(range(1, 10_000))
    eventually(lambda: seed.points([(next(step), 1.0, 1.0)]) and hub.clients == 0)


def test_more_streams_than_allowed_are_refused_with_a_sentence(store: RedisRunStore, seed: Seed) -> None:
    server = create_app(AppConfig(max_streams=1), store).server
    with serving(server) as port, EventStream(port, STREAM) as stream:
        stream.until("ready")
        reply = server.test_client().get(STREAM)
        assert reply.status_code == 503
        assert "TIDEWATCH_MAX_STREAMS" in reply.json["error"]


@pytest.mark.parametrize("since", ["yesterday", "1-2-3", "-", "%0d%0aSet-Cookie:x", "9" * 30])
def test_a_position_that_is_none_is_400(server: Flask, seed: Seed, since: str) -> None:
    reply = server.test_client().get(f"{STREAM}?since={since}")
    assert reply.status_code == 400
    assert "Last-Event-ID" in reply.json["error"]


def test_a_stream_of_no_run_is_404(server: Flask) -> None:
    assert server.test_client().get(STREAM).status_code == 404


def test_a_redis_that_was_away_means_reload_and_then_it_goes_on(own_redis: RedisServer) -> None:
    store = RedisRunStore(own_redis.url)
    seed = Seed(redis.Redis.from_url(own_redis.url))
    seed.points(straight(range(1, 4)))
    with serving(create_app(AppConfig(), store).server) as port, EventStream(port, STREAM) as stream:
        stream.until("ready")
        own_redis.stop()
        own_redis.start()
        assert stream.next().name == "reload"
        seed.points([(4, 4.0, 4.0)])
        assert stream.next().data["points"]["loss"][0][0] == 4
    store.close()


def test_a_flushed_redis_that_fills_again_reaches_the_page(port: int, seed: Seed) -> None:
    seed.points(straight(range(1, 10)))
    with EventStream(port, STREAM) as stream:
        stream.until("ready")
        seed.flush()
        refilled = Seed(seed.client)
        refilled.points(straight(range(1, 10)))
        refilled.points([(10, 10.0, 10.0)])
        rows = [row[0] for row in stream.next().data["points"]["loss"]]
        while rows[-1] != 10:
            rows += [row[0] for row in stream.next().data["points"]["loss"]]
    assert rows == sorted(set(rows))


def test_a_full_mailbox_says_so_and_keeps_the_newest_id() -> None:
    box = Mailbox(room=3)
    for number in range(5):
        box.put([LiveEntry(f"{number}-0", [], 0, False)])
    mail = box.take(0)
    assert mail.lost
    assert mail.entries[-1].id == "4-0"
    assert not box.take(0).entries


def test_closing_ends_every_stream(server: Flask, seed: Seed) -> None:
    seed.points(straight(range(1, 4)))
    with ExitStack() as opened:
        with serving(server) as port:
            stream = opened.enter_context(EventStream(port, STREAM))
            stream.until("ready")
        assert stream.file.read().endswith(b"0\r\n\r\n")  # the last chunk of an answer that is complete
