"""How often a wrong word may be tried: by one address and by all, within a time. Its memory is bounded."""

from __future__ import annotations

import ipaddress
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from math import ceil

WINDOW = 300.0  # seconds
OF_ONE, OF_ALL = 10, 200  # failures within it
ADDRESSES = 4_096  # remembered; beyond, the one that was heard of least recently is forgotten


class Limiter:
    """Safe to share between threads. An attempt counts as failed from its beginning, so that many at once are no way
    round it."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, *, of_one: int = OF_ONE, of_all: int = OF_ALL
    ) -> None:
        """``clock`` gives seconds."""
        self._clock, self._of_one, self._of_all = clock, of_one, of_all
        self._by_address: OrderedDict[str, deque[float]] = OrderedDict()
        self._all: deque[float] = deque()
        self._lock = threading.Lock()

    def begin(self, address: str | None) -> int:
        """0 lets an attempt through; else so many seconds have to pass before the next."""
        now, who = self._clock(), network(address or "")
        with self._lock:
            own = self._by_address.setdefault(who, deque())
            self._by_address.move_to_end(who)
            for times in (own, self._all):
                while times and times[0] <= now - WINDOW:
                    times.popleft()
            waits = [times[0] + WINDOW - now for times, most in self._limits(own) if len(times) >= most]
            if waits:
                return max(1, ceil(max(waits)))
            own.append(now)
            self._all.append(now)
            if len(self._by_address) > ADDRESSES:
                self._by_address.popitem(last=False)
            return 0

    def _limits(self, own: deque[float]) -> tuple[tuple[deque[float], int], ...]:
        return ((own, self._of_one), (self._all, self._of_all))

    def succeeded(self, address: str | None) -> None:
        """The attempt was none of a stranger. Earlier failures stay: who knows one secret may not try for another."""
        with self._lock:
            for times in (self._by_address.get(network(address or "")), self._all):
                if times:
                    times.pop()


def network(address: str) -> str:
    """Whom an address stands for: of IPv6 everybody has a whole network."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return ""
    if isinstance(found, ipaddress.IPv6Address):
        return str(found.ipv4_mapped or ipaddress.ip_network((found, 64), strict=False))
    return str(found)
