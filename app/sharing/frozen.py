"""A RunStore of one run as it was, for everything that reads runs: pages, API, maps of ranks."""

from __future__ import annotations

from app.sharing.snapshot import Snapshot
from app.stored import RunStore


class FrozenStore:
    """RunStore of exactly one run; any other does not exist, and nothing comes any more."""

    def __init__(self, store: RunStore, snapshot: Snapshot) -> None:
        """Points are read from ``store``, up to where the series of the snapshot ended."""
        self._store, self._snapshot = store, snapshot
