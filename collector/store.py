"""The collector's side of Redis: one fenced commit, signs of life, what ``dump`` prints; the only importer of redis."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, cast

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.connection import parse_url
from redis.exceptions import RedisClusterException
from redis.retry import Retry

from collector.batch import Batch, Committed, Conflict, Full
from collector.commit_script import COMMIT, arguments_of, keys_of
from collector.config import masked
from collector.errors import InputError, StoreAway, StoreTooNew
from collector.shelf import Shelf
from collector.spread import Spread, record_of
from collector.wire import schema
from collector.wire.address import is_cluster, nodes_of
from collector.wire.floor import concern
from collector.wire.folded import kept_of
from collector.wire.packed import points_of
from collector.wire.records import Heartbeat, RunId, RunRecord, SeriesMeta
from collector.wire.shards import SHARDS, by_home

Described = tuple[str, int | None]
"""A series and its rank, which may become known later than its first point."""

CONNECT_SECONDS = 2.0
SERIES_BYTES = 512 * 2**20  # the longest string of Redis (proto-max-bulk-len): 22 million points of one series
ANSWER_SECONDS = 10.0  # a script of 4 MB takes milliseconds; a server that forks on a full machine takes seconds
_ASKED: dict[str, Any] = {
    "retry": Retry(NoBackoff(), 0),
    "socket_timeout": ANSWER_SECONDS,
    "socket_connect_timeout": CONNECT_SECONDS,
    "encoding_errors": "replace",  # a path that is no UTF-8 must not stop the health report
}


class RunStore(Protocol):
    """What the service needs of a store; every method may raise ``errors.StoreAway``."""

    def check(self) -> None: ...

    def home(self, run: RunId, file: str) -> RunId: ...

    def doubt(self, run: RunId) -> None: ...

    def cursors_of(self, runs: Sequence[RunId]) -> Sequence[Mapping[str, str]]: ...

    def commit(self, batch: Batch, now: float) -> Committed | Conflict | Full: ...

    def versions(self, runs: Sequence[RunId]) -> Sequence[str | None]: ...

    def beat(self, heartbeat: Heartbeat, runs: Sequence[RunId], facts: Mapping[str, str] | None = None) -> None: ...

    def hosts(self) -> Collection[str]: ...

    def skew(self) -> tuple[float, float] | None: ...


class Store:
    """One Redis, or a cluster. Errors that pass with time (away, loading, busy, full, read-only) are ``StoreAway``:
    nothing was written, or it was and the next commit's fence will tell."""

    def __init__(
        self,
        url: str,
        series_bytes: int = SERIES_BYTES,
        clock: Callable[[], float] = time.time,
        *,
        shards: int = SHARDS,
    ) -> None:
        """``shards``: of a run that begins in a cluster."""
        self.address = masked(url)
        self._clock = clock
        self._series_bytes = series_bytes
        try:
            with self._patience():
                self._redis = _client(url)
        except (ValueError, TypeError) as error:
            raise InputError(
                f"The Redis URL {self.address} is not understood: use redis://host:6379/0, rediss://…, unix://path, or "
                "redis+cluster://host:6379,host:6379."
            ) from error
        self._commit = self._redis.register_script(COMMIT)
        self._spread = Spread(self._redis, self._patience, shards if is_cluster(url) else 0)
        self.home, self.doubt = self._spread.home, self._spread.doubt
        self._is_cluster = is_cluster(url)
        self.shelf = Shelf(self._redis, self._patience, self._spread)
        self._described: dict[RunId, set[Described]] = {}  # series whose description is stored; forgotten on any doubt

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

    def concern(self) -> str:
        """What is wrong with the server itself, in a sentence; empty when nothing is, or when it may not be asked."""
        try:
            told = cast(dict[str, object], self._redis.info("server"))
        except (redis.RedisError, RedisClusterException):
            return ""
        # of a cluster the answer of each node, by its name
        several = [one for one in told.values() if isinstance(one, dict)] if self._is_cluster else [told]
        return next((said for said in map(concern, several) if said), "")

    def cursors(self, run: RunId) -> Mapping[str, str]:
        """Every stored cursor of a run as text, by file."""
        self.versions([run])
        return self.cursors_of([run])[0]

    def cursors_of(self, runs: Sequence[RunId]) -> Sequence[Mapping[str, str]]:
        """The same of several runs, right once their ``versions`` were asked for."""
        with self._patience(), self._redis.pipeline(transaction=False) as pipe:
            for run in runs:
                self._described.pop(run, None)
                for home in self._spread.filled(run):
                    pipe.hgetall(schema.cursors(home))
            found = iter(cast(list[dict[bytes, bytes]], pipe.execute()))
        parts = [[next(found) for _ in self._spread.filled(run)] for run in runs]
        return [{file.decode(): text.decode() for part in one for file, text in part.items()} for one in parts]

    def commit(self, batch: Batch, now: float) -> Committed | Conflict | Full:
        """Apply a batch if the store is where it was read from; ``now`` in Unix seconds."""
        run = batch.run.id
        for block in batch.blocks:
            if len(block.points) > self._series_bytes:  # the server would not even take the argument
                return Full(block.meta.file)
        known = self._described.get(run, set())
        new = {
            (sid, block.meta.rank): block.meta
            for block in batch.blocks
            if ((sid := block.meta.sid), block.meta.rank) not in known
        }
        home, shards = self._spread.enter(batch), self._spread.shards(run)
        with self._patience():
            arguments = arguments_of(batch, new.values(), f"{now:.6f}", self._series_bytes, shards)
            verdict, *answer = self._commit(keys=keys_of(batch, home), args=arguments)
        if verdict == 2:
            return Full(batch.blocks[answer[0]].meta.file)
        if verdict == 1:
            if run not in self._described:  # only now, so that whoever reads the list finds the record
                self._register(run)
            self._described[run] = known | new.keys() if new else known
            return self._spread.committed(batch, home, answer[0].decode(), answer[1].decode())
        self._described.pop(run, None)
        stored = [text.decode() or None for text in answer]
        return Conflict(dict(zip((one.cursor.file for one in batch.progress), stored, strict=True)))

    def versions(self, runs: Sequence[RunId]) -> Sequence[str | None]:
        """Of each run the version that its last commit returned, None when there is no such run."""
        if self._is_cluster:
            return self._spread.versions(runs)
        with self._patience(), self._redis.pipeline(transaction=False) as pipe:
            for run in runs:
                pipe.hget(schema.run(run), "committed")
            return [None if found is None else found.decode() for found in pipe.execute()]

    def hosts(self) -> Collection[str]:
        """Hosts from which a collector gives signs of life."""
        with self._patience():
            names = [one.decode() for one in cast(set[bytes], self._redis.smembers(schema.COLLECTORS))]
            texts = [cast(bytes | None, self._redis.get(schema.collector(one))) for one in names]
        return {Heartbeat.decode(text).host for text in texts if text}

    def skew(self) -> tuple[float, float] | None:
        """Seconds by which our clock is ahead of the server's, and within how many that is certain: half of what the
        question took. None when the server does not tell (an ACL without TIME)."""
        asked = self._clock()
        with self._patience():
            try:
                seconds, micros = self._redis.time()
            except redis.ResponseError:
                return None
        within = (self._clock() - asked) / 2
        return round(asked + within - (seconds + micros / 1e6), 6), round(within, 6)

    def beat(self, heartbeat: Heartbeat, runs: Sequence[RunId], facts: Mapping[str, str] | None = None) -> None:
        """Publish a sign of life, and put back what only a flush can have taken: layout, list of runs; ``facts`` are
        told of each of the runs."""
        with self._patience(), self._redis.pipeline(transaction=False) as pipe:
            pipe.set(schema.VERSION_KEY, schema.SCHEMA_VERSION, nx=True)
            pipe.sadd(schema.COLLECTORS, heartbeat.collector)
            pipe.set(schema.collector(heartbeat.collector), heartbeat.encode(), ex=schema.HEARTBEAT_TTL)
            if runs:
                pipe.sadd(schema.RUNS, *runs)
            for run in runs:
                for name, text in (facts or {}).items():
                    pipe.hset(schema.facts(run), name, text)
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
        return record_of(run, found) if found else None

    def series(self, run: RunId) -> list[SeriesMeta]:
        """The register of a run's series, in order of their identity."""
        self._spread.know(run)
        with self._patience():
            texts = [
                text
                for home in self._spread.homes(run)
                for text in cast(list[bytes], self._redis.hvals(schema.series(home)))
            ]
        return sorted(map(SeriesMeta.decode, texts), key=lambda meta: meta.sid)

    def points(self, run: RunId, sids: Iterable[str]) -> list[bytes]:
        """The packed points of each series; of older ones that are folded those that were kept."""
        wanted, found = list(sids), dict[int, bytes]()
        self._spread.know(run)
        for home, places in by_home(run, self._spread.shards(run), wanted).items():
            found |= zip(places, self._points(home, [wanted[place] for place in places]), strict=True)
        return [found[place] for place in range(len(wanted))]

    def _points(self, home: RunId, sids: Sequence[str]) -> list[bytes]:
        with self._patience(), self._redis.pipeline(transaction=True) as pipe:
            for sid in sids:
                pipe.get(schema.folded(home, sid))
                pipe.get(schema.packed(home, sid))
                pipe.get(schema.points(home, sid))
            found = iter([one or b"" for one in pipe.execute()])
        return [kept_of(folded) + points_of(packed) + exact for folded, packed, exact in zip(*[found] * 3, strict=True)]

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
        except (redis.RedisError, RedisClusterException) as error:
            raise StoreAway(f"Redis at {self.address} does not take commands ({_words(error)})") from error


def _client(url: str) -> redis.Redis:
    """The server, or the nodes of a cluster, which are asked for their slots at once: all keys of a run are in one."""
    first, *others = nodes_of(url)
    if not others and not is_cluster(url):
        return redis.Redis.from_url(first, **_ASKED)
    nodes = [_node(one) for one in others]
    cluster = RedisCluster.from_url(first, startup_nodes=nodes, **_ASKED)
    return cast(redis.Redis, cluster)  # it takes the same commands


def _node(url: str) -> ClusterNode:
    named = parse_url(url)  # type: ignore[no-untyped-call]  # by redis-py, as the next one
    return ClusterNode(named["host"], named.get("port", 6379))  # type: ignore[no-untyped-call]


def _words(error: Exception) -> str:
    """The error's first line, short; redis-py puts no password into its messages."""
    return (str(error).splitlines() or [""])[0][:200] or type(error).__name__
