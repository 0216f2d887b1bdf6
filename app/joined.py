"""What was put together of the parts of a run; the same object again while all parts are the same objects."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from collector.wire.records import RunId

Part = TypeVar("Part")
Whole = TypeVar("Whole")
RUNS = 64  # of which it is kept


class Joined(Generic[Part, Whole]):
    """Least recently used runs; safe to share between threads."""

    def __init__(self, join: Callable[[Sequence[Part]], Whole]) -> None:
        """Nothing is kept yet."""
        self._join = join
        self._runs: OrderedDict[RunId, tuple[Sequence[Part], Whole]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, run: RunId, parts: Sequence[Part]) -> Whole:
        """The parts, put together."""
        with self._lock:
            before, whole = self._runs.pop(run, ((), None))
        if (
            whole is None
            or len(before) != len(parts)
            or any(one is not two for one, two in zip(before, parts, strict=True))
        ):
            whole = self._join(parts)
        with self._lock:
            self._runs[run] = parts, whole
            while len(self._runs) > RUNS:
                self._runs.popitem(last=False)
        return whole
