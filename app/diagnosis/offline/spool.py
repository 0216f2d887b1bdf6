"""Points of many series in one temporary file, so that memory holds no more than where they are."""

from __future__ import annotations

import os
import tempfile
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Self

from collector.wire.records import POINT_BYTES


@dataclass(slots=True)
class Extents:
    """Where the pieces of one series are: ``ends`` counts points up to and including each, ``places`` are bytes."""

    ends: list[int] = field(default_factory=list)
    places: list[int] = field(default_factory=list)

    @property
    def length(self) -> int:
        return self.ends[-1] if self.ends else 0


class Spool:
    """A file without a name: it is gone with the process, however that ends."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 (closed by close)
        self._size = 0
        self._flushed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the room back."""
        self._file.close()

    def add(self, extents: Extents, points: bytes) -> None:
        """Append whole points to a series. Raises OSError when there is no room."""
        count = len(points) // POINT_BYTES
        if not count:
            return
        self._file.write(points)
        self._flushed = False
        if extents.places and self._size == extents.places[-1] + self._length(extents, -1) * POINT_BYTES:
            extents.ends[-1] += count
        else:
            extents.ends.append(extents.length + count)
            extents.places.append(self._size)
        self._size += len(points)

    def read(self, extents: Extents, at: int, count: int) -> bytes:
        """So many points from the place ``at`` on, fewer at the end."""
        if not self._flushed:
            self._file.flush()
            self._flushed = True
        found, end = [], min(extents.length, at + count)
        at = max(0, at)
        while at < end:
            piece = bisect_right(extents.ends, at)
            first = extents.ends[piece] - self._length(extents, piece)
            stop = min(end, extents.ends[piece])
            place = extents.places[piece] + (at - first) * POINT_BYTES
            found.append(os.pread(self._file.fileno(), (stop - at) * POINT_BYTES, place))
            at = stop
        return b"".join(found)

    @staticmethod
    def _length(extents: Extents, piece: int) -> int:
        before = piece % len(extents.ends)
        return extents.ends[piece] - (extents.ends[before - 1] if before else 0)
