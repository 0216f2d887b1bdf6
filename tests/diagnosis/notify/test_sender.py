"""Senders with a real Redis, over real connections, killed wherever it hurts."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import redis

from app.diagnosis.notify.box import Box
from app.diagnosis.notify.carrier import Carrier
from app.diagnosis.notify.delivery import Delivery
from app.diagnosis.notify.notice import Change, Notice
from app.diagnosis.notify.policy import Policy
from app.diagnosis.notify.sender import Sender
from app.diagnosis.notify.senders import sending
from app.diagnosis.notify.settings import Channel
from app.diagnosis.notify.target import target
from app.diagnosis.signal import Class, Evidence, Severity, Signal
from app.diagnosis.store import AlertStore
from app.stored import StoreAway
from collector.wire import schema
from collector.wire.records import RunId
from tests.support.hook import Hook, hook
from tests.support.redis_server import RedisServer
from tests.support.waiting import eventually

ROOT = Path(__file__).resolve().parents[3]
RUN = RunId("llama")


def tell(
    client: redis.Redis,
    alert: str,
    change: Change = "opened",
    severity: Severity = "warning",
    *,
    run: RunId = RUN,
    about: Class = "loss_spike",
    rank: int | None = None,
) -> None:
    act = {"opened": "raise", "ended": "clear"}.get(change, "update")
    signal = Signal(act, about, "S1", severity, 10, 9, None, Evidence(5.1, 2.2), rank)  # type: ignore[arg-type]
    client.sadd(schema.RUNS, run)
    client.xadd(schema.outbox(run), {schema.OUTBOX_FIELD: Notice(alert, run, change, 1.0, signal).encode()})


class World:
    """A channel, its sender, and a clock that goes on when it is told to."""

    def __init__(self, url: str, chat: Hook, **policy: float) -> None:
        self.url, self.chat, self.now = url, chat, 1_780_000_000.0
        self.channel = Channel("team", target(chat.url), allow_internal=True, policy=Policy(**{"wait": 0.0, **policy}))  # type: ignore[arg-type]
        self.boxes: list[Box] = []
        self.sender = self.fresh("a")

    def fresh(self, who: str) -> Sender:
        """The sender of another process."""
        self.boxes.append(Box(self.url, "team", who))
        carrier = Carrier(self.channel.target, allow_internal=True)
        return Sender(self.channel, self.boxes[-1], carrier, "https://watch.example/", lambda: self.now)

    def turn(self, seconds: float = 1.0) -> None:
        self.now += seconds
        self.sender.turn()

    @property
    def log(self) -> list[Delivery]:
        store = AlertStore(self.url)
        try:
            return store.deliveries()["team"]
        finally:
            store.close()


@pytest.fixture
def world(redis_url: str) -> Iterator[World]:
    with hook() as chat:
        made = World(redis_url, chat)
        yield made
        for box in made.boxes:
            box.close()


def test_an_episode_is_told_and_its_end_and_both_are_in_the_log(world: World, redis_client: redis.Redis) -> None:
    world.turn()
    tell(redis_client, "a")
    world.turn()
    tell(redis_client, "a", "ended")
    world.turn()
    world.turn()
    began, ended = world.chat.posted
    assert (began.json["run"], began.json["over"], ended.json["over"]) == ("llama", False, True)
    assert "https://watch.example/run/llama?view=" in began.json["text"]
    assert [(one.outcome, one.tries) for one in world.log] == [("sent", 1), ("sent", 1)]
    assert redis_client.smembers(schema.CHANNELS) == {b"team"}


def test_a_thousand_ranks_are_one_message(world: World, redis_client: redis.Redis) -> None:
    world.turn()
    for rank in range(1024):
        tell(redis_client, f"r{rank}", about="rank_outlier", rank=rank)
    world.turn()
    world.turn()
    (posted,) = world.chat.posted
    assert "ranks: 0–1023" in posted.json["text"]


def test_a_new_channel_hears_of_what_goes_on_alone(world: World, redis_client: redis.Redis) -> None:
    tell(redis_client, "over", about="jitter")
    tell(redis_client, "over", "ended", about="jitter")
    tell(redis_client, "going", about="stall")
    world.turn()
    world.turn()
    (posted,) = world.chat.posted
    assert "Stalled" in posted.json["title"]
    assert "jitter" not in posted.json["text"]


def test_a_refused_message_is_tried_again_under_the_same_id(world: World, redis_client: redis.Redis) -> None:
    world.turn()
    tell(redis_client, "a")
    world.chat.status = 500
    world.turn()
    world.turn()
    world.chat.status = 200
    world.turn(10)
    first, second = world.chat.posted
    assert first.headers["X-Tidewatch-Id"] == second.headers["X-Tidewatch-Id"]
    assert "repeat" not in second.json["text"]
    assert [(one.outcome, one.tries) for one in world.log] == [("sent", 2), ("refused", 1)]
    assert "HTTP 500" in world.log[1].answer


def test_an_entry_that_nobody_understands_keeps_no_other_from_being_told(
    world: World, redis_client: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    world.turn()
    redis_client.sadd(schema.RUNS, RUN)
    redis_client.xadd(schema.outbox(RUN), {schema.OUTBOX_FIELD: "{}"})
    redis_client.xadd(schema.outbox(RUN), {"x": "y"})
    tell(redis_client, "a")
    world.turn()
    assert len(world.chat.posted) == 1
    assert "cannot be read" in caplog.text


def test_of_two_processes_one_sends(world: World, redis_client: redis.Redis) -> None:
    world.turn()
    second = world.fresh("b")
    tell(redis_client, "a")
    second.turn()
    assert world.chat.posted == []
    world.turn()
    second.turn()
    assert len(world.chat.posted) == 1
    world.boxes[0].leave()
    tell(redis_client, "b")
    world.now += 5
    second.turn()
    second.turn()
    assert len(world.chat.posted) == 2


def test_whoever_lost_the_lease_writes_nothing(world: World, redis_client: redis.Redis) -> None:
    world.turn()
    redis_client.delete(schema.lease("team"))
    second = world.fresh("b")
    second.turn()
    tell(redis_client, "a")
    second.turn()  # has read and written what the first knows nothing of
    redis_client.set(schema.lease("team"), "a")
    world.turn()
    world.turn()
    assert len(world.chat.posted) == 1


def test_redis_away_costs_time_and_no_message(own_redis: RedisServer) -> None:
    with hook() as chat:
        world = World(own_redis.url, chat)
        client = redis.Redis.from_url(own_redis.url)
        world.turn()
        tell(client, "a")
        client.close()
        own_redis.stop()
        with pytest.raises(StoreAway):
            world.turn()
        assert chat.posted == []
        own_redis.start()
        world.turn()
        world.turn()
        assert len(chat.posted) == 1
        assert [one.outcome for one in world.log] == ["sent"]
        for box in world.boxes:
            box.close()


def test_redis_away_while_a_message_is_on_the_wire_repeats_nothing(own_redis: RedisServer) -> None:
    with hook() as chat:
        world = World(own_redis.url, chat)
        client = redis.Redis.from_url(own_redis.url)
        world.turn()
        tell(client, "a")
        client.close()
        carrier = world.sender.carrier

        class Outage:
            def send(self, message):
                answer = carrier.send(message)
                own_redis.stop()
                return answer

        world.sender.carrier = Outage()
        with pytest.raises(StoreAway):
            world.turn()
        world.sender.carrier = carrier
        with pytest.raises(StoreAway):
            world.turn()
        own_redis.start()
        for _ in range(3):
            world.turn()
        assert len(chat.posted) == 1
        assert [one.outcome for one in world.log] == ["sent"]
        for box in world.boxes:
            box.close()


# ---- real processes ----


@contextmanager
def process(redis_url: str, chat: Hook, wait: float = 0.0) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "tests.support.sending", redis_url, chat.url, str(wait)]
    started = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE)
    try:
        yield started
    finally:
        started.kill()
        _, said = started.communicate(timeout=10)
        assert b"Traceback" not in said, said.decode()


def test_a_message_that_was_on_the_wire_at_kill_9_says_that_it_may_be_a_repeat(
    redis_url: str, redis_client: redis.Redis
) -> None:
    with hook() as chat:
        chat.taking.clear()
        with process(redis_url, chat):
            eventually(lambda: redis_client.exists(schema.sender("team")), seconds=20)
            tell(redis_client, "a")
            eventually(lambda: chat.posted, seconds=20)
        chat.taking.set()
        redis_client.delete(schema.lease("team"))  # has run out
        with process(redis_url, chat):
            eventually(lambda: len(chat.posted) == 2, seconds=20)
            eventually(lambda: redis_client.llen(schema.deliveries("team")) == 2, seconds=20)
    first, second = chat.posted
    assert first.headers["X-Tidewatch-Id"] == second.headers["X-Tidewatch-Id"]
    assert "may be a repeat" not in first.json["text"]
    assert "may be a repeat" in second.json["text"]
    log = [Delivery.decode(one) for one in redis_client.lrange(schema.deliveries("team"), 0, -1)]
    assert [one.outcome for one in log] == ["sent", "interrupted"]


def test_kills_at_any_time_forget_nothing_and_repeat_nothing_without_saying_so(
    redis_url: str, redis_client: redis.Redis
) -> None:
    chance, told = random.Random(7), 0
    with hook() as chat:
        for _ in range(6):
            redis_client.delete(schema.lease("team"))
            with process(redis_url, chat):
                eventually(lambda: redis_client.exists(schema.lease("team")), seconds=20)
                for _ in range(chance.randrange(1, 4)):
                    told += 1
                    tell(redis_client, f"e{told}", run=RunId(f"run-{told}"))
                pause = chance.random() * 2.5
                begun = len(chat.posted)
                with suppress(AssertionError):  # it is killed wherever it is by then
                    eventually(lambda at=begun: len(chat.posted) > at + 2, seconds=pause)  # type: ignore[misc]
        redis_client.delete(schema.lease("team"))
        with process(redis_url, chat):
            eventually(
                lambda: {one.json["run"] for one in chat.posted} >= {f"run-{at}" for at in range(1, told + 1)},
                seconds=40,
            )
    ids = Counter(one.headers["X-Tidewatch-Id"] for one in chat.posted)
    silent = Counter(one.headers["X-Tidewatch-Id"] for one in chat.posted if "may be a repeat" not in one.json["text"])
    assert set(silent.values()) <= {1}
    assert len(ids) == told


def test_threads_send_and_end(redis_url: str, redis_client: redis.Redis) -> None:
    with hook() as first, hook() as second:
        channels = [
            Channel(name, target(chat.url), allow_internal=True, policy=Policy(wait=0.0))
            for name, chat in (("a", first), ("b", second))
        ]
        second.status = 500
        with sending(channels, redis_url, "", "me"):
            eventually(lambda: redis_client.scard(schema.CHANNELS) == 2, seconds=10)
            eventually(lambda: redis_client.exists(schema.sender("a"), schema.sender("b")) == 2, seconds=10)
            tell(redis_client, "a")
            eventually(lambda: first.posted and second.posted, seconds=10)
        assert redis_client.exists(schema.lease("a"), schema.lease("b")) == 0
