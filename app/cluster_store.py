"""Everything the application reads from a Redis Cluster, where a run is spread over shards (wire.shards): each shard is
read as a run is, at its node, and what they hold is put together."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar

from app.cluster_follower import ClusterFollower
from app.event_cache import MOST
from app.joined import Joined
from app.layers import Place
from app.merging import Series, joined_events, joined_lean, joined_run, united
from app.node_store import NodeStore
from app.nodes import Nodes
from app.store import EVENTS, RedisRunStore
from app.stored import LeanRun, LiveEntry, LiveFollower, StoreAway, StoredEvents, StoredRun
from collector.wire import schema
from collector.wire.address import is_cluster, nodes_of
from collector.wire.question import LogQuestion
from collector.wire.records import Cursor, Heartbeat, RunId
from collector.wire.shards import SHARDS, by_home, home_of, homes

Answer = TypeVar("Answer")
Wanted = TypeVar("Wanted")


def opened(url: str, *, cache_bytes: int = 256 * 2**20) -> RedisRunStore | ClusterRunStore:
    """The store at an address, whichever kind it is. Raises ValueError for one that makes no sense."""
    kind = ClusterRunStore if is_cluster(url) else RedisRunStore
    return kind(url, cache_bytes=cache_bytes)


class ClusterRunStore:
    """RunStore on a cluster; safe to share between threads."""

    def __init__(self, url: str, *, cache_bytes: int = 256 * 2**20) -> None:
        """No connection is made before the first question; ``cache_bytes`` are shared by the nodes."""
        self._url = url
        each = cache_bytes // len(nodes_of(url))
        self._nodes = Nodes(url, lambda one: NodeStore(one, cache_bytes=each, shards=SHARDS))
        self._spread: dict[RunId, int] = {}  # over how many shards each run is spread, when last seen
        self._series: Joined[Series, Series] = Joined(united)
        self._events: Joined[StoredEvents, StoredEvents] = Joined(lambda parts: joined_events(parts, MOST))

    def close(self) -> None:
        """Close every connection."""
        self._nodes.close()

    @property
    def url(self) -> str:
        """See RunStore."""
        return self._url

    def version(self) -> str | None:
        """See RunStore."""
        return self._nodes.at(schema.VERSION_KEY, NodeStore.version)

    def runs(self) -> Sequence[RunId]:
        """See RunStore."""
        return self._nodes.at(schema.RUNS, NodeStore.runs)

    def run(self, run_id: RunId) -> StoredRun | None:
        """See RunStore. Each shard at one moment, all of them after the position in the live stream."""
        top = self._of(run_id, lambda node: node.run(run_id))
        if top is None or (shards := self._homes(run_id)) == [run_id]:
            return top
        found = [self._of(one, partial(NodeStore.run, run_id=one)) for one in shards]
        parts = [one for one in found if one is not None]
        return joined_run(top, parts, self._series.of(run_id, [one.series for one in parts]), EVENTS)

    def lean(self, run_id: RunId) -> LeanRun | None:
        """See RunStore."""
        top = self._of(run_id, lambda node: node.lean(run_id))
        if top is None or (shards := self._homes(run_id)) == [run_id]:
            return top
        found = [self._of(one, partial(NodeStore.lean, run_id=one)) for one in shards]
        parts = [one for one in found if one is not None]
        return joined_lean(top, parts, self._series.of(run_id, [one.series for one in parts]))

    def hosts(self, run_id: RunId) -> Mapping[str, str]:
        """See RunStore."""
        found: dict[str, str] = {}
        for one in self._homes(run_id):
            found |= self._of(one, partial(NodeStore.hosts, run_id=one))
        return found

    def events(self, run_id: RunId) -> StoredEvents:
        """See RunStore."""
        parts = [self._of(one, partial(NodeStore.events, run_id=one)) for one in self._homes(run_id)]
        return self._events.of(run_id, parts)

    def event_counts(self, run_id: RunId) -> Mapping[str, int]:
        """See RunStore."""
        found: dict[str, int] = {}
        for one in self._homes(run_id):
            found |= self._of(one, partial(NodeStore.event_counts, run_id=one))
        return found

    def events_until(self, run_id: RunId, counts: Mapping[str, int]) -> StoredEvents:
        """See RunStore."""
        homes_of = [RunId(one) for one in counts]
        parts = [self._of(one, partial(NodeStore.events_until, run_id=one, counts=counts)) for one in homes_of]
        return joined_events(parts, MOST)

    def cursors(self, run_id: RunId) -> Sequence[Cursor]:
        """See RunStore."""
        return [
            cursor for one in self._homes(run_id) for cursor in self._of(one, partial(NodeStore.cursors, run_id=one))
        ]

    def ask(self, question: LogQuestion, seconds: float) -> bytes | None:
        """See RunStore. Each node passes on what it is told, and counts its own listeners alone."""
        began, listeners = time.monotonic(), 0
        for node in self._nodes.every():
            with suppress(StoreAway):  # of a node that is away there are none
                listeners += node.listeners()
        left = began + seconds - time.monotonic()
        return self._nodes.at(schema.ASKS, lambda node: node.ask(question, left, listeners))

    def marks(self, run_ids: Sequence[RunId]) -> Sequence[bytes]:
        """See RunStore."""
        keys = [schema.run(one) for one in run_ids]
        return self._nodes.each(keys, lambda node, places: node.marks([run_ids[one] for one in places]))

    def heartbeats(self) -> Sequence[Heartbeat]:
        """See RunStore."""
        ids = self._nodes.at(schema.COLLECTORS, NodeStore.collectors)
        keys = [schema.collector(one) for one in ids]
        texts = self._nodes.each(keys, lambda node, places: node.signs([ids[one] for one in places]))
        return [Heartbeat.decode(text) for text in texts if text is not None]

    def live_after(self, run_id: RunId, position: str) -> Sequence[LiveEntry] | None:
        """See RunStore."""
        return self._of(run_id, lambda node: node.live_after(run_id, position))

    def live_before(self, run_id: RunId, position: str, count: int) -> Sequence[LiveEntry]:
        """See RunStore."""
        return self._of(run_id, lambda node: node.live_before(run_id, position, count))

    def follow(self) -> LiveFollower:
        """See RunStore."""
        return ClusterFollower(self._nodes)

    def lengths(self, run_id: RunId, sids: Sequence[str]) -> Sequence[int]:
        """See RunStore."""
        return self._each(run_id, sids, sids, NodeStore.lengths)

    def points(self, run_id: RunId, sids: Sequence[str]) -> Sequence[bytes]:
        """See RunStore."""
        return self._each(run_id, sids, sids, NodeStore.points)

    def kept(self, run_id: RunId, sids: Sequence[str]) -> Sequence[int]:
        """See RunStore."""
        return self._each(run_id, sids, sids, NodeStore.kept)

    def folds(self, run_id: RunId, sids: Sequence[str]) -> Sequence[tuple[int, int]]:
        """See RunStore."""
        return self._each(run_id, sids, sids, NodeStore.folds)

    def folded(self, run_id: RunId, sids: Sequence[str]) -> Sequence[bytes]:
        """See RunStore."""
        return self._each(run_id, sids, sids, NodeStore.folded)

    def heads(self, run_id: RunId, sids: Sequence[str]) -> Sequence[bytes]:
        """See RunStore."""
        return self._each(run_id, sids, sids, NodeStore.heads)

    def tails(self, run_id: RunId, sids: Sequence[str], count: int) -> Sequence[bytes]:
        """See RunStore."""
        return self._each(run_id, sids, sids, lambda node, one, some: node.tails(one, some, count))

    def after(self, run_id: RunId, places: Sequence[tuple[str, int]]) -> Sequence[bytes]:
        """See RunStore."""
        return self._each(run_id, [sid for sid, _ in places], places, NodeStore.after)

    def ends(self, run_id: RunId, places: Sequence[tuple[str, int]]) -> Sequence[bytes]:
        """See RunStore."""
        return self._each(run_id, [sid for sid, _ in places], places, NodeStore.ends)

    def ranges(self, run_id: RunId, places: Sequence[Place]) -> Sequence[bytes]:
        """See RunStore."""
        return self._each(run_id, [sid for sid, _, _ in places], places, NodeStore.ranges)

    def points_at(self, run_id: RunId, sid: str, places: Sequence[int]) -> bytes:
        """See RunStore."""
        one = home_of(run_id, self._shards(run_id), sid)
        return self._of(one, lambda node: node.points_at(one, sid, places))

    def _each(
        self,
        run_id: RunId,
        sids: Sequence[str],
        wanted: Sequence[Wanted],
        ask: Callable[[NodeStore, RunId, Sequence[Wanted]], Sequence[Answer]],
    ) -> list[Answer]:
        """The answer to each question about a series (``sids``, one by one), asked of the shard that has it."""
        found: dict[int, Answer] = {}
        for one, places in by_home(run_id, self._shards(run_id), sids).items():
            found |= zip(places, self._some(one, [wanted[place] for place in places], ask), strict=True)
        return [found[place] for place in range(len(sids))]

    def _some(
        self,
        home: RunId,
        wanted: Sequence[Wanted],
        ask: Callable[[NodeStore, RunId, Sequence[Wanted]], Sequence[Answer]],
    ) -> Sequence[Answer]:
        return self._of(home, lambda node: ask(node, home, wanted))

    def _of(self, home: RunId, ask: Callable[[NodeStore], Answer]) -> Answer:
        """What the node answers that has a run or a shard."""
        return self._nodes.at(schema.run(home), ask)

    def _homes(self, run_id: RunId) -> list[RunId]:
        """Where something of the run lies, of which its live stream tells."""
        self._spread[run_id], told = self._of(run_id, lambda node: node.shards(run_id))
        every = homes(run_id, self._spread[run_id])
        return [every[number] for number in told] if self._spread[run_id] else every

    def _shards(self, run_id: RunId) -> int:
        """As it was when the run was read, which it is before its points are: it never changes but after a flush."""
        if not self._spread.get(run_id):
            self._homes(run_id)
        return self._spread[run_id]
