"""The sender's side of Redis: what is new in the outboxes of all runs, and what one channel has made of it.

What a channel knows, up to where it has read, and its log are written by one script behind a fence: a sender that is
killed has done all of it or nothing, and one that has lost its lease writes nothing any more.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import redis

from app.diagnosis.client import Client
from app.diagnosis.memory import Saved
from app.diagnosis.notify.delivery import Delivery
from app.diagnosis.notify.notice import Notice
from app.follower import answering
from collector.wire import schema
from collector.wire.records import RunId

LOG = logging.getLogger(__name__)
START = "0"
PIECE = 2_000  # entries of one run that are read at once

# KEYS sender deliveries
# ARGV expected number, text, most deliveries, deliveries…
SAVE = """
local now = redis.call('GET', KEYS[1])
if (now and string.match(now, '^(%d+) ') or '0') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], string.format('%d ', tonumber(ARGV[1]) + 1) .. ARGV[2])
for i = 4, #ARGV do redis.call('LPUSH', KEYS[2], ARGV[i]) end
if #ARGV > 3 then redis.call('LTRIM', KEYS[2], 0, tonumber(ARGV[3]) - 1) end
return 1
"""
# KEYS lease
# ARGV who, milliseconds
LEASE = """
local now = redis.call('GET', KEYS[1])
if now and now ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""


@dataclass(frozen=True, slots=True)
class Kept:
    """``number`` is the fence; ``desk`` None where nothing was kept; ``positions`` how far each outbox was read."""

    number: int
    desk: Saved | None
    positions: Mapping[RunId, str]


@dataclass(frozen=True, slots=True)
class News:
    """What was read of the outboxes, in order, and how far that is."""

    notices: Sequence[Notice]
    positions: Mapping[RunId, str]


class Box:
    """One channel's; of one thread. Every method raises StoreAway while Redis is away."""

    def __init__(self, url: str, channel: str, who: str) -> None:
        """``who`` names this process among all that might send."""
        self._client = Client(url)
        self.channel, self._who = channel, who

    def close(self) -> None:
        """Close every connection."""
        self._client.close()

    @property
    def _redis(self) -> redis.Redis:
        return self._client.redis

    def is_mine(self, seconds: float = schema.LEASE_SECONDS) -> bool:
        """Whether this process is the one that sends, for so many seconds from now on."""
        with answering():
            return bool(self._client.run(LEASE, [schema.lease(self.channel)], [self._who, int(seconds * 1000)]))

    def leave(self) -> None:
        """Let another process send at once."""
        with answering():
            if self._redis.get(schema.lease(self.channel)) == self._who.encode():
                self._redis.delete(schema.lease(self.channel))

    def load(self) -> Kept:
        """What is kept of the channel."""
        with answering(), self._redis.pipeline(transaction=False) as pipe:
            pipe.sadd(schema.CHANNELS, self.channel)
            pipe.get(schema.sender(self.channel))
            text = cast(bytes | None, pipe.execute()[1])
        if text is None:
            return Kept(0, None, {})
        number, _, told = text.decode().partition(" ")
        kept = json.loads(told)
        return Kept(int(number), kept["desk"], {RunId(run): at for run, at in kept["positions"].items()})

    def save(self, number: int, desk: Saved, positions: Mapping[RunId, str], log: Sequence[Delivery] = ()) -> bool:
        """Write it; False when somebody else has written since ``number``: then nothing was."""
        text = json.dumps({"desk": desk, "positions": positions}, ensure_ascii=False, separators=(",", ":"))
        keys = [schema.sender(self.channel), schema.deliveries(self.channel)]
        arguments: list[str | int] = [number, text, schema.DELIVERIES, *(one.encode() for one in log)]
        with answering():
            return bool(self._client.run(SAVE, keys, arguments))

    def news(self, positions: Mapping[RunId, str]) -> News:
        """What follows ``positions`` in the outboxes; runs that are gone are no longer in what comes back."""
        with answering():
            runs = sorted(RunId(one.decode()) for one in cast(set[bytes], self._redis.smembers(schema.RUNS)))
            with self._redis.pipeline(transaction=False) as pipe:
                for run in runs:
                    pipe.xrange(schema.outbox(run), min=f"({positions.get(run, START)}", count=PIECE)
                found = pipe.execute()
        now = {run: positions.get(run, START) for run in runs}
        now |= {run: entries[-1][0].decode() for run, entries in zip(runs, found, strict=True) if entries}
        told = [one for entries in found for _, fields in entries if (one := _notice(fields)) is not None]
        return News(told, now)


def _notice(fields: Mapping[bytes, bytes]) -> Notice | None:
    """An entry that cannot be read, of another version perhaps, must not keep the others from being told."""
    try:
        return Notice.decode(fields[schema.OUTBOX_FIELD.encode()])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        LOG.warning("An entry of an outbox cannot be read and is passed over (%s).", type(error).__name__)
        return None
