"""Packing and folding on a real Redis: the second half of ``store``, which would be too long with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from secrets import token_hex
from typing import cast

import redis
from redis.commands.core import Script

from collector.fold import PINNED, Front
from collector.fold import SCRIPT as FOLD
from collector.fold import arguments as fold_arguments
from collector.keep import Size
from collector.pack import SCRIPT as PACK
from collector.pack import Arguments, Loose, Packed, whole_chunks
from collector.pack import arguments as pack_arguments
from collector.spread import Spread
from collector.wire import schema
from collector.wire.folded import HEAD, head_of
from collector.wire.packed import CHUNK_POINTS, count_of, front_size, kinds_of, size_of
from collector.wire.packed import HEAD as HEAD_OF_PACKED
from collector.wire.records import POINT_BYTES, RunId, SeriesMeta

FRONT_BYTES = 512  # read of what is packed, to know its front: enough for 65,000 points
DESCRIBED = 150  # series that one look at the register asks for


class Shelf:
    """Older points of series; every method raises ``errors.StoreAway`` while Redis is away."""

    def __init__(
        self, client: redis.Redis, patience: Callable[[], AbstractContextManager[None]], spread: Spread
    ) -> None:
        """The store's own connection, what makes StoreAway of its errors, and where series lie."""
        self._redis = client
        self._home = spread.of_series
        self._homes = spread.homes
        self._patience = patience
        self._pack, self._fold = client.register_script(PACK), client.register_script(FOLD)
        self._pinned = client.register_script(PINNED)

    def described(self, run: RunId, at: int) -> tuple[int, list[SeriesMeta]]:
        """Some series of a run's register from a position on, and the next position; 0 is the first and the end. One
        home's register comes after the other's: a position is one in that register, times the homes, plus which."""
        homes = self._homes(run)
        place, number = divmod(at, len(homes))
        with self._patience():
            answer = self._redis.hscan(schema.series(homes[number]), place, count=DESCRIBED)
        place, found = cast(tuple[int, dict[bytes, bytes]], answer)
        after = int(place) * len(homes) + number if place else (number + 1) % len(homes)
        return after, [SeriesMeta.decode(text) for text in found.values()]

    def sizes(self, run: RunId, sids: Sequence[str]) -> list[Size]:
        """What each series takes."""
        with self._patience(), self._redis.pipeline(transaction=False) as pipe:
            for sid in sids:
                home = self._home(run, sid)
                pipe.strlen(schema.points(home, sid))
                pipe.getrange(schema.packed(home, sid), 0, HEAD_OF_PACKED.size - 1)
                pipe.strlen(schema.packed(home, sid))
                pipe.strlen(schema.folded(home, sid))
            found = iter(pipe.execute())
        return [Size(exact, count_of(head), *sizes) for exact, head, *sizes in zip(*[found] * 4, strict=True)]

    def counts(self, run: RunId, sids: Sequence[str]) -> list[int]:
        """How many points of each series are folded."""
        with self._patience(), self._redis.pipeline(transaction=False) as pipe:
            for sid in sids:
                pipe.getrange(schema.folded(self._home(run, sid), sid), 0, HEAD.size - 1)
            return [head_of(head)[0] for head in cast(list[bytes], pipe.execute())]

    def loose(self, run: RunId, wanted: Mapping[str, int]) -> list[Loose]:
        """Of each series so many of its oldest exact points, whole chunks of them; fewer where they are not there."""
        with self._patience(), self._redis.pipeline(transaction=False) as pipe:
            for sid, count in wanted.items():
                pipe.getrange(schema.points(self._home(run, sid), sid), 0, count * POINT_BYTES - 1)
            blocks = cast(list[bytes], pipe.execute())
        whole = (block[: whole_chunks(len(block) // POINT_BYTES) * POINT_BYTES] for block in blocks)
        return [Loose(*one) for one in zip(wanted, self._packed(run, list(wanted)), whole, strict=True)]

    def fronts(self, run: RunId, wanted: Mapping[str, int]) -> list[Front]:
        """Of each series so many of its oldest packed points, whole chunks of them; none where they are not there."""
        packed = self._packed(run, list(wanted))
        kinds = [kinds_of(front)[: count // CHUNK_POINTS] for front, count in zip(packed, wanted.values(), strict=True)]
        with self._patience(), self._redis.pipeline(transaction=False) as pipe:
            for sid, front, some in zip(wanted, packed, kinds, strict=True):
                home = self._home(run, sid)
                pipe.getrange(schema.folded(home, sid), 0, HEAD.size - 1)
                pipe.getrange(schema.packed(home, sid), 0, len(front) + size_of(some) - 1)
            found = cast(list[bytes], pipe.execute())
        texts = zip(wanted, found[::2], packed, kinds, found[1::2], strict=True)
        return [
            Front(sid, head, front, text[len(front) :], some if text.startswith(front) else b"")
            for sid, head, front, some, text in texts
        ]

    def pack(self, run: RunId, packs: Sequence[tuple[Loose, Packed]]) -> list[bool]:
        """Put each one's chunks in the place of the points that they were made of, if these are still there; of each
        whether they were."""
        homes = [self._home(run, one.sid) for one, _ in packs]
        keys = [
            (schema.points(home, one.sid), schema.packed(home, one.sid), schema.run(home))
            for home, (one, _) in zip(homes, packs, strict=True)
        ]
        return self._run(self._pack, keys, [pack_arguments(*one, _word()) for one in packs])

    def pinned(self, run: RunId) -> bool:
        """Whether a snapshot of the run is open, so that nothing of it is to be folded; all homes say the same."""
        with self._patience():
            return bool(self._pinned(keys=[schema.pins(self._homes(run)[0])], client=self._redis))

    def fold(self, run: RunId, folds: Sequence[tuple[Front, bytes]]) -> int:
        """Put each chunk in the place of the points that it was made of, if they are still there and no snapshot shows
        them; how many were."""
        homes = [self._home(run, one.sid) for one, _ in folds]
        keys = [
            (schema.packed(home, one.sid), schema.folded(home, one.sid), schema.run(home), schema.pins(home))
            for home, (one, _) in zip(homes, folds, strict=True)
        ]
        return sum(self._run(self._fold, keys, [fold_arguments(*one, _word()) for one in folds]))

    def _packed(self, run: RunId, sids: Sequence[str]) -> list[bytes]:
        """The front of what is packed of each series."""
        found = self._starts(run, dict.fromkeys(sids, FRONT_BYTES))
        longer = {sid: front_size(text) for sid, text in found.items() if front_size(text) > len(text)}
        found |= self._starts(run, longer)
        return [found[sid][: front_size(found[sid])] for sid in sids]

    def _starts(self, run: RunId, wanted: Mapping[str, int]) -> dict[str, bytes]:
        with self._patience(), self._redis.pipeline(transaction=False) as pipe:
            for sid, size in wanted.items():
                pipe.getrange(schema.packed(self._home(run, sid), sid), 0, size - 1)
            return dict(zip(wanted, cast(list[bytes], pipe.execute()), strict=True))

    def _run(self, script: Script, keys: Sequence[Sequence[str]], arguments: Sequence[Arguments]) -> list[bool]:
        """The same script many times; a cluster takes them one by one."""
        calls = list(zip(keys, arguments, strict=True))
        with self._patience():
            if not isinstance(self._redis, redis.Redis):
                return [bool(script(keys=some, args=told, client=self._redis)) for some, told in calls]
            with self._redis.pipeline(transaction=False) as pipe:
                for some, told in calls:
                    script(keys=some, args=told, client=pipe)
                return [bool(one) for one in pipe.execute()]


def _word() -> str:
    """One that nobody has used before, not even before a roll-back."""
    return token_hex(8)
