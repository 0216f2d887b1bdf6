"""Everything the application reads from Redis; nothing here writes. A question to the collectors is published, which
stores nothing."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, cast

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from app import event_cache, register
from app.decode import Fields, entry, hosts, number, order, record
from app.event_cache import EventCache
from app.follower import RedisFollower, answering
from app.point_store import PointStore
from app.register import NOTHING, Known, Register, begun, decoded
from app.stored import (
    START,
    LeanRun,
    LiveEntry,
    LiveFollower,
    RunStore,
    StoreAway,
    StoredEvents,
    StoredRun,
)
from collector.wire import schema
from collector.wire.question import NOT_MINE, LogQuestion
from collector.wire.records import Cursor, Generation, Heartbeat, RunEvent, RunId

__all__ = ["RedisFollower", "RedisRunStore", "RunStore", "StoreAway"]

EVENTS = 500  # newest events that a page shows; older ones stay in the store
ANSWER_SECONDS = 5  # a server that needs longer than this is away, as far as a page is concerned


def _heard(ear: redis.client.PubSub, kind: str, deadline: float) -> bytes | None:
    """The data of the next message of a kind, as long as there is time (``time.monotonic``)."""
    while (left := deadline - time.monotonic()) > 0:
        message = ear.get_message(timeout=left)
        if message and message["type"] == kind:
            return cast(bytes, message["data"] if kind == "message" else message["channel"])
    return None


class RedisRunStore(PointStore):
    """RunStore on a Redis server; safe to share between threads."""

    def __init__(self, url: str, *, cache_bytes: int = 256 * 2**20, shards: int = 1) -> None:
        """``url`` as redis-py takes it; no connection is made before the first question. ``shards``: how many stand
        for one run where this is a node of a cluster."""
        # One retry at once: a pooled connection that a restarted server closed is replaced, a dead server is told fast.
        self._url = url
        client = redis.Redis.from_url(url, socket_timeout=ANSWER_SECONDS, retry=Retry(NoBackoff(), 1))
        super().__init__(client, cache_bytes // 8)
        self._events = EventCache(runs=event_cache.RUNS * shards)
        self._register = Register(register.RUNS * shards)

    @property
    def url(self) -> str:
        """See RunStore."""
        return self._url

    def close(self) -> None:
        """Close every connection."""
        self._redis.close()

    def version(self) -> str | None:
        """See RunStore."""
        with answering():
            text = cast(bytes | None, self._redis.get(schema.VERSION_KEY))
        return None if text is None else text.decode()

    def runs(self) -> Sequence[RunId]:
        """See RunStore."""
        with answering():
            members = cast(set[bytes], self._redis.smembers(schema.RUNS))
        return sorted(RunId(one.decode()) for one in members)

    def run(self, run_id: RunId) -> StoredRun | None:
        """See RunStore. All at one moment; the series themselves are asked for only when one may have been added."""
        known = self._register.known(run_id)
        entries, count, *small = self._moment(run_id, known.position)
        if not known.holds(entries, count):
            _, _, *small, fields = self._moment(run_id, known.position, series=True)
            known = Known(NOTHING.position, decoded(fields), begun(small[3]))
        newest, fields, cursors, generations, facts, events = small
        if not fields:
            return None
        self._remember(run_id, known, newest)
        return StoredRun(
            record=record(run_id, fields),
            created=number(fields, b"created"),
            committed=number(fields, b"committed"),
            position=newest[0][0].decode() if newest else START,
            series=known.series,
            cursors={file.decode(): Cursor.decode(text) for file, text in cursors.items()},
            generations=[Generation.decode(text) for _, text in sorted(generations.items())],
            facts={name.decode(): text.decode() for name, text in facts.items()},
            events=[RunEvent.decode(text) for text in events],
        )

    def lean(self, run_id: RunId) -> LeanRun | None:
        """See RunStore. All at one moment, like ``run``."""
        known = self._register.known(run_id)
        entries, count, *small = self._glance(run_id, known.position)
        if not known.holds(entries, count):
            _, _, *small, fields, generations = self._glance(run_id, known.position, series=True)
            known = Known(NOTHING.position, decoded(fields), begun(generations))
        newest, there, facts, folded, path = small
        if not there:
            return None
        self._remember(run_id, known, newest)
        position = newest[0][0].decode() if newest else START
        texts = {name.decode(): text.decode() for name, text in facts.items()}
        where = (path or b"").decode()
        return LeanRun(run_id, position, known.series, known.generations, texts, bool(folded), where)

    def _glance(self, run_id: RunId, position: bytes, *, series: bool = False) -> list[Any]:
        """What ``lean`` is made of."""
        with answering(), self._redis.pipeline(transaction=True) as pipe:
            pipe.xrange(schema.live(run_id), min=position, max=position)
            pipe.hlen(schema.series(run_id))
            pipe.xrevrange(schema.live(run_id), count=1)
            pipe.exists(schema.run(run_id))
            pipe.hgetall(schema.facts(run_id))
            pipe.hexists(schema.run(run_id), schema.FOLDED_FIELD)
            pipe.hget(schema.run(run_id), "path")
            if series:
                pipe.hgetall(schema.series(run_id))
                pipe.hgetall(schema.generations(run_id))
            return pipe.execute()

    def _remember(self, run_id: RunId, known: Known, newest: list[Any]) -> None:
        if newest:
            now = Known(newest[0][0], known.series, known.generations, known.looks + 1)
            self._register.seen(run_id, now)

    def hosts(self, run_id: RunId) -> Mapping[str, str]:
        """See RunStore."""
        with answering():
            texts = cast(dict[bytes, bytes], self._redis.hgetall(schema.cursors(run_id)))
        return hosts(texts)

    def _moment(self, run_id: RunId, position: bytes, *, series: bool = False) -> list[Any]:
        """The entry at ``position``, the count of series, and all that is small, as it was at one moment."""
        keys = schema.cursors(run_id), schema.generations(run_id), schema.facts(run_id)
        with answering(), self._redis.pipeline(transaction=True) as pipe:
            pipe.xrange(schema.live(run_id), min=position, max=position)
            pipe.hlen(schema.series(run_id))
            pipe.xrevrange(schema.live(run_id), count=1)
            pipe.hgetall(schema.run(run_id))
            for key in keys:
                pipe.hgetall(key)
            pipe.lrange(schema.events(run_id), -EVENTS, -1)
            if series:
                pipe.hgetall(schema.series(run_id))
            return pipe.execute()

    def events(self, run_id: RunId) -> StoredEvents:
        """See RunStore. Only what was appended since the last time is read again."""
        key = schema.events(run_id)

        def ask(start: int) -> tuple[int, list[bytes]]:
            with self._redis.pipeline(transaction=True) as pipe:
                pipe.llen(key)
                pipe.lrange(key, start, -1)
                length, texts = pipe.execute()
            return length, texts

        with answering():
            return self._events.read(key, ask)

    def event_counts(self, run_id: RunId) -> Mapping[str, int]:
        """See RunStore."""
        with answering():
            return {run_id: self._redis.llen(schema.events(run_id))}

    def events_until(self, run_id: RunId, counts: Mapping[str, int]) -> StoredEvents:
        """See RunStore."""
        count = counts.get(run_id, 0)
        if not count:
            return StoredEvents((), 0)
        with answering():
            first = max(0, count - event_cache.MOST)
            texts = cast(list[bytes], self._redis.lrange(schema.events(run_id), first, count - 1))
        return StoredEvents([RunEvent.decode(text) for text in texts], count)

    def ask(self, question: LogQuestion, seconds: float, listeners: int = 0) -> bytes | None:
        """See RunStore. ``listeners``: at all nodes of a cluster, of which one counts its own alone."""
        deadline = time.monotonic() + seconds
        with answering():
            ear = self._redis.pubsub()  # type: ignore[no-untyped-call]  # by redis-py
            try:
                ear.subscribe(schema.answer(question.id))
                if not _heard(ear, "subscribe", deadline):
                    return None
                here = self._redis.publish(schema.ASKS, question.encode())
                for _ in range(max(here, listeners)):
                    answer = _heard(ear, "message", deadline)
                    if answer is None or answer != NOT_MINE.encode():
                        return answer
            finally:
                ear.close()
        return None

    def marks(self, run_ids: Sequence[RunId]) -> Sequence[bytes]:
        """See RunStore."""
        with answering(), self._redis.pipeline(transaction=False) as pipe:
            for run_id in run_ids:
                pipe.hget(schema.run(run_id), "committed")
                pipe.xrevrange(schema.live(run_id), count=1)
            found = pipe.execute()
        newest = [entries[0][0] if entries else b"" for entries in found[1::2]]
        return [(committed or b"") + b" " + entry for committed, entry in zip(found[::2], newest, strict=True)]

    def cursors(self, run_id: RunId) -> Sequence[Cursor]:
        """See RunStore."""
        with answering():
            texts = cast(list[bytes], self._redis.hvals(schema.cursors(run_id)))
        return [Cursor.decode(text) for text in texts]

    def heartbeats(self) -> Sequence[Heartbeat]:
        """See RunStore."""
        with answering():
            ids = cast(set[bytes], self._redis.smembers(schema.COLLECTORS))
            texts = self._redis.mget([schema.collector(one.decode()) for one in sorted(ids)]) if ids else []
        return [Heartbeat.decode(text) for text in cast(list[bytes | None], texts) if text is not None]

    def live_after(self, run_id: RunId, position: str) -> Sequence[LiveEntry] | None:
        """See RunStore."""
        key = schema.live(run_id)
        with answering(), self._redis.pipeline(transaction=True) as pipe:
            pipe.exists(key)
            pipe.xrange(key, count=1)
            pipe.xrange(key, min=f"({position}")
            pipe.xrevrange(key, count=1)
            exists, oldest, entries, newest = pipe.execute()
        if not exists:
            return [] if position == START else None
        trimmed = position != START and order(oldest[0][0].decode()) > order(position)
        if trimmed or order(newest[0][0].decode()) < order(position):
            return None
        return [entry(*one) for one in entries]

    def live_before(self, run_id: RunId, position: str, count: int) -> Sequence[LiveEntry]:
        """See RunStore."""
        with answering():
            entries = cast(
                list[tuple[bytes, Fields]], self._redis.xrevrange(schema.live(run_id), max=position, count=count)
            )
        return [entry(*one) for one in reversed(entries)]

    def follow(self) -> LiveFollower:
        """See RunStore."""
        return RedisFollower(self._url, self._redis)
