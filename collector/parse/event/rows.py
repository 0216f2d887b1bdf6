"""Many records of one shape at once: prove that they are, check every checksum, decode (the second and third step).

The records lie in the rows of a byte matrix: one record a row, or one whole cycle of records a row.

**Prove.** A row is like another when the two differ in free bits alone. The lengths and their checksums are fixed bits,
so it also proves that each record begins where the one before it ends.

**Check.** The difference of each row and one that was checked, with the difference of the unmasked data checksums in
the place of the masked ones, must leave nothing: see linear_crc.py. One pass of the processor's CRC instruction over
all rows takes the place of a call for each record.

**Decode.** What is left are columns: the same number in every row is a strided view.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from collector.parse.event.framing import FOOTER_BYTES
from collector.parse.event.linear_crc import leaves_nothing, unmasked
from collector.parse.event.shape import Shape

Bytes = NDArray[np.uint8]
POINTS = np.dtype([("step", "<i8"), ("wall", "<f8"), ("value", "<f8")])  # wire.records.POINT


@dataclass(frozen=True, slots=True)
class Layout:
    """What a row holds: shapes one behind the other, each with the offset of its frame in the row."""

    records: tuple[tuple[int, Shape], ...]
    fixed: Bytes  # a mask as long as the row: the bits that are the same in every row
    footers: tuple[int, ...]  # where the data checksums are
    first: Bytes  # a row that was checked record by record
    checksums: NDArray[np.uint32]  # the unmasked data checksums in it, one a line

    @property
    def width(self) -> int:
        """Bytes of a row."""
        return len(self.fixed)


def layout_of(shapes: Sequence[Shape], first: bytes) -> Layout:
    """The layout of a row like ``first``, in which frames of these shapes follow one another without a gap."""
    starts = list(accumulate((shape.size for shape in shapes), initial=0))
    footers = tuple(end - FOOTER_BYTES for end in starts[1:])
    stored = [np.frombuffer(first, "<u4", 1, at) for at in footers]
    return Layout(
        records=tuple(zip(starts, shapes, strict=False)),
        fixed=np.frombuffer(b"".join(shape.fixed for shape in shapes), np.uint8),
        footers=footers,
        first=np.frombuffer(first, np.uint8),
        checksums=unmasked(np.array(stored, np.uint32)),
    )


def alike(rows: Bytes, layout: Layout) -> Bytes:
    """The first rows, as many as are proven to be like the layout's own, each as its difference from that."""
    difference = rows ^ layout.first
    other = difference & layout.fixed
    return difference if not other.max(initial=0) else difference[: int(other.any(axis=1).argmax())]


def are_intact(rows: Bytes, difference: Bytes, layout: Layout) -> bool:
    """Whether every checksum in the rows, at least one, is right; overwrites the checksums in ``difference``."""
    shape, width = (len(difference),), difference.shape[1]
    stored = np.empty((len(layout.footers), *shape), np.uint32)
    for column, at in zip(stored, layout.footers, strict=True):
        column[:] = np.ndarray(shape, "<u4", rows, at, (width,))
    crc = unmasked(stored)
    crc ^= layout.checksums
    for column, at in zip(crc, layout.footers, strict=True):
        np.ndarray(shape, "<u4", difference, at, (width,))[:] = column
    return leaves_nothing(difference)


def points_of(rows: Bytes, layout: Layout) -> list[tuple[str, NDArray[np.void]]]:
    """The points of every tag, one a row, in the order of the tags in a row."""
    found = []
    known: dict[tuple[bytes, ...], NDArray[np.int64]] = {}
    for start, shape in layout.records:
        wall = _column(rows, start + shape.wall_at, "<f8")
        step = _steps(rows, start + shape.step_at, shape.step_bytes, known)
        for scalar in shape.scalars:
            points = np.empty(len(rows), POINTS)
            points["step"], points["wall"] = step, wall
            with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
                points["value"] = _column(rows, start + scalar.at, scalar.dtype)
            found.append((scalar.tag, points))
    return found


def _column(rows: Bytes, at: int, dtype: str) -> NDArray[np.generic]:
    """The numbers that stand at one offset in every row; a view."""
    return np.ndarray((len(rows),), dtype, rows, at, (rows.shape[1],))


def _steps(rows: Bytes, at: int, size: int, known: dict[tuple[bytes, ...], NDArray[np.int64]]) -> NDArray[np.int64]:
    """The varints of ``size`` bytes at one offset. All tags of one cycle mostly have one step: decoded once."""
    raw = tuple(rows[:, at + index].tobytes() for index in range(size))
    if raw not in known:
        steps = np.zeros(len(rows), np.int64)
        for index, column in enumerate(raw):
            steps |= (np.frombuffer(column, np.uint8) & np.uint8(0x7F)).astype(np.int64) << np.int64(7 * index)
        known[raw] = steps
    return known[raw]
