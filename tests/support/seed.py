"""Fills a real Redis with runs as the collector's commits leave it, through the keys of wire.schema."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import redis

from collector.wire import schema
from collector.wire.records import (
    Cursor,
    Generation,
    Heartbeat,
    RunEvent,
    RunId,
    RunRecord,
    SeriesMeta,
    Source,
    pack_point,
)
from tests.support.waiting import eventually

RUN = RunId("gpt")

Point = tuple[int, float, float]


@dataclass
class Seed:
    """One run in a store; every call is one commit."""

    client: redis.Redis
    run: RunId = RUN
    path: str = "/data/gpt"
    facts: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        record = RunRecord(self.run, "gpt", self.path)
        self.client.set(schema.VERSION_KEY, schema.SCHEMA_VERSION)
        self.client.sadd(schema.RUNS, self.run)
        fields = {"name": record.name, "path": record.path, "demo": "0", "created": "1000.0", "committed": "1000.0"}
        self.client.hset(schema.run(self.run), mapping=fields)
        if self.facts:
            self.client.hset(schema.facts(self.run), mapping=dict(self.facts))

    def flush(self) -> None:
        """Empty the server. A stream that begins anew within the same millisecond begins with the same id, as no server
        outside of a test could: so the next one is waited for."""
        last = _millisecond(self.client)
        self.client.flushall()
        eventually(lambda: _millisecond(self.client) > last, every=0.0005)

    def points(
        self,
        points: Sequence[Point],
        *,
        metric: str | None = "loss",
        tag: str = "",
        file: str = "log/rank_0/info.log",
        rank: int | None = 0,
        source: Source = "log",
        generation: int = 0,
        reason: str = "",
        live: bool = True,
    ) -> str:
        """Append to one series and announce it; the id of the live entry. ``reason`` records a generation."""
        meta = SeriesMeta(file, generation, tag or metric or "tag", metric, rank, source)
        block = b"".join(pack_point(*one) for one in points)
        if reason:
            began = Generation(file, generation, reason, points[0][1] if points else None, rank)
            self.client.hset(schema.generations(self.run), f"{file}\x1f{generation}", began.encode())
        self.client.hset(schema.series(self.run), meta.sid, meta.encode())
        self.client.append(schema.points(self.run, meta.sid), block)
        entries = [(metric, rank, source, generation, *one) for one in points] if metric and live else []
        return self.announce(entries, total=len(points))

    def announce(self, entries: Sequence[schema.LivePoint], *, total: int = 0, events: int = 0) -> str:
        """One entry of the live stream."""
        text = schema.encode_live(entries, total=total, events=events)
        return str(self.client.xadd(schema.live(self.run), {schema.LIVE_FIELD: text}).decode())

    def event(self, kind: str, *, step: int | None = None, wall: float | None = None, text: str = "") -> None:
        """One lifecycle event."""
        self.client.rpush(schema.events(self.run), RunEvent(kind, step, wall, text or kind, rank=0).encode())
        self._committed()

    def touched(
        self, mtime: float, *, file: str = "log/rank_0/info.log", counts: Mapping[str, int] | None = None
    ) -> None:
        """A cursor: the file was last changed at ``mtime``."""
        cursor = Cursor(file, "log", 0, offset=100, mtime=mtime, counts=counts or {})
        self.client.hset(schema.cursors(self.run), file, cursor.encode())
        self._committed()

    def _committed(self) -> None:
        self.client.hincrbyfloat(schema.run(self.run), "committed", 0.001)

    def beat(
        self,
        wall: float | None = None,
        root: str = "/data",
        behind: Mapping[str, tuple[int, int]] | None = None,
        *,
        host: str = "node0",
        skew: tuple[float, float] | None = None,
    ) -> None:
        """A collector's sign of life."""
        now = time.time() if wall is None else wall
        beat = Heartbeat(f"{host}:1", host, 1, (root,), now, 2, 10, 0, behind=behind or {}, skew=skew)
        self.client.sadd(schema.COLLECTORS, beat.collector)
        self.client.set(schema.collector(beat.collector), beat.encode(), ex=schema.HEARTBEAT_TTL)


def straight(steps: Iterable[int], *, at: float = 1_000_000.0, every: float = 1.0, value: float = 10.0) -> list[Point]:
    """A falling curve: one point a step, ``every`` seconds apart from ``at`` on."""
    return [(step, at + every * number, value - step / 1000) for number, step in enumerate(steps)]


def same(one: Sequence[object], other: Sequence[object]) -> bool:
    """Equality in which NaN is equal to NaN."""
    return len(one) == len(other) and all(a == b or (_nan(a) and _nan(b)) for a, b in zip(one, other, strict=True))


def _nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _millisecond(client: redis.Redis) -> int:
    seconds, micros = cast(tuple[int, int], client.time())
    return seconds * 1000 + micros // 1000
