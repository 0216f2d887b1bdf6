"""Events already read: a list of them only grows, so only what was added is asked for."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from app.stored import StoredEvents
from collector.wire.records import RunEvent

MOST = 20_000  # newest events of a run that are shown; older ones stay in the store
RUNS = 32  # runs whose events are kept
Ask = Callable[[int], tuple[int, list[bytes]]]
"""First index (from the end when negative) → length of the list, its texts from there on."""


@dataclass(frozen=True, slots=True)
class _Known:
    told: StoredEvents
    last: bytes


class EventCache:
    """Least recently used runs; safe to share between threads."""

    def __init__(self, most: int = MOST, runs: int = RUNS) -> None:
        """``most`` events of a run, of so many runs."""
        self._most, self._runs = most, runs
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, key: str, ask: Ask) -> StoredEvents:
        """The newest of a list."""
        with self._lock:
            known = self._known.get(key)
        # The last known event is read again: when it differs, the store was flushed and filled anew.
        grown = _grown(known, self._most, *ask(known.told.total - 1)) if known and known.told.total else None
        found = grown or _fresh(*ask(-self._most))
        if known and not (known.told.total or found.told.total):
            found = known
        with self._lock:
            self._known.pop(key, None)
            self._known[key] = found
            while len(self._known) > self._runs:
                self._known.popitem(last=False)
        return found.told


def _fresh(length: int, texts: list[bytes]) -> _Known:
    return _Known(StoredEvents([RunEvent.decode(one) for one in texts], length), texts[-1] if texts else b"")


def _grown(known: _Known, most: int, length: int, texts: list[bytes]) -> _Known | None:
    if not texts or texts[0] != known.last or length != known.told.total - 1 + len(texts):
        return None
    if len(texts) == 1:
        return known
    events = [*known.told.events, *(RunEvent.decode(one) for one in texts[1:])]
    return _Known(StoredEvents(events[-most:], length), texts[-1])
