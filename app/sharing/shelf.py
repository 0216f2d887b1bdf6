"""Snapshots that somebody looks at: what answers for each, kept as long as others are not looked at instead."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.alarms import Alarms
from app.api.live import Hub
from app.assembly import Assembly, assembled
from app.config import AppConfig
from app.kept import Kept
from app.sharing.encoding import decoded
from app.sharing.frozen import Altered, FrozenStore
from app.sharing.said import FrozenAlerts, FrozenNotes
from app.sharing.snapshot import Label, Moment, Snapshot
from app.sharing.store import ShareStore
from app.stored import RunStore

MOST = 4  # snapshots, whose caches together are half as large as that of the store itself
SHARE = 8  # each has one part in so many of the room for points


@dataclass(frozen=True, slots=True)
class Opened:
    """A snapshot with what answers for it."""

    label: Label
    store: FrozenStore
    moment: Moment
    assembly: Assembly


@dataclass(slots=True)
class _Place:
    opened: Opened | None = None


class Shelf:
    """Safe to share between threads."""

    def __init__(self, store: RunStore, shares: ShareStore, config: AppConfig) -> None:
        """Nothing is read before the first request."""
        self._store, self._shares = store, shares
        self._config = replace(config, cache_bytes=config.cache_bytes // SHARE)
        self._hub = Hub(store, most=0)  # of which nothing is asked
        self._places = Kept(MOST, _Place, lambda _: 1)

    def opened(self, label: Label) -> Opened:
        """What answers for a snapshot. Raises StoreAway, and Altered where it is not there any more."""
        with self._places.using((label.run, label.handle)) as place:
            found = place.opened = place.opened or self._read(label)
        return replace(found, label=label)  # it may expire later than when it was read

    def _read(self, label: Label) -> Opened:
        body = self._shares.body(label)
        if body is None:
            raise Altered
        try:
            snapshot = Snapshot(label, decoded(body))
        except ValueError:
            raise Altered from None
        store = FrozenStore(self._store, snapshot)
        alarms = Alarms(FrozenAlerts(label.run, store.moment), lambda: label.created)
        assembly = assembled(
            store, self._hub, alarms, self._config, lambda: label.created, notes=FrozenNotes(label.run, store.moment)
        )
        return Opened(label, store, store.moment, assembly)
