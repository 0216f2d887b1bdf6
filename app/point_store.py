"""Points of series as they lie in Redis: of whatever is packed or folded of them, one series to whoever reads.

Of a run of which nothing is, which one more question behind the others tells, places are those in the string of points.
Else ``layers`` reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

import redis

from app import batch
from app.block_cache import BlockCache
from app.follower import answering
from app.layers import Layers, Place, flags_of
from app.stored import BLOCK
from app.strings import bytes_of
from collector.wire import schema
from collector.wire.folded import HEAD, head_of
from collector.wire.records import POINT_BYTES, RunId

ALL = 2**40  # points: as many as there are
FEW = 128  # newest points of a series that nearly always lie in its string of points


class PointStore:
    """The part of RunStore that reads points; safe to share between threads."""

    def __init__(self, client: redis.Redis, cache_bytes: int) -> None:
        """``cache_bytes`` are for what asks for whole series again and again: the log drawer's steps."""
        self._redis = client
        self._cache = BlockCache(cache_bytes)
        self._layers = Layers(self._answers)

    def lengths(self, run_id: RunId, sids: Sequence[str]) -> Sequence[int]:
        """See RunStore."""
        keys = [schema.points(run_id, sid).encode() for sid in sids]
        sizes = self._plain(run_id, lambda: batch.lengths(keys))
        if sizes is not None:
            return [size // POINT_BYTES for size in cast(list[int], sizes)]
        return self._layers.lengths(run_id, sids)

    def tails(self, run_id: RunId, sids: Sequence[str], count: int) -> Sequence[bytes]:
        """See RunStore."""
        found = dict.fromkeys(sids, b"")
        if count <= FEW or not self._layers.has(run_id):
            keys = [schema.points(run_id, sid).encode() for sid in sids]
            commands = [batch.part(key, -count * POINT_BYTES, -1) for key in keys]
            *blocks, flags = self._answers([*commands, flags_of(run_id)])
            found = dict(zip(sids, cast(list[bytes], blocks), strict=True))
            if not self._layers.noted(run_id, flags):
                return list(found.values())
        while short := [sid for sid, block in found.items() if len(block) < count * POINT_BYTES]:
            lengths = dict(zip(short, self.lengths(run_id, short), strict=True))
            places = [(sid, max(0, length - count), ALL) for sid, length in lengths.items()]
            ends = zip(short, self._read(run_id, places), strict=True)
            found |= {sid: block[-count * POINT_BYTES :] for sid, block in ends}
            if all(len(found[sid]) >= min(count, lengths[sid]) * POINT_BYTES for sid in short):
                break  # else one of them was folded, or flushed, in between
        return list(found.values())

    def heads(self, run_id: RunId, sids: Sequence[str]) -> Sequence[bytes]:
        """See RunStore."""
        return self._read(run_id, [(sid, 0, 1) for sid in sids])

    def points_at(self, run_id: RunId, sid: str, places: Sequence[int]) -> bytes:
        """See RunStore."""
        return b"".join(self._read(run_id, [(sid, place, 1) for place in places]))

    def after(self, run_id: RunId, places: Sequence[tuple[str, int]]) -> Sequence[bytes]:
        """See RunStore."""
        return self._read(run_id, [(sid, at, BLOCK) for sid, at in places])

    def ends(self, run_id: RunId, places: Sequence[tuple[str, int]]) -> Sequence[bytes]:
        """See RunStore."""
        keys = [(schema.points(run_id, sid).encode(), place * POINT_BYTES) for sid, place in places]
        found = self._plain(run_id, lambda: batch.ends(keys))
        if found is None:
            return self._layers.read(run_id, [(sid, place, ALL) for sid, place in places])
        return cast(list[bytes], found)

    def ranges(self, run_id: RunId, places: Sequence[Place]) -> Sequence[bytes]:
        """See RunStore."""
        keys = [(schema.points(run_id, sid).encode(), *bytes_of(at, count)) for sid, at, count in places]
        found = self._plain(run_id, lambda: batch.ranges(keys))
        return self._layers.read(run_id, places) if found is None else cast(list[bytes], found)

    def points(self, run_id: RunId, sids: Sequence[str]) -> Sequence[bytes]:
        """See RunStore. Only what was appended since the last time is read again."""
        names = {schema.points(run_id, sid): sid for sid in sids}
        return self._cache.read(list(names), lambda wanted: self._ranges(run_id, names, wanted))

    def kept(self, run_id: RunId, sids: Sequence[str]) -> Sequence[int]:
        """See RunStore."""
        return [kept for _, kept in self.folds(run_id, sids)]

    def folds(self, run_id: RunId, sids: Sequence[str]) -> Sequence[tuple[int, int]]:
        """See RunStore."""
        if not sids or not self._is_folded(run_id):
            return [(0, 0)] * len(sids)
        heads = self._answers([batch.part(schema.folded(run_id, sid).encode(), 0, HEAD.size - 1) for sid in sids])
        return [head_of(head) for head in cast(list[bytes], heads)]

    def folded(self, run_id: RunId, sids: Sequence[str]) -> Sequence[bytes]:
        """See RunStore."""
        with answering():
            if not sids or not self._redis.hexists(schema.run(run_id), schema.FOLDED_FIELD):
                return [b""] * len(sids)
            with self._redis.pipeline(transaction=False) as pipe:
                for sid in sids:
                    pipe.get(schema.folded(run_id, sid))
                return [text or b"" for text in pipe.execute()]

    def _ranges(self, run_id: RunId, names: Mapping[str, str], wanted: Sequence[tuple[str, int]]) -> Sequence[bytes]:
        return self._read(run_id, [(names[key], start // POINT_BYTES, ALL) for key, start in wanted])

    def _read(self, run_id: RunId, places: Sequence[Place]) -> list[bytes]:
        """Whole points of each place."""
        return [block[: len(block) - len(block) % POINT_BYTES] for block in self.ranges(run_id, places)]

    def _plain(self, run_id: RunId, commands: Callable[[], Sequence[bytes]]) -> list[object] | None:
        """The answers, None when something of the run is packed or folded. That is asked last: it can only have become
        so after everything that was answered."""
        if self._layers.has(run_id):
            return None
        *found, flags = self._answers([*commands(), flags_of(run_id)])
        return None if self._layers.noted(run_id, flags) else found

    def _is_folded(self, run_id: RunId) -> bool:
        (flags,) = self._answers([flags_of(run_id)])
        return self._layers.noted(run_id, flags) and self._layers.is_folded(run_id)

    def _answers(self, commands: Sequence[bytes]) -> list[object]:
        """The answers to many commands that are packed already."""
        with answering():
            connection = self._redis.connection_pool.get_connection()
            try:
                return batch.asked(connection, commands)
            finally:
                self._redis.connection_pool.release(connection)
