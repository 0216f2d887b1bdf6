"""Points of series as they lie in Redis: exact ones and those kept of folded ones, one series to whoever reads.

Of most runs nothing is folded, which one more question behind the others tells: then places are those in the string of
points. Else the kept points come first, and both strings are read at one moment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, cast

import redis

from app import batch
from app.block_cache import BlockCache
from app.follower import answering
from app.stored import BLOCK
from collector.wire import schema
from collector.wire.folded import HEAD, head_of, kept_of
from collector.wire.records import POINT_BYTES, RunId

ALL = 2**40  # points: as many as there are
AT_ONCE = 500  # folded series that are read at one moment; Redis serves nobody else meanwhile
REMEMBERED = 200_000  # series of which it is remembered how many points are kept

Place = tuple[str, int, int]
"""Series, place in it, and how many points from there on."""


class PointStore:
    """The part of RunStore that reads points; safe to share between threads."""

    def __init__(self, client: redis.Redis, cache_bytes: int) -> None:
        """``cache_bytes`` are for what asks for whole series again and again: the log drawer's steps."""
        self._redis = client
        self._cache = BlockCache(cache_bytes)
        self._kept: dict[tuple[RunId, str], int] = {}  # how many kept points come before the exact ones, when last seen

    def lengths(self, run_id: RunId, sids: Sequence[str]) -> Sequence[int]:
        """See RunStore."""
        keys = [schema.points(run_id, sid) for sid in sids]
        *sizes, folded = self._packed([*batch.lengths([key.encode() for key in keys]), _is_folded(run_id)])
        if not folded:
            return [size // POINT_BYTES for size in cast(list[int], sizes)]
        heads = [batch.part(_folded(run_id, sid), 0, HEAD.size - 1) for sid in sids]
        both = self._together([*batch.lengths([key.encode() for key in keys]), *heads])
        counted = zip(cast(list[int], both[: len(sids)]), cast(list[bytes], both[len(sids) :]), strict=True)
        return [size // POINT_BYTES + head_of(head)[1] for size, head in counted]

    def tails(self, run_id: RunId, sids: Sequence[str], count: int) -> Sequence[bytes]:
        """See RunStore."""
        keys = [schema.points(run_id, sid) for sid in sids]
        found = self._plain(run_id, lambda pipe: [pipe.getrange(key, -count * POINT_BYTES, -1) for key in keys])
        if found is not None:
            return found
        with answering(), self._redis.pipeline(transaction=True) as pipe:
            for sid, key in zip(sids, keys, strict=True):
                pipe.get(schema.folded(run_id, sid))
                pipe.getrange(key, -count * POINT_BYTES, -1)
            both = [one or b"" for one in pipe.execute()]
        return [(kept_of(text) + end)[-count * POINT_BYTES :] for text, end in zip(both[::2], both[1::2], strict=True)]

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
        *found, folded = self._packed([*batch.ends(keys), _is_folded(run_id)])
        if not folded:
            return cast(list[bytes], found)
        return self._beside(run_id, [(sid, place, ALL) for sid, place in places])

    def ranges(self, run_id: RunId, places: Sequence[Place]) -> Sequence[bytes]:
        """See RunStore."""
        keys = [(schema.points(run_id, sid).encode(), *_bytes(at, count)) for sid, at, count in places]
        *found, folded = self._packed([*batch.ranges(keys), _is_folded(run_id)])
        return self._beside(run_id, places) if folded else cast(list[bytes], found)

    def points(self, run_id: RunId, sids: Sequence[str]) -> Sequence[bytes]:
        """See RunStore. Only what was appended since the last time is read again."""
        names = {schema.points(run_id, sid): sid for sid in sids}
        return self._cache.read(list(names), lambda wanted: self._ranges(run_id, names, wanted))

    def kept(self, run_id: RunId, sids: Sequence[str]) -> Sequence[int]:
        """See RunStore."""
        if not sids or not self._packed([_is_folded(run_id)])[0]:
            return [0] * len(sids)
        heads = self._packed([batch.part(_folded(run_id, sid), 0, HEAD.size - 1) for sid in sids])
        return [head_of(head)[1] for head in cast(list[bytes], heads)]

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

        def ask(pipe: redis.client.Pipeline) -> None:
            for sid, at, count in places:
                pipe.getrange(schema.points(run_id, sid), *_bytes(at, count))

        found = self._plain(run_id, ask)
        blocks = self._beside(run_id, places) if found is None else cast(list[bytes], found)
        return [block[: len(block) - len(block) % POINT_BYTES] for block in blocks]

    def _plain(self, run_id: RunId, ask: Callable[[redis.client.Pipeline], object]) -> list[Any] | None:
        """The answers, None when something of the run is folded, which is asked last: a fold can only have come after
        everything that was answered."""
        with answering(), self._redis.pipeline(transaction=False) as pipe:
            ask(pipe)
            pipe.hexists(schema.run(run_id), schema.FOLDED_FIELD)
            *found, folded = pipe.execute()
        return None if folded else found

    def _packed(self, commands: Sequence[bytes]) -> list[object]:
        """The answers to many commands that are packed already."""
        with answering():
            connection = self._redis.connection_pool.get_connection()
            try:
                return batch.asked(connection, commands)
            finally:
                self._redis.connection_pool.release(connection)

    def _together(self, commands: Sequence[bytes]) -> list[object]:
        """The same at one moment."""
        return cast(list[object], self._packed(batch.at_one_moment(commands))[-1])

    def _beside(self, run_id: RunId, places: Sequence[Place]) -> list[bytes]:
        """The same of series that may be folded."""
        left, found = iter(places), list[bytes]()
        while some := list(islice(left, AT_ONCE)):
            while (blocks := self._tried(run_id, some)) is None:
                pass  # only after a fold that was not known of
            found += blocks
        return found

    def _tried(self, run_id: RunId, places: Sequence[Place]) -> list[bytes] | None:
        """What follows each place if as many points are kept as was remembered; else that is remembered."""
        kept = [self._kept.get((run_id, sid), 0) for sid, _, _ in places]
        asked = [
            one
            for (sid, at, count), known in zip(places, kept, strict=True)
            for one in (
                batch.part(_folded(run_id, sid), 0, -1 if at < known else HEAD.size - 1),
                batch.part(schema.points(run_id, sid).encode(), *_bytes(at - known, count)),
            )
        ]
        found = cast(list[bytes], self._together(asked))
        now = [head_of(text)[1] for text in found[::2]]
        if now == kept:
            return [_joined(*one) for one in zip(places, kept, found[::2], found[1::2], strict=True)]
        if len(self._kept) > REMEMBERED:
            self._kept.clear()
        self._kept.update(((run_id, sid), count) for (sid, _, _), count in zip(places, now, strict=True))
        return None


def _is_folded(run_id: RunId) -> bytes:
    """Whether something of the run is folded, as a command that is packed already."""
    return batch.has(schema.run(run_id).encode(), schema.FOLDED_FIELD.encode())


def _folded(run_id: RunId, sid: str) -> bytes:
    return schema.folded(run_id, sid).encode()


def _bytes(at: int, count: int) -> tuple[int, int]:
    """First and last byte of points in their string, of those that are not before its beginning."""
    end = (at + count) * POINT_BYTES
    return (max(0, at) * POINT_BYTES, end - 1) if end > 0 else (1, 0)


def _joined(place: Place, kept: int, text: bytes, exact: bytes) -> bytes:
    _, at, count = place
    if at >= kept:
        return exact
    return kept_of(text)[at * POINT_BYTES : (at + count) * POINT_BYTES] + exact
