"""The nodes of a Redis Cluster: which of them has a key, found out when it is needed and again when it has moved."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from app.node_store import NodeStore
from app.stored import StoreAway
from collector.wire.address import Slots, nodes_of, slot_of

Answer = TypeVar("Answer")


class Nodes:
    """Safe to share between threads; every method but ``close`` and ``forget`` raises StoreAway."""

    def __init__(self, url: str, store: Callable[[str], NodeStore]) -> None:
        """``store`` makes that of one node's URL; nothing is asked before the first question."""
        self._url = url
        self._named = nodes_of(url)
        self._make = store
        self._slots = Slots()
        self._lock = threading.Lock()
        self._stores: dict[str, NodeStore] = {one: store(one) for one in self._named}  # raises where one is no URL

    def at(self, key: str, ask: Callable[[NodeStore], Answer]) -> Answer:
        """What the node answers that has a key. If it is away, or has it no more, and another one has it by now, that
        one is asked."""
        return self.each([key], lambda store, _: [ask(store)])[0]

    def each(self, keys: Sequence[str], ask: Callable[[NodeStore, Sequence[int]], Sequence[Answer]]) -> list[Answer]:
        """An answer for each key, in order; each node is asked once for the keys (by their places) that it has."""
        known = self._slots
        owners = self._owners(keys)
        try:
            return self._gathered(owners, ask)
        except StoreAway:
            self._refresh(known)
            if (now := self._owners(keys)) == owners:
                raise
        return self._gathered(now, ask)

    def every(self) -> list[NodeStore]:
        """All nodes, replicas too."""
        if not self._slots.ranges:
            self._refresh(self._slots)
        return [self._store(url) for url in self._slots.nodes]

    def forget(self) -> None:
        """Find out anew who has what: somebody had not what was expected."""
        self._slots = Slots()

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            for one in self._stores.values():
                one.close()

    def _owners(self, keys: Sequence[str]) -> list[str]:
        if not self._slots.ranges:
            self._refresh(self._slots)
        slots = self._slots
        found = [slots.primary(slot_of(key)) for key in keys]
        named = [one for one in found if one is not None]
        if len(named) < len(found):
            self.forget()
            raise StoreAway("Redis does not answer (no node has a part of the data); pages fill again when one does.")
        return named

    def _gathered(
        self, owners: Sequence[str], ask: Callable[[NodeStore, Sequence[int]], Sequence[Answer]]
    ) -> list[Answer]:
        groups: dict[str, list[int]] = {}
        for place, url in enumerate(owners):
            groups.setdefault(url, []).append(place)
        found: dict[int, Answer] = {}
        for url, places in groups.items():
            found |= zip(places, ask(self._store(url), places), strict=True)
        return [found[place] for place in range(len(owners))]

    def _store(self, url: str) -> NodeStore:
        with self._lock:
            if url not in self._stores:
                self._stores[url] = self._make(url)
            return self._stores[url]

    def _refresh(self, known: Slots) -> None:
        """Ask one node after the other, unless another thread has done so meanwhile."""
        away = StoreAway("Redis does not answer; pages fill again when it is back.")
        for url in dict.fromkeys((*known.nodes, *self._named)):
            if self._slots is not known and self._slots.ranges:
                return
            try:
                self._slots = self._store(url).slots(self._url)
            except StoreAway as error:
                away = error
                continue
            return
        raise away
