"""How a series lies in its up to three strings, and where in them its points from a place on are. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from app import batch
from collector.wire.packed import CHUNK_POINTS, SIZES, kinds_of
from collector.wire.records import POINT_BYTES


@dataclass(frozen=True, slots=True, eq=False)
class Strings:
    """How a series lies in its strings: how many points are kept of the folded ones, the front of its packed string,
    where each chunk behind it begins and the last one ends, and how many points come before the exact string."""

    kept: int
    front: bytes
    starts: Sequence[int]
    before: int

    @staticmethod
    @lru_cache(maxsize=4096)  # most series of a run lie alike
    def of(kept: int, front: bytes) -> Strings:
        """By what is kept, and by the front."""
        kinds = kinds_of(front)
        starts = accumulate((SIZES[kind] for kind in kinds), initial=len(front))
        return Strings(kept, front, tuple(starts), kept + len(kinds) * CHUNK_POINTS)

    def chunks(self, at: int, count: int) -> tuple[int, int]:
        """In which chunks points from a place on lie: the first, and the one behind the last."""
        if at >= self.before or at + count <= self.kept:
            return 0, 0
        most = len(self.starts) - 1
        return max(0, at - self.kept) // CHUNK_POINTS, min(most, -(-(at + count - self.kept) // CHUNK_POINTS))


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """So many points from a place on, in a series that lies like that: the kinds of the chunks in which they are, at
    which of the points of these chunks they begin, and what is asked for of the exact string and of the packed one."""

    lies: Strings
    at: int
    count: int
    kinds: bytes
    begin: int
    exact: bytes
    chunks: bytes

    @staticmethod
    @lru_cache(maxsize=1 << 14)  # thousands of series are mostly asked for the same
    def of(lies: Strings, at: int, count: int) -> Cut:
        """From a place on."""
        first, last = lies.chunks(at, count)
        kinds = kinds_of(lies.front)[first:last]
        exact = batch.span(*bytes_of(at - lies.before, count))
        chunks = batch.span(lies.starts[first], lies.starts[last] - 1)
        return Cut(lies, at, count, kinds, at - lies.kept - first * CHUNK_POINTS, exact, chunks)

    @property
    def is_kept(self) -> bool:
        """Whether points that are kept of folded ones are wanted."""
        return self.at < self.lies.kept


def bytes_of(at: int, count: int) -> tuple[int, int]:
    """First and last byte of points in their string, of those that are not before its beginning."""
    end = (at + count) * POINT_BYTES
    return (max(0, at) * POINT_BYTES, end - 1) if end > 0 else (1, 0)
