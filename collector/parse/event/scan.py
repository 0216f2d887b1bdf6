"""Records in any order: found by their pattern, proven by the chain of their lengths, read group by group.

Where no cycle holds (tags on schedules of their own, a histogram now and then), every place where a record could begin
is found at once; those that follow one another by their lengths are the records. They are put together by length, by
bytes of step and by what is fixed in them, and each group is proven, checked and decoded as rows of one shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from collector.parse.event.framing import HEADER_BYTES, OVERHEAD, intact_data
from collector.parse.event.linear_crc import masked_length_crc
from collector.parse.event.rows import POINTS, Bytes, alike, are_intact, layout_of, points_of
from collector.parse.event.shape import FindScalar, shape_of

BLOCK = 1 << 20  # bytes looked through at once: groups become large enough to be worth it
FEWEST = 12  # records of one shape that are worth reading together
LONGEST = 4096  # bytes of a record that is found by pattern
MOST_TRIES = 4  # records of a group that are asked for its shape: a histogram may have a scalar's length
PEELED = 16  # groups that are taken one by one before the rest is sorted
# 0c 00 00 00 00 00 00 00 | crc | 09 wall(8) 10 step
_WALL_KEY, _STEP_KEY = 0x09, 0x10
_STEP_AT = HEADER_BYTES + 10

Places = NDArray[np.intp]
Points = NDArray[np.void]
Single = Callable[[bytes], list[tuple[str, int, float, float]] | None]
"""The scalars (tag, step, wall, value) of one record; None: it holds what must be read in its order."""


@dataclass(slots=True)
class Scanned:
    """The points of all records up to ``end``, in order of arrival; ``singles`` of the ``records`` were no rows."""

    end: int
    records: int = 0
    singles: list[int] = field(default_factory=list)
    found: dict[str, list[tuple[Places, Points]]] = field(default_factory=dict)
    first: dict[str, tuple[int, int]] = field(default_factory=dict)  # tag → its first record, and its place in that

    def add(self, scalars: list[tuple[str, Points]], starts: Places) -> None:
        """Points of records that begin at ``starts``; the tags in their order in the record."""
        for place, (tag, points) in enumerate(scalars):
            self.found.setdefault(tag, []).append((starts, points))
            here = (int(starts[0]), place)
            self.first[tag] = min(self.first.get(tag, here), here)

    def points(self) -> Iterator[tuple[str, bytes]]:
        """Every tag with its points in order of arrival, the tag that came first first."""
        for tag in sorted(self.first, key=lambda tag: self.first[tag]):
            parts = self.found[tag]
            points = np.concatenate([points for _, points in parts])
            if len(parts) > 1:
                points = points[np.concatenate([starts for starts, _ in parts]).argsort(kind="stable")]
            yield tag, points.tobytes()


def scan(chunk: bytes, at: int, find: FindScalar, single: Single) -> Scanned | None:
    """The records from ``at`` on in about BLOCK bytes, as far as they are found by pattern; None when those bytes must
    be read one by one."""
    starts, sizes = chained(chunk, at)
    if len(starts) < FEWEST:
        return Scanned(at)
    scanned = Scanned(int(starts[-1] + sizes[-1]), len(starts))
    codes = sizes * 16 + _step_bytes(chunk, starts)
    for code in np.flatnonzero(np.bincount(codes)):
        members = starts[codes == code]
        if not _read_alike(chunk, members, int(code) >> 4, find, scanned):
            return None
    if len(scanned.singles) * 2 > scanned.records or not _read_singles(chunk, single, scanned):
        return None
    return scanned


def chained(chunk: bytes, at: int) -> tuple[Places, Places]:
    """Where the records begin that follow one another from ``at`` on, and how long their frames are. Ends at the first
    that is not found by pattern."""
    size = min(len(chunk) - at, BLOCK)
    block = np.frombuffer(chunk, np.uint8, size, at)
    if size < OVERHEAD + LONGEST:
        return np.empty(0, np.intp), np.empty(0, np.intp)
    places = np.flatnonzero(block[HEADER_BYTES : size - FEWEST] == _WALL_KEY)
    lengths = np.ndarray((size - 7,), "<u8", chunk, at, (1,))[places]
    places, lengths = places[lengths < LONGEST], lengths[lengths < LONGEST]
    right = _length_crcs()[lengths] == np.ndarray((size - 3,), "<u4", chunk, at, (1,))[places + 8]
    places, sizes = places[right], lengths[right].astype(np.intp) + OVERHEAD
    kept = _chain(places, sizes, size)
    return places[kept] + at, sizes[kept]


def _chain(places: Places, sizes: Places, end: int) -> Places:
    """Which of the places are reached from 0 by adding sizes, and end before ``end``."""
    after = places + sizes
    breaks = np.flatnonzero(after[:-1] != places[1:])
    parts: list[Places] = []
    first, goal = 0, 0
    while first < len(places) and places[first] == goal:
        ahead = int(breaks.searchsorted(first))
        last = int(breaks[ahead]) if ahead < len(breaks) else len(places) - 1
        parts.append(np.arange(first, last + 1))
        goal = int(after[last])
        first = int(places.searchsorted(goal))
    kept = np.concatenate(parts) if parts else np.empty(0, np.intp)
    return kept[after[kept] <= end]


@lru_cache(maxsize=1)
def _length_crcs() -> NDArray[np.uint32]:
    return masked_length_crc(np.arange(LONGEST, dtype=np.uint32))


def _step_bytes(chunk: bytes, starts: Places) -> Places:
    """How many bytes the step of each record has, if it begins with wall and step; 0 if not."""
    keys = np.frombuffer(chunk, np.uint8)[np.minimum(starts + _STEP_AT - 1, len(chunk) - 1)]
    words = np.ndarray((len(chunk) - 7,), "<u8", chunk, 0, (1,))[np.minimum(starts + _STEP_AT, len(chunk) - 8)]
    goes_on = keys == _STEP_KEY
    count: Places = goes_on.astype(np.intp)
    for _ in range(8):
        goes_on &= (words & np.uint64(0x80)) != 0
        if not goes_on.any():
            break
        count += goes_on
        words >>= np.uint64(8)
    return count


def _read_alike(chunk: bytes, starts: Places, size: int, find: FindScalar, scanned: Scanned) -> bool:
    """Records of one length and one length of step, grouped by what is fixed in them. False: a checksum is wrong."""
    shape = None
    for tries, start in enumerate(starts[:MOST_TRIES].tolist()):
        data = intact_data(chunk, start)
        if data is None:
            return False
        shape = shape_of(data, find) if len(starts) >= FEWEST else None
        if shape is not None:
            scanned.singles.extend(starts[:tries].tolist())
            starts = starts[tries:]
            break
    if shape is None:  # no scalars, or too few of them
        scanned.singles.extend(starts.tolist())
        return True
    rows = np.ndarray((len(chunk) - size + 1,), f"V{size}", chunk, 0, (1,))[starts].view(np.uint8).reshape(-1, size)
    groups = _groups(rows, np.frombuffer(shape.fixed, np.uint8))
    return all(_read_rows(chunk, starts[members], rows[members], find, scanned) for members in groups)


def _groups(rows: Bytes, fixed: Bytes) -> Iterator[Places]:
    """Rows put together by their fixed bits, or a hash of them: who reads a group proves it."""
    masked = rows & fixed
    words = np.ndarray((len(rows), rows.shape[1] // 8), "<u8", masked, 0, (rows.shape[1], 8))
    keys = words @ _weights(words.shape[1])
    left = np.arange(len(rows))
    for _ in range(PEELED):
        same = keys[left] == keys[left[0]]
        yield left[same]
        left = left[~same]
        if not len(left):
            return
    left = left[keys[left].argsort(kind="stable")]
    yield from np.split(left, np.flatnonzero(np.diff(keys[left])) + 1)


@lru_cache(maxsize=64)
def _weights(count: int) -> NDArray[np.uint64]:
    return np.random.default_rng(count).integers(0, 2**64, count, np.uint64) | np.uint64(1)


def _read_rows(chunk: bytes, starts: Places, rows: Bytes, find: FindScalar, scanned: Scanned) -> bool:
    """Records that are probably of one shape. False: a checksum is wrong."""
    data = intact_data(chunk, int(starts[0]))
    if data is None:
        return False
    shape = shape_of(data, find) if len(starts) >= FEWEST else None
    if shape is None:
        scanned.singles.extend(starts.tolist())
        return True
    layout = layout_of((shape,), rows[0].tobytes())
    difference = alike(rows, layout)
    count = len(difference)
    scanned.singles.extend(starts[count:].tolist())
    scanned.add(points_of(rows[:count], layout), starts[:count])
    return are_intact(rows, difference, layout)


def _read_singles(chunk: bytes, single: Single, scanned: Scanned) -> bool:
    """The records that belong to no group. False: a checksum is wrong, or one must be read in its order."""
    for start in scanned.singles:
        data = intact_data(chunk, start)
        scalars = None if data is None else single(data)
        if scalars is None:
            return False
        points = [(tag, np.array([(step, wall, value)], POINTS)) for tag, step, wall, value in scalars]
        scanned.add(points, np.array([start]))
    return True
