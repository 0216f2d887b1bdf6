"""Where snapshots are kept, beside the run that they show, and what keeps its points from being folded.

The pins of a run are the list of its open snapshots: how many there may be is counted there, in the script that adds
one. In a cluster every home of the run (wire.shards) has the same pins, since what folds asks in the home where it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from typing import cast

from app.diagnosis.client import Client
from app.follower import answering
from app.sharing.encoding import decode_label, encode_label
from app.sharing.snapshot import Label
from collector.wire import schema
from collector.wire.records import RunId
from collector.wire.shards import homes

OPEN = 100  # snapshots of one run that are open at the same time: each is some kilobytes that stay
MAKING_SECONDS = 60  # for which a run is pinned while it is being frozen

# KEYS pins
# ARGV handle, seconds, most ("" = any number)
PIN = """
local now = tonumber(redis.call('TIME')[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if ARGV[3] ~= '' and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
return 1
"""

# KEYS run pins snapshots, snapshot and frozen of the handle
# ARGV handle, digest, label, created, expires, body, seconds
# A run that was flushed meanwhile has no snapshot.
KEEP = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('ZADD', KEYS[2], redis.call('TIME')[1] + tonumber(ARGV[7]), ARGV[1])
redis.call('ZADD', KEYS[3], ARGV[4], ARGV[1])
redis.call('HSET', KEYS[4], 'label', ARGV[3], 'digest', ARGV[2], 'expires', ARGV[5], 'uses', '0')
redis.call('SET', KEYS[5], ARGV[6], 'EX', ARGV[7])
return 1
"""

# KEYS pins, snapshot and frozen of the handle. ARGV handle, now
REVOKE = """
if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
redis.call('HSETNX', KEYS[2], 'revoked', ARGV[2])
redis.call('DEL', KEYS[3])
redis.call('ZREM', KEYS[1], ARGV[1])
return 1
"""

# KEYS pins, snapshot and frozen of the handle. ARGV handle, expires, seconds
# What has expired cannot be opened again: its points may be folded by now.
EXTEND = """
if redis.call('EXISTS', KEYS[3]) == 0 then return 0 end
redis.call('HSET', KEYS[2], 'expires', ARGV[2])
redis.call('EXPIRE', KEYS[3], ARGV[3])
redis.call('ZADD', KEYS[1], redis.call('TIME')[1] + tonumber(ARGV[3]), ARGV[1])
return 1
"""

# KEYS snapshot. ARGV now, times. Not of one that was forgotten meanwhile.
USE = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'used', ARGV[1])
return redis.call('HINCRBY', KEYS[1], 'uses', ARGV[2])
"""


class ShareStore:
    """Safe to share between threads. Every method raises StoreAway while Redis is away; times are Unix seconds."""

    def __init__(self, url: str) -> None:
        """``url`` as REDIS_URL; no connection is made before the first question."""
        self._client = Client(url)

    def close(self) -> None:
        """Close every connection."""
        self._client.close()

    def reserve(self, run_id: RunId, handle: str) -> bool:
        """Have nothing of the run folded while it is being frozen; False when too many of its snapshots are open."""
        own, *others = self._homes(run_id)
        with answering():
            if not self._client.run(PIN, [schema.pins(own)], [handle, MAKING_SECONDS, OPEN]):
                return False
        self._pin(others, handle, MAKING_SECONDS)
        return True

    def release(self, run_id: RunId, handle: str) -> None:
        """It was not frozen after all."""
        with answering():
            for home in self._homes(run_id):
                self._client.redis.zrem(schema.pins(home), handle)

    def keep(self, label: Label, digest: str, body: bytes) -> bool:
        """Keep what was frozen, and the pins until it expires; False when there is no such run any more."""
        keys = [schema.run(label.run), schema.pins(label.run), schema.snapshots(label.run), *_both(label)]
        seconds = _seconds(label.expires - label.created)
        said = [label.handle, digest, encode_label(label), repr(label.created), repr(label.expires)]
        with answering():
            if not self._client.run(KEEP, keys, [*said, body, seconds]):
                return False
        self._pin(self._homes(label.run)[1:], label.handle, seconds)
        self._forget(label.run)
        return True

    def _forget(self, run_id: RunId) -> None:
        """Of those that are not open the oldest, where too many are listed."""
        with answering():
            listed = cast(list[bytes], self._client.redis.zrange(schema.snapshots(run_id), 0, -1))
            if len(listed) <= schema.SNAPSHOTS:
                return
            is_open = set(cast(list[bytes], self._client.redis.zrange(schema.pins(run_id), 0, -1)))
            for one in [one for one in listed if one not in is_open][: len(listed) - schema.SNAPSHOTS]:
                self._client.redis.delete(schema.snapshot(run_id, one.decode()))
                self._client.redis.zrem(schema.snapshots(run_id), one)

    def label(self, run_id: RunId, handle: str) -> tuple[Label, str] | None:
        """What is said of a snapshot, and the hash of its id; None when there is none."""
        with answering():
            fields = self._client.redis.hmget(schema.snapshot(run_id, handle), list(schema.SNAPSHOT_FIELDS))
        return _read(cast(list[bytes | None], fields))

    def labels(self, run_id: RunId) -> list[Label]:
        """Every snapshot of a run that is remembered, the newest first."""
        with answering():
            handles = cast(list[bytes], self._client.redis.zrevrange(schema.snapshots(run_id), 0, -1))
            with self._client.redis.pipeline(transaction=False) as pipe:
                for one in handles:
                    pipe.hmget(schema.snapshot(run_id, one.decode()), list(schema.SNAPSHOT_FIELDS))
                found = [_read(one) for one in pipe.execute()]
        return [label for label, _ in filter(None, found)]

    def body(self, label: Label) -> bytes | None:
        """What was frozen; None when it is gone."""
        with answering():
            return cast(bytes | None, self._client.redis.get(schema.frozen(label.run, label.handle)))

    def revoke(self, label: Label, now: float) -> bool:
        """Close it for good; False when there is none. Its points may be folded from now on."""
        own, *others = self._homes(label.run)
        with answering():
            found = bool(self._client.run(REVOKE, [schema.pins(own), *_both(label)], [label.handle, repr(now)]))
            for home in others:
                self._client.redis.zrem(schema.pins(home), label.handle)
        return found

    def extend(self, label: Label, now: float, expires: float) -> Label | None:
        """Have it expire at another time; None when it is no longer open."""
        own, *others = self._homes(label.run)
        seconds = _seconds(expires - now)
        with answering():
            if not self._client.run(EXTEND, [schema.pins(own), *_both(label)], [label.handle, repr(expires), seconds]):
                return None
        self._pin(others, label.handle, seconds)
        return replace(label, expires=expires)

    def use(self, label: Label, now: float, times: int) -> None:
        """It was opened so many times more, the last time now."""
        with answering():
            self._client.run(USE, [schema.snapshot(label.run, label.handle)], [repr(now), times])

    def _pin(self, some: Sequence[RunId], handle: str, seconds: int) -> None:
        with answering():
            for home in some:
                self._client.run(PIN, [schema.pins(home)], [handle, seconds, ""])

    def _homes(self, run_id: RunId) -> list[RunId]:
        """The run's own home, and in a cluster all shards: one may be filled later."""
        with answering():
            shards = cast(bytes | None, self._client.redis.hget(schema.run(run_id), schema.SHARDS_FIELD))
        return [run_id, *(homes(run_id, int(shards)) if shards and int(shards) else [])]


def _seconds(some: float) -> int:
    """How long that is by Redis' own clock, which may be set otherwise than ours."""
    return max(1, ceil(some))


def _both(label: Label) -> list[str]:
    return [schema.snapshot(label.run, label.handle), schema.frozen(label.run, label.handle)]


def _read(fields: Sequence[bytes | None]) -> tuple[Label, str] | None:
    text, digest, expires, revoked, used, uses = fields
    if text is None or digest is None or expires is None:
        return None
    told = {"revoked": float(revoked) if revoked else None, "used": float(used) if used else None}
    return decode_label(text, expires=float(expires), **told, uses=int(uses or 0)), digest.decode()
