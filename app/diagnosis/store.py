"""What the diagnosis keeps in Redis, and what people say of it: the only part of the application that writes.

A change of alerts, what is to be told of it, and the memory of the rules at that place are written by one script, so
that a worker that is killed has either done all of it or nothing; it is fenced by a version, so that of two workers one
writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import redis

from app.diagnosis.alert import Alert
from app.diagnosis.client import Client
from app.diagnosis.handling import Handling, Mute
from app.diagnosis.memory import Saved
from app.diagnosis.notices import Changes
from app.diagnosis.notify.delivery import Delivery
from app.diagnosis.notify.notice import Notice
from app.diagnosis.vital import Vital
from app.follower import answering
from collector.wire import schema
from collector.wire.records import RunId

DECODED = 4_096  # alerts that are kept decoded: some 8 MB

# KEYS run diagnosis alerts outbox live handling
# ARGV expected version ("" = none), state, ranks ("" = as they are), live entry ("" = none), live field, live length,
#   outbox field, outbox length, then three counted groups: alerts {id text}, gone {id}, notices {text}
COMMIT = """
if redis.call('EXISTS', KEYS[1]) == 0 then return -1 end
if (redis.call('HGET', KEYS[2], 'version') or '') ~= ARGV[1] then return -1 end
local version = (tonumber(ARGV[1]) or 0) + 1
redis.call('HSET', KEYS[2], 'version', version, 'state', ARGV[2])
if ARGV[3] ~= '' then redis.call('HSET', KEYS[2], 'ranks', ARGV[3]) end
local at = 9
local count = tonumber(ARGV[at])
for i = 1, count do redis.call('HSET', KEYS[3], ARGV[at + 2 * i - 1], ARGV[at + 2 * i]) end
at = at + 2 * count + 1
count = tonumber(ARGV[at])
for i = 1, count do redis.call('HDEL', KEYS[3], ARGV[at + i]); redis.call('HDEL', KEYS[6], ARGV[at + i]) end
at = at + count + 1
count = tonumber(ARGV[at])
for i = 1, count do redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[8], '*', ARGV[7], ARGV[at + i]) end
if ARGV[4] ~= '' then redis.call('XADD', KEYS[5], 'MAXLEN', '~', ARGV[6], '*', ARGV[5], ARGV[4]) end
return version
"""

# KEYS alerts handling outbox live
# ARGV alert id, handling, notice ("" = none), outbox field, outbox length, live entry, live field, live length
HANDLE = """
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
if ARGV[3] ~= '' then redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[5], '*', ARGV[4], ARGV[3]) end
redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[8], '*', ARGV[7], ARGV[6])
return 1
"""


@dataclass(frozen=True, slots=True)
class Kept:
    """What is stored of a run's diagnosis. ``version`` is the fence, "" before anything was; ``state`` what the rules
    remember, None when nothing that can be read, ``ranks`` what those about ranks do."""

    version: str = ""
    state: Saved | None = None
    ranks: bytes = b""


class AlertStore:
    """Safe to share between threads. Every method raises StoreAway while Redis is away."""

    def __init__(self, url: str) -> None:
        """``url`` as redis-py takes it; no connection is made before the first question."""
        self._client = Client(url)

    def close(self) -> None:
        """Close every connection."""
        self._client.close()

    @property
    def _redis(self) -> redis.Redis:
        return self._client.redis

    def alerts(self, run_id: RunId) -> dict[str, Alert]:
        """Every alert of a run that is kept, by id, in order of their beginnings."""
        return self.several([run_id])[0][0]

    def handled(self, run_id: RunId) -> dict[str, Handling]:
        """What people said of the run's alerts, by id."""
        return self.several([run_id])[0][1]

    def several(self, run_ids: Sequence[RunId]) -> list[tuple[dict[str, Alert], dict[str, Handling]]]:
        """Both of each run."""
        with answering(), self._redis.pipeline(transaction=False) as pipe:
            for run_id in run_ids:
                pipe.hvals(schema.alerts(run_id))
                pipe.hgetall(schema.handling(run_id))
            found = pipe.execute()
        return [(_alerts(texts), _handled(said)) for texts, said in zip(found[::2], found[1::2], strict=True)]

    def mutes(self) -> list[Mute]:
        """Every mute, by id."""
        with answering():
            texts = cast(dict[bytes, bytes], self._redis.hgetall(schema.MUTES))
        return [Mute.decode(text) for _, text in sorted(texts.items())]

    def kept(self, run_id: RunId) -> Kept:
        """What the rules remember of a run."""
        with answering():
            fields = cast(dict[bytes, bytes], self._redis.hgetall(schema.diagnosis(run_id)))
        version = fields.get(schema.VERSION_FIELD.encode(), b"").decode()
        text = fields.get(schema.STATE_FIELD.encode())
        ranks = fields.get(schema.RANKS_FIELD.encode(), b"")
        return Kept(version, cast(Saved, json.loads(text)) if text else None, ranks)

    def commit(
        self, run_id: RunId, version: str, state: Saved, news: Changes, ranks: bytes | None = None
    ) -> str | None:
        """Write what changed since ``version``; the new version, None when somebody else wrote meanwhile or the run is
        gone: then nothing was written. ``ranks`` None: what is kept of ranks stays."""
        entry = schema.encode_alerts(len(news.changed) + len(news.gone)) if news else ""
        text = json.dumps(state, separators=(",", ":"), ensure_ascii=False)
        head: list[str | int | bytes] = [version, text, ranks or b"", entry, schema.LIVE_FIELD, schema.LIVE_LENGTH]
        head += [schema.OUTBOX_FIELD, schema.OUTBOX_LENGTH]
        keys = (schema.run, schema.diagnosis, schema.alerts, schema.outbox, schema.live, schema.handling)
        changed = [part for one in news.changed for part in (one.id, one.encode())]
        told = [one.encode() for one in news.notices]
        arguments: list[str | int | bytes] = [
            *head,
            len(news.changed),
            *changed,
            len(news.gone),
            *news.gone,
            len(told),
            *told,
        ]
        with answering():
            answer = cast(int, self._client.run(COMMIT, [key(run_id) for key in keys], arguments))
        return None if answer < 0 else str(answer)

    def handle(self, run_id: RunId, alert_id: str, said: Handling, notice: Notice | None) -> bool:
        """Write what people say of an alert; False when there is no such alert any more."""
        keys = (schema.alerts, schema.handling, schema.outbox, schema.live)
        told = notice.encode() if notice is not None else ""
        arguments: list[str | int] = [alert_id, said.encode(), told, schema.OUTBOX_FIELD, schema.OUTBOX_LENGTH]
        arguments += [schema.encode_alerts(1), schema.LIVE_FIELD, schema.LIVE_LENGTH]
        with answering():
            return bool(self._client.run(HANDLE, [key(run_id) for key in keys], arguments))

    def mute(self, one: Mute, runs: Sequence[RunId]) -> None:
        """Keep a mute, and have the open pages of ``runs`` learn of it."""
        with answering():
            self._redis.hset(schema.MUTES, one.id, one.encode())
        self._tell(runs)

    def unmute(self, mute_id: str, runs: Sequence[RunId]) -> bool:
        """Take a mute back; False when there is none."""
        with answering():
            found = bool(self._redis.hdel(schema.MUTES, mute_id))
        if found:
            self._tell(runs)
        return found

    def _tell(self, runs: Sequence[RunId]) -> None:
        fields = {schema.LIVE_FIELD: schema.encode_alerts(1)}
        with answering(), self._redis.pipeline(transaction=False) as pipe:
            for run_id in runs:
                pipe.xadd(schema.live(run_id), fields, maxlen=schema.LIVE_LENGTH, nomkstream=True)  # type: ignore[arg-type]  # by redis-py
            pipe.execute()

    def beat(self, sign: Vital) -> None:
        """Give a sign of life."""
        with answering(), self._redis.pipeline(transaction=False) as pipe:
            pipe.sadd(schema.DIAGNOSERS, sign.worker)
            pipe.set(schema.diagnoser(sign.worker), sign.encode(), ex=schema.HEARTBEAT_TTL)
            pipe.execute()

    def leave(self, worker_id: str) -> None:
        """Take the sign of life back: this worker ends as it should."""
        with answering():
            self._redis.delete(schema.diagnoser(worker_id))
            self._redis.srem(schema.DIAGNOSERS, worker_id)

    def vitals(self) -> list[Vital]:
        """Workers that gave a sign of life in the last thirty seconds."""
        with answering():
            ids = sorted(cast(set[bytes], self._redis.smembers(schema.DIAGNOSERS)))
            with self._redis.pipeline(transaction=False) as pipe:
                for one in ids:
                    pipe.get(schema.diagnoser(one.decode()))
                texts = cast(list[bytes | None], pipe.execute())
        return [Vital.decode(text) for text in texts if text is not None]

    def deliveries(self, count: int = 100) -> dict[str, list[Delivery]]:
        """What became of the newest messages of each channel, newest first."""
        with answering():
            names = sorted(one.decode() for one in cast(set[bytes], self._redis.smembers(schema.CHANNELS)))
            with self._redis.pipeline(transaction=False) as pipe:
                for name in names:
                    pipe.lrange(schema.deliveries(name), 0, count - 1)
                found = pipe.execute()
        return {name: [Delivery.decode(text) for text in texts] for name, texts in zip(names, found, strict=True)}


# Pages ask every other second, and of a run that goes on most alerts are as they were: an alert costs 40 µs to decode.
_decoded = lru_cache(maxsize=DECODED)(Alert.decode)


def _alerts(texts: Sequence[bytes]) -> dict[str, Alert]:
    found = sorted(map(_decoded, texts), key=lambda one: (one.attempt, one.raised_step, one.id))
    return {one.id: one for one in found}


def _handled(texts: Mapping[bytes, bytes]) -> dict[str, Handling]:
    return {name.decode(): Handling.decode(text) for name, text in texts.items()}
