"""Points of stored series, read by place as they lay there when an export began; never a whole series at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from app.export.chunks import Chunk
from app.series.curve import POINT, SOURCES, Curve
from app.stored import RunSeries, RunStore
from collector.wire.records import POINT_BYTES

AT_ONCE = 49_152  # points that one question asks for: 1.2 MB
LARGEST = 4_096  # points of a stretch; a table of six columns then works on a few MB
SMALLEST = 256
QUESTIONS = 1_000  # series that one question asks for


class Moved(Exception):
    """The points are no longer where they lay: older ones were folded, or the store was flushed. Export again."""


class Blocks:
    """Reads one run up to ``lengths`` (series → points)."""

    def __init__(self, store: RunStore, run: RunSeries, lengths: Mapping[str, int]) -> None:
        """Nothing is read yet."""
        self._store, self._run, self._lengths = store, run, lengths

    def through(self, sids: Sequence[str], size: int) -> Iterator[tuple[str, int, bytes, Curve]]:
        """Every point of each series, in stretches of ``size``: series, place, its first point as it is stored, and
        the points. Raises StoreAway, Moved."""
        waiting, held = list[tuple[str, int, int]](), 0
        for sid in sids:
            for place in range(0, self._lengths[sid], size):
                waiting.append((sid, place, min(size, self._lengths[sid] - place)))
                held += waiting[-1][2]
                if held > AT_ONCE - size or len(waiting) >= QUESTIONS:
                    yield from self._read(waiting)
                    waiting, held = [], 0
        yield from self._read(waiting)

    def chunk(self, some: Sequence[Chunk]) -> Iterator[tuple[Chunk, Curve]]:
        """The stretches of some chunks, whole; as many together as one question asks for. Raises StoreAway, Moved."""
        for group in _grouped(some):
            found = self._read([(one.sid, one.place, one.count) for one in group])
            for one, (_, _, proof, curve) in zip(group, found, strict=True):
                if proof != one.proof:
                    raise Moved
                yield one, curve

    def _read(self, places: Sequence[tuple[str, int, int]]) -> Iterator[tuple[str, int, bytes, Curve]]:
        if not places:
            return
        for (sid, place, count), block in zip(places, self._store.ranges(self._run.id, places), strict=True):
            if len(block) < count * POINT_BYTES:
                raise Moved
            points = np.frombuffer(block, dtype=POINT, count=count)
            source = np.uint8(SOURCES.index(self._run.series[sid].source))
            yield (
                sid,
                place,
                block[:POINT_BYTES],
                Curve(
                    points["step"].astype(np.int64),
                    points["wall"].astype(np.float64),
                    points["value"].astype(np.float64),
                    np.broadcast_to(source, count),
                    np.broadcast_to(np.int64(0), count),
                ),
            )


def _grouped(some: Sequence[Chunk]) -> Iterator[Sequence[Chunk]]:
    group, held = list[Chunk](), 0
    for one in some:
        if group and held + one.count > AT_ONCE:
            yield group
            group, held = [], 0
        group.append(one)
        held += one.count
    if group:
        yield group


def size_for(columns: int) -> int:
    """Points of a stretch where so many series stand side by side."""
    return max(SMALLEST, min(LARGEST, AT_ONCE // max(1, columns)))
