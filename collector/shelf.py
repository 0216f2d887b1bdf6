"""Folding on a real Redis: the second half of ``store``, which would be too long with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import cast

import redis

from collector.fold import SCRIPT, Front, arguments
from collector.spread import Spread
from collector.wire import schema
from collector.wire.folded import HEAD, head_of
from collector.wire.records import RunId, SeriesMeta

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
        self._fold = client.register_script(SCRIPT)

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

    def sizes(self, run: RunId, sids: Sequence[str]) -> list[tuple[int, int]]:
        """Of each series the bytes of its exact points, and of what is folded."""
        with self._patience(), self._redis.pipeline(transaction=False) as pipe:
            for sid in sids:
                pipe.strlen(schema.points(self._home(run, sid), sid))
                pipe.strlen(schema.folded(self._home(run, sid), sid))
            found = cast(list[int], pipe.execute())
        return list(zip(found[::2], found[1::2], strict=True))

    def counts(self, run: RunId, sids: Sequence[str]) -> list[int]:
        """How many points of each series are folded."""
        with self._patience(), self._redis.pipeline(transaction=False) as pipe:
            for sid in sids:
                pipe.getrange(schema.folded(self._home(run, sid), sid), 0, HEAD.size - 1)
            return [head_of(head)[0] for head in cast(list[bytes], pipe.execute())]

    def fronts(self, run: RunId, wanted: Mapping[str, int]) -> list[Front]:
        """Of each series so many bytes of its oldest exact points."""
        with self._patience(), self._redis.pipeline(transaction=False) as pipe:
            for sid, size in wanted.items():
                home = self._home(run, sid)
                pipe.getrange(schema.folded(home, sid), 0, HEAD.size - 1)
                pipe.strlen(schema.folded(home, sid))
                pipe.getrange(schema.points(home, sid), 0, size - 1)
            found = pipe.execute()
        return [Front(*one) for one in zip(wanted, found[::3], found[1::3], found[2::3], strict=True)]

    def fold(self, run: RunId, folds: Sequence[tuple[Front, bytes]]) -> int:
        """Put each chunk in the place of the points that it was made of, if they are still there; how many were."""
        with self._patience():
            if not isinstance(self._redis, redis.Redis):  # a cluster takes scripts one by one
                return sum(self._put(run, one, self._redis) for one in folds)
            with self._redis.pipeline(transaction=False) as pipe:
                for one in folds:
                    self._put(run, one, pipe)
                return sum(cast(list[int], pipe.execute()))

    def _put(self, run: RunId, fold: tuple[Front, bytes], client: redis.Redis) -> int:
        front, chunk = fold
        home = self._home(run, front.sid)
        keys = [schema.points(home, front.sid), schema.folded(home, front.sid), schema.run(home)]
        return cast(int, self._fold(keys=keys, args=arguments(front, chunk), client=client))
