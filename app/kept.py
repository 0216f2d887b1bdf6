"""What a process keeps of what it has read, within a limit of bytes; what many ask for at once is made once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")


class _Place(Generic[T]):
    def __init__(self, value: T) -> None:
        self.value = value
        self.weight = 0
        self.lock = threading.Lock()


class Kept(Generic[T]):
    """Values by key, the least recently used forgotten first; safe to share between threads."""

    def __init__(self, limit: int, make: Callable[[], T], weigh: Callable[[T], int]) -> None:
        """``limit`` in bytes, as ``weigh`` counts them; a value that is heavier alone is used and not kept."""
        self._limit = limit
        self._make = make
        self._weigh = weigh
        self._places: OrderedDict[Hashable, _Place[T]] = OrderedDict()
        self._lock = threading.Lock()
        self.held = 0  # bytes

    def __contains__(self, key: Hashable) -> bool:
        with self._lock:
            return key in self._places

    @contextmanager
    def using(self, key: Hashable) -> Iterator[T]:
        """The value of a key, for one thread at a time: whoever comes second finds what the first has made of it."""
        with self._lock:
            place = self._places.setdefault(key, _Place(self._make()))
            self._places.move_to_end(key)
        with place.lock:
            try:
                yield place.value
            finally:
                self._settle(key, place, self._weigh(place.value))

    def _settle(self, key: Hashable, place: _Place[T], weight: int) -> None:
        with self._lock:
            if self._places.get(key) is not place:
                return  # forgotten meanwhile
            self.held += weight - place.weight
            place.weight = weight
            if weight > self._limit:
                self._forget(key)
            while self.held > self._limit:
                self._forget(next(iter(self._places)))

    def _forget(self, key: Hashable) -> None:
        self.held -= self._places.pop(key).weight
