"""Where the files of each run lie: under the run's own tag, or in a cluster spread over its shards (wire.shards).

A commit in a shard cannot be one with the run's live stream, which lies in another slot, so that is told afterwards.
What a crash leaves untold between the two is seen by its version, and told then; and the first entry of a process for a
run, or after any doubt, is the word to read everything again. So no open page keeps a gap, or points that are no more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import cast

import redis

from collector.batch import Batch, Committed, live_entry
from collector.commit_script import ANNOUNCE, announcement
from collector.errors import StoreAway
from collector.wire import schema, shards
from collector.wire.records import RunId, RunRecord

AT_ONCE = 64  # runs whose shards are all asked for their versions: a thousand runs would take a third of a second
Fields = Mapping[bytes, bytes]
Last = list[str]
"""What the last commit in each home of a run was called; empty where there was none."""


class Spread:
    """Every method but those that name homes raises ``errors.StoreAway`` while Redis is away."""

    def __init__(
        self, client: redis.Redis, patience: Callable[[], AbstractContextManager[None]], count: int = 0
    ) -> None:
        """The store's own connection, what makes StoreAway of its errors, and how many shards a run gets that begins
        now; 0: this is no cluster, and nothing is asked for."""
        self._redis, self._patience = client, patience
        self._announce = client.register_script(ANNOUNCE)
        self._usual = count
        self._count: dict[RunId, int] = {}  # as the store has it
        self._last: dict[RunId, Last] = {}
        self._top: dict[RunId, str] = {}  # what the last commit of a run was called, wherever it was
        self._turn = 0
        self._told: set[RunId] = set()  # runs whose pages know of every commit of ours
        self._untold: dict[RunId, set[tuple[int, str]]] = {}  # shards and versions, when last seen

    def shards(self, run: RunId) -> int:
        """How many shards a run has, or will have."""
        return self._count.get(run, self._usual)

    def homes(self, run: RunId) -> list[RunId]:
        """All homes of a run's files; right once ``versions`` was asked for."""
        return shards.homes(run, self.shards(run))

    def filled(self, run: RunId) -> list[RunId]:
        """Those of them in which something was when ``versions`` was asked for."""
        homes = self.homes(run)
        return (
            [one for one, text in zip(homes, self._last.get(run, ()), strict=False) if text] if self._usual else homes
        )

    def home(self, run: RunId, file: str) -> RunId:
        """Where all of a file lies."""
        return shards.home(run, self.shards(run), file)

    def of_series(self, run: RunId, sid: str) -> RunId:
        """Where a series lies."""
        return shards.home_of(run, self.shards(run), sid)

    def doubt(self, run: RunId) -> None:
        """Pages may know points that are stored no more: the next commit tells them to read again."""
        self._told.discard(run)

    def know(self, run: RunId) -> None:
        """Find out how many shards a run has that nobody asked for yet."""
        if self._usual and run not in self._count:
            self.versions([run])

    def enter(self, batch: Batch) -> RunId:
        """Where to commit a batch; its run has its number of shards from now on."""
        run = batch.run.id
        self.know(run)
        if self._usual and run not in self._count:
            self._settle(run)
        homes = {self.home(run, one.cursor.file) for one in batch.progress}
        if len(homes) > 1:  # it was gathered for another number of shards
            raise StoreAway(f"Run {run} has {self.shards(run)} shards, which was not known")
        return homes.pop()

    def committed(self, batch: Batch, home: RunId, version: str, before: str) -> Committed:
        """What to say of a batch that is stored, where ``before`` was the last one; open pages are told of it."""
        run, homes = batch.run.id, self.homes(batch.run.id)
        last = self._last.setdefault(run, [""] * len(homes))
        at = homes.index(home)
        was = _joined([*last[:at], before, *last[at + 1 :]])
        if home != run:
            entry = live_entry(batch, reload=run not in self._told)
            self._told.discard(run)
            self._say(batch.run, version, entry, {at: version})
            self._told.add(run)
        last[at] = self._top[run] = version
        return Committed(_joined(last) or version, was)

    def versions(self, runs: Sequence[RunId]) -> list[str | None]:
        """Of each run what its last commits were called, None when there is no such run. Of very many runs some are
        looked at in all shards, in turn; of the others only those whose last commit was none of ours, and new ones."""
        if len(runs) <= AT_ONCE:
            return self._looked(runs)
        self._turn = self._turn + AT_ONCE if self._turn < len(runs) else 0
        due = set(runs[self._turn : self._turn + AT_ONCE])
        with self._patience(), self._redis.pipeline(transaction=False) as pipe:
            for run in runs:
                pipe.hget(schema.run(run), "committed")
            tops = [(one or b"").decode() for one in pipe.execute()]
        wanted = [run for run, top in zip(runs, tops, strict=True) if run in due or self._top.get(run) != top]
        found = dict(zip(wanted, self._looked(wanted), strict=True))
        return [found[run] if run in found else _joined(self._last[run]) for run in runs]

    def _looked(self, runs: Sequence[RunId]) -> list[str | None]:
        """The same by all of their shards."""
        with self._patience(), self._redis.pipeline(transaction=False) as pipe:
            for run in runs:
                pipe.hgetall(schema.run(run))
                for home in self.homes(run):
                    pipe.hmget(schema.run(home), "committed", schema.SHARDS_FIELD)
            found = iter(pipe.execute())
        return [self._version(run, next(found), [next(found) for _ in self.homes(run)]) for run in runs]

    def _version(self, run: RunId, top: Fields, parts: Sequence[Sequence[bytes | None]]) -> str | None:
        count = _count(top, parts)
        if count is None:
            self._count.pop(run, None)
            self._last.pop(run, None)
            self._top.pop(run, None)
            return None
        before, self._count[run] = self.shards(run), count
        if before != count:  # others were asked than those that there are
            return self._looked([run])[0]
        self._top[run] = top.get(b"committed", b"").decode()
        self._last[run] = [(committed or b"").decode() for committed, _ in parts]
        if count:
            self._mend(run, top)
        return _joined(self._last[run])

    def _mend(self, run: RunId, top: Fields) -> None:
        """Tell of commits that are seen untold a second time (the first time they may be on their way), and put back
        what a primary of the run's own slot lost."""
        versions = enumerate(self._last[run])
        told = {number: top.get(schema.told_field(number).encode(), b"").decode() for number, _ in versions}
        untold = {(number, text) for number, text in enumerate(self._last[run]) if text and told[number] != text}
        late = untold & self._untold.pop(run, set())
        if late:
            number, _ = min(late)
            with self._patience():
                found = cast(dict[bytes, bytes], self._redis.hgetall(schema.run(self.homes(run)[number])))
            newest = max((text for _, text in untold), key=float)
            self._say(
                record_of(run, found), newest, schema.encode_live([], total=1, events=1, reload=True), dict(untold)
            )
        elif untold:
            self._untold[run] = untold
            self._top.pop(run)  # so that it is looked at the next time

    def _settle(self, run: RunId) -> None:
        """Give a run that begins its number of shards; whoever was first with another one is followed."""
        with self._patience():
            self._redis.hsetnx(schema.run(run), schema.SHARDS_FIELD, str(self._usual))
            found = cast(bytes, self._redis.hget(schema.run(run), schema.SHARDS_FIELD))
        self._count[run] = int(found)

    def _say(self, run: RunRecord, version: str, entry: str, told: Mapping[int, str]) -> None:
        keys, arguments = announcement(run, version, entry, last=self._last[run.id], told=told)
        with self._patience():
            self._announce(keys=keys, args=arguments)


def record_of(run: RunId, fields: Fields) -> RunRecord:
    """What is stored of a run as a whole, in its own hash or a shard's."""
    name, path, demo = (fields.get(field, b"").decode() for field in (b"name", b"path", b"demo"))
    return RunRecord(run, name, path, demo == "1")


def _count(top: Fields, parts: Sequence[Sequence[bytes | None]]) -> int | None:
    """How many shards a run has by what is stored, None when nothing is. 0: it began before runs were spread."""
    if (told := top.get(schema.SHARDS_FIELD.encode())) is not None:
        return int(told)
    found = next((int(count) for _, count in parts if count), None)
    return 0 if found is None and b"committed" in top else found


def _joined(last: Sequence[str]) -> str | None:
    return ",".join(last) if any(last) else None
