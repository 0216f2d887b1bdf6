"""Who opened which snapshot is not remembered; when it was opened last, and how often, is."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, replace

from app.sharing.snapshot import Label
from app.sharing.store import ShareStore

SECONDS = 60.0  # between two writings about one snapshot: an open page asks for curves all the time
REMEMBERED = 1_024  # snapshots


@dataclass(frozen=True, slots=True)
class _Pending:
    written: float = float("-inf")
    last: float = 0.0
    times: int = 0


class Uses:
    """Safe to share between threads."""

    def __init__(self, store: ShareStore) -> None:
        """Writes to ``store``, at most once a minute of each snapshot."""
        self._store = store
        self._pending: OrderedDict[str, _Pending] = OrderedDict()
        self._lock = threading.Lock()

    def opened(self, label: Label, now: float, times: int = 1) -> None:
        """A snapshot was used at ``now``; ``times`` 0: by a page that is open already. Raises StoreAway."""
        with self._lock:
            mine = self._pending.get(label.handle, _Pending())
            mine = replace(mine, last=now, times=mine.times + times)
            is_due = now - mine.written >= SECONDS
            self._pending[label.handle] = _Pending(written=now, last=now) if is_due else mine
            self._pending.move_to_end(label.handle)
            while len(self._pending) > REMEMBERED:
                self._pending.popitem(last=False)
        if is_due:
            self._store.use(label, now, mine.times)

    def told(self, label: Label) -> Label:
        """The label with what is not written yet."""
        with self._lock:
            mine = self._pending.get(label.handle)
        if mine is None:
            return label
        return replace(label, used=max(label.used or 0.0, mine.last), uses=label.uses + mine.times)
