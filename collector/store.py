"""The collector's side of Redis: one fenced commit, signs of life, what ``dump`` prints; the only importer of redis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol, cast

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from collector.batch import Batch, Committed, Conflict, Full, live_entry
from collector.config import masked
from collector.errors import InputError, StoreAway, StoreTooNew
from collector.shelf import Shelf
from collector.wire import schema
from collector.wire.folded import kept_of
from collector.wire.records import Heartbeat, RunId, RunRecord, SeriesMeta

CONNECT_SECONDS = 2.0
SERIES_BYTES = 512 * 2**20  # the longest string of Redis (proto-max-bulk-len): 22 million points of one series
ANSWER_SECONDS = 10.0  # a script of 4 MB takes milliseconds; a server that forks on a full machine takes seconds

# KEYS run cursors series generations facts events live, then one for each block of points.
# ARGV version name path demo live maxlen field limit, then seven counted groups:
#   fence {file expected ""=absent}, cursors {file text}, series {sid text}, generations {id text}, facts {name text},
#   events {text}, points {bytes}
# Nothing is written before every cursor has been compared and every series has been measured (APPEND beyond the limit
# would fail with half of the commit done); so a refusal leaves no trace.
_COMMIT = """
local at = 8
local function group(width)
  local count = tonumber(ARGV[at + 1])
  local first = at + 2
  at = at + 1 + count * width
  return first, count
end
local fence, fenced = group(2)
local stale = false
for i = 0, fenced - 1 do
  if (redis.call('HGET', KEYS[2], ARGV[fence + 2 * i]) or '') ~= ARGV[fence + 2 * i + 1] then stale = true end
end
if stale then
  local stored = {}
  for i = 0, fenced - 1 do stored[i + 1] = redis.call('HGET', KEYS[2], ARGV[fence + 2 * i]) or '' end
  return {0, unpack(stored)}
end
local after = at
for skipped = 1, 4 do group(2) end
group(1)
local first, count = group(1)
for i = 0, count - 1 do
  if redis.call('STRLEN', KEYS[8 + i]) + #ARGV[first + i] > tonumber(ARGV[8]) then return {2, i} end
end
at = after
for key = 2, 5 do
  first, count = group(2)
  for i = 0, count - 1 do redis.call('HSET', KEYS[key], ARGV[first + 2 * i], ARGV[first + 2 * i + 1]) end
end
first, count = group(1)
for i = 0, count - 1 do redis.call('RPUSH', KEYS[6], ARGV[first + i]) end
first, count = group(1)
for i = 0, count - 1 do redis.call('APPEND', KEYS[8 + i], ARGV[first + i]) end
local before = redis.call('HGET', KEYS[1], 'committed') or ''
redis.call('HSETNX', KEYS[1], 'created', ARGV[1])
redis.call('HSET', KEYS[1], 'name', ARGV[2], 'path', ARGV[3], 'demo', ARGV[4], 'committed', ARGV[1])
redis.call('XADD', KEYS[7], 'MAXLEN', '~', ARGV[6], '*', ARGV[7], ARGV[5])
return {1, ARGV[1], before}
"""

Argument = str | bytes | int


class RunStore(Protocol):
    """What the service needs of a store; every method may raise ``errors.StoreAway``."""

    def check(self) -> None: ...

    def cursors_of(self, runs: Sequence[RunId]) -> Sequence[Mapping[str, str]]: ...

    def commit(self, batch: Batch, now: float) -> Committed | Conflict | Full: ...

    def versions(self, runs: Sequence[RunId]) -> Sequence[str | None]: ...

    def beat(self, heartbeat: Heartbeat, runs: Sequence[RunId]) -> None: ...


class Store:
    """One Redis. Errors that pass with time (away, loading, busy, full, read-only) are ``StoreAway``: nothing was
    written, or it was and the next commit's fence will tell."""

    def __init__(self, url: str, series_bytes: int = SERIES_BYTES) -> None:
        self.address = masked(url)
        self._series_bytes = series_bytes
        try:
            self._redis = redis.Redis.from_url(
                url,
                retry=Retry(NoBackoff(), 0),
                socket_timeout=ANSWER_SECONDS,
                socket_connect_timeout=CONNECT_SECONDS,
                encoding_errors="replace",  # a path that is no UTF-8 must not stop the health report
            )
        except (ValueError, TypeError) as error:
            raise InputError(
                f"The Redis URL {self.address} is not understood: use redis://host:6379/0, rediss://… or unix://path."
            ) from error
        self._commit = self._redis.register_script(_COMMIT)
        self.shelf = Shelf(self._redis, self._patience)
        self._described: dict[RunId, set[str]] = {}  # series whose description is stored; forgotten on any doubt

    def close(self) -> None:
        self._redis.close()

    def check(self) -> None:
        """Refuse a store of another layout (``StoreTooNew``); mark a fresh one as ours."""
        with self._patience():
            self._redis.set(schema.VERSION_KEY, schema.SCHEMA_VERSION, nx=True)
            found = cast(bytes | None, self._redis.get(schema.VERSION_KEY)) or b""
            self._series_bytes = min(self._series_bytes, self._longest_string())
        if found.decode() != schema.SCHEMA_VERSION:
            raise StoreTooNew(
                f"Redis at {self.address} holds layout {found.decode()} and this collector writes layout "
                f"{schema.SCHEMA_VERSION}: use matching versions, or another database."
            )

    def cursors(self, run: RunId) -> Mapping[str, str]:
        """Every stored cursor of a run as text, by file."""
        return self.cursors_of([run])[0]

    def cursors_of(self, runs: Sequence[RunId]) -> Sequence[Mapping[str, str]]:
        """The same of several runs."""
        with self._patience(), self._redis.pipeline(transaction=False) as pipe:
            for run in runs:
                self._described.pop(run, None)
                pipe.hgetall(schema.cursors(run))
            found = cast(list[dict[bytes, bytes]], pipe.execute())
        return [{file.decode(): text.decode() for file, text in one.items()} for one in found]

    def commit(self, batch: Batch, now: float) -> Committed | Conflict | Full:
        """Apply a batch if the store is where it was read from; ``now`` in Unix seconds."""
        run = batch.run.id
        for block in batch.blocks:
            if len(block.points) > self._series_bytes:  # the server would not even take the argument
                return Full(block.meta.file)
        known = self._described.get(run, set())
        new = {block.meta.sid: block.meta for block in batch.blocks if block.meta.sid not in known}
        with self._patience():
            arguments = _arguments(batch, new, f"{now:.6f}", self._series_bytes)
            verdict, *answer = self._commit(keys=_keys(batch), args=arguments)
        if verdict == 2:
            return Full(batch.blocks[answer[0]].meta.file)
        if verdict == 1:
            if run not in self._described:  # only now, so that whoever reads the list finds the record
                self._register(run)
            self._described[run] = known | new.keys() if new else known
            return Committed(answer[0].decode(), answer[1].decode() or None)
        self._described.pop(run, None)
        stored = [text.decode() or None for text in answer]
        return Conflict(dict(zip((one.cursor.file for one in batch.progress), stored, strict=True)))

    def versions(self, runs: Sequence[RunId]) -> Sequence[str | None]:
        """Of each run the version that its last commit returned, None when there is no such run."""
        with self._patience(), self._redis.pipeline(transaction=False) as pipe:
            for run in runs:
                pipe.hget(schema.run(run), "committed")
            return [None if found is None else found.decode() for found in pipe.execute()]

    def beat(self, heartbeat: Heartbeat, runs: Sequence[RunId]) -> None:
        """Publish a sign of life, and put back what only a flush can have taken: layout, list of runs."""
        with self._patience(), self._redis.pipeline(transaction=False) as pipe:
            pipe.set(schema.VERSION_KEY, schema.SCHEMA_VERSION, nx=True)
            pipe.sadd(schema.COLLECTORS, heartbeat.collector)
            pipe.set(schema.collector(heartbeat.collector), heartbeat.encode(), ex=schema.HEARTBEAT_TTL)
            if runs:
                pipe.sadd(schema.RUNS, *runs)
            pipe.execute()

    def leave(self, collector: str) -> None:
        """Take the sign of life away: this collector stopped on purpose."""
        with self._patience(), self._redis.pipeline(transaction=False) as pipe:
            pipe.srem(schema.COLLECTORS, collector)
            pipe.delete(schema.collector(collector))
            pipe.execute()

    def runs(self) -> list[RunId]:
        """Ids of all stored runs, in order."""
        with self._patience():
            return sorted(RunId(one.decode()) for one in cast(set[bytes], self._redis.smembers(schema.RUNS)))

    def record(self, run: RunId) -> RunRecord | None:
        """What is stored of the run as a whole."""
        with self._patience():
            found = cast(dict[bytes, bytes], self._redis.hgetall(schema.run(run)))
        if not found:
            return None
        name, path, demo = (found.get(field, b"").decode() for field in (b"name", b"path", b"demo"))
        return RunRecord(run, name, path, demo == "1")

    def series(self, run: RunId) -> list[SeriesMeta]:
        """The register of a run's series, in order of their identity."""
        with self._patience():
            texts = cast(list[bytes], self._redis.hvals(schema.series(run)))
        return sorted(map(SeriesMeta.decode, texts), key=lambda meta: meta.sid)

    def points(self, run: RunId, sids: Iterable[str]) -> list[bytes]:
        """The packed points of each series; of older ones that are folded those that were kept."""
        with self._patience(), self._redis.pipeline(transaction=True) as pipe:
            for sid in sids:
                pipe.get(schema.folded(run, sid))
                pipe.get(schema.points(run, sid))
            found = [one or b"" for one in pipe.execute()]
        return [kept_of(folded) + block for folded, block in zip(found[::2], found[1::2], strict=True)]

    def _longest_string(self) -> int:
        """What this server is set to; one that does not tell (a managed one) has the limit that all have."""
        try:
            answer = cast(dict[str, str], self._redis.config_get("proto-max-bulk-len"))
        except redis.ResponseError:
            return SERIES_BYTES
        return int(answer.get("proto-max-bulk-len", SERIES_BYTES))

    def _register(self, run: RunId) -> None:
        with self._patience():
            self._redis.sadd(schema.RUNS, run)

    @contextmanager
    def _patience(self) -> Iterator[None]:
        try:
            yield
        except redis.RedisError as error:
            raise StoreAway(f"Redis at {self.address} does not take commands ({_words(error)})") from error


def _keys(batch: Batch) -> list[str]:
    run = batch.run.id
    return [
        schema.run(run),
        schema.cursors(run),
        schema.series(run),
        schema.generations(run),
        schema.facts(run),
        schema.events(run),
        schema.live(run),
        *(schema.points(run, block.meta.sid) for block in batch.blocks),
    ]


def _arguments(batch: Batch, described: Mapping[str, SeriesMeta], version: str, limit: int) -> list[Argument]:
    run = batch.run
    head: list[Argument] = [version, run.name, run.path, int(run.demo), live_entry(batch)]
    head += [schema.LIVE_LENGTH, schema.LIVE_FIELD, limit]
    generations = ((f"{one.file}\x1f{one.generation}", one.encode()) for one in batch.generations)
    return [
        *head,
        *_pairs((one.cursor.file, one.expected or "") for one in batch.progress),
        *_pairs((one.cursor.file, one.text) for one in batch.progress),
        *_pairs((sid, meta.encode()) for sid, meta in described.items()),
        *_pairs(generations),
        *_pairs((batch.facts or {}).items()),
        len(batch.events),
        *(event.encode() for event in batch.events),
        len(batch.blocks),
        *(block.points for block in batch.blocks),
    ]


def _pairs(pairs: Iterable[tuple[str, str]]) -> list[Argument]:
    flat: list[Argument] = [part for pair in pairs for part in pair]
    return [len(flat) // 2, *flat]


def _words(error: redis.RedisError) -> str:
    """The error's first line, short; redis-py puts no password into its messages."""
    return (str(error).splitlines() or [""])[0][:200] or type(error).__name__
