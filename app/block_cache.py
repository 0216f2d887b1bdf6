"""Blocks of points already read: they only grow, so only what was appended is asked for."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

from collector.wire.records import POINT_BYTES

Ranges = Callable[[Sequence[tuple[str, int]]], Sequence[bytes]]
"""[(key, first byte)] → the bytes of each key from there to its end."""


class BlockCache:
    """Least recently used blocks up to ``limit`` bytes; safe to share between threads."""

    def __init__(self, limit: int) -> None:
        """``limit`` in bytes; one block larger than that is still answered, only not kept."""
        self._limit = limit
        self.size = 0  # bytes held
        self._blocks: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, keys: Sequence[str], ranges: Ranges) -> Sequence[bytes]:
        """The whole block of each key, without a torn last point."""
        with self._lock:
            known = [self._blocks.get(key, b"") for key in keys]
        # The last known point is read again: when it differs, the store was flushed and filled anew.
        starts = [max(0, len(block) - POINT_BYTES) for block in known]
        tails = ranges(list(zip(keys, starts, strict=True)))
        blocks = [_grown(block, tail) for block, tail in zip(known, tails, strict=True)]
        stale = [number for number, block in enumerate(blocks) if block is None]
        fresh = ranges([(keys[number], 0) for number in stale]) if stale else []
        again = dict(zip(stale, fresh, strict=True))
        whole = [again[number] if block is None else block for number, block in enumerate(blocks)]
        whole = [block[: len(block) - len(block) % POINT_BYTES] for block in whole]
        self._keep(keys, whole)
        return whole

    def _keep(self, keys: Sequence[str], blocks: Sequence[bytes]) -> None:
        with self._lock:
            for key, block in zip(keys, blocks, strict=True):
                self.size += len(block) - len(self._blocks.pop(key, b""))
                self._blocks[key] = block
            while self.size > self._limit and self._blocks:
                self.size -= len(self._blocks.popitem(last=False)[1])


def _grown(known: bytes, tail: bytes) -> bytes | None:
    """``known`` with what follows it, or None when the store no longer continues it."""
    if not known or tail[:POINT_BYTES] != known[-POINT_BYTES:]:
        return None if known else tail
    return known if len(tail) == POINT_BYTES else known + tail[POINT_BYTES:]
