"""One node of a cluster, as a store: to it a shard is a run (wire.shards)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from app.follower import answering
from app.store import RedisRunStore
from app.waiting import Wait
from collector.wire import schema
from collector.wire.address import SLOTS, Slots
from collector.wire.records import RunId


class NodeStore(RedisRunStore):
    """Safe to share between threads."""

    def slots(self, url: str) -> Slots:
        """What this node knows of the cluster ``url``."""
        with answering():
            answer = self._redis.execute_command(SLOTS)  # type: ignore[no-untyped-call]  # by redis-py
        return Slots.told(answer, url, self._url)

    def shards(self, run_id: RunId) -> tuple[int, list[int]]:
        """Over how many shards a run is spread, and those of them that hold anything; 0: over none, or there is no such
        run."""
        with answering():
            fields = cast(dict[bytes, bytes], self._redis.hgetall(schema.run(run_id)))
        return int(fields.get(schema.SHARDS_FIELD.encode(), 0)), schema.shards_told(fields)

    def collectors(self) -> Sequence[str]:
        """Ids of collectors that gave signs of life and did not take them back."""
        with answering():
            return sorted(one.decode() for one in cast(set[bytes], self._redis.smembers(schema.COLLECTORS)))

    def signs(self, collectors: Sequence[str]) -> Sequence[bytes | None]:
        """The signs of life of collectors whose keys this node has."""
        with answering(), self._redis.pipeline(transaction=False) as pipe:
            for one in collectors:
                pipe.get(schema.collector(one))
            return cast(list[bytes | None], pipe.execute())

    def listeners(self) -> int:
        """How many collectors hear questions at this node."""
        with answering():
            counts = cast(list[tuple[bytes, int]], self._redis.pubsub_numsub(schema.ASKS))
        return sum(count for _, count in counts)

    def wait(self, run_id: RunId, position: str) -> Wait:
        """Begin to wait for what a run's stream brings after a position."""
        with answering():
            return Wait(self._redis, schema.live(run_id), position)
