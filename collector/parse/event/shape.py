"""Which bytes of a record may differ between records of one shape: the first step of reading many at once (find).

Two frames have one shape when they differ in nothing but the wall time, the payload bits of the step's varint (never
its continuation bits, so its length is the same), the raw bytes of the numbers and the data's checksum. Everything
else, the tag included, is fixed. So whoever has decoded one of them knows where the numbers of all others are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from collector.parse.event.framing import FOOTER_BYTES, HEADER_BYTES
from collector.parse.event.protobuf import BrokenMessage, sole_fields, spans

_LONGEST_STEP = 9  # bytes of varint: ten are a negative step, which is read one by one
_LONGEST_PLAIN = 512  # bytes of a record whose shape is remembered
_FIXED, _FREE, _PAYLOAD = b"\xff", b"\x00", b"\x80"


@dataclass(frozen=True, slots=True)
class Scalar:
    """Where the number of one tag is: ``at`` counts from the first byte of the data, in a Shape from its frame's."""

    tag: str
    at: int
    dtype: str  # of numpy, little endian


FindScalar = Callable[[bytes, int, int], Scalar | None]
"""(data, start, end) of one Summary.Value → where its number is in ``data``; None: only a full decoder can tell."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One frame: offsets count from its first byte."""

    size: int  # bytes of the whole frame
    wall_at: int
    step_at: int
    step_bytes: int  # 0: the record names no step, which means step 0
    scalars: tuple[Scalar, ...]

    @property
    def tags(self) -> tuple[str, ...]:
        """Whose numbers it holds."""
        return tuple(scalar.tag for scalar in self.scalars)

    @property
    def fixed(self) -> bytes:
        """A mask as long as the frame: the bits that are the same in every frame of this shape."""
        mask = bytearray(_FIXED * self.size)
        mask[self.wall_at : self.wall_at + 8] = _FREE * 8
        mask[self.step_at : self.step_at + self.step_bytes] = _PAYLOAD * self.step_bytes
        for scalar in self.scalars:
            size = int(scalar.dtype[-1])
            mask[scalar.at : scalar.at + size] = _FREE * size
        mask[self.size - FOOTER_BYTES :] = _FREE * FOOTER_BYTES
        return bytes(mask)


def shape_of(data: bytes, find: FindScalar) -> Shape | None:
    """The shape of the frame around ``data``, or None when only a full decoder can read it.

    The shape of a plain record, which ends with its number, is decided by all but the payload of wall and step and
    the number, so it is remembered by that.
    """
    # 09 wall(8) 10 step(varint) 2a … 0a tag 15 float(4)
    if 24 < len(data) < _LONGEST_PLAIN and data[0] == 0x09 and data[9] == 0x10:
        at = 10
        while data[at] > 0x7F and at < 20:
            at += 1
        shape = _remembered(data[:1] + bytes(8) + data[9:10] + _zeroed(data[10 : at + 1]) + data[at + 1 : -4], find)
        if shape is not None and shape.scalars[-1].at + 4 == shape.size - FOOTER_BYTES:
            return shape
    return _shape(data, find)


def _zeroed(step: bytes) -> bytes:
    return bytes(byte & 0x80 for byte in step)


@lru_cache(maxsize=4096)
def _remembered(start: bytes, find: FindScalar) -> Shape | None:
    """``start`` is all of a record but its last four bytes; of use only if these are a number."""
    return _shape(start + bytes(4), find)


def _shape(data: bytes, find: FindScalar) -> Shape | None:
    try:
        by_number = sole_fields(data, 0, len(data))
        wall, step, summary = by_number.pop(1), by_number.pop(2, None), by_number.pop(5)
        if by_number or wall.wire != 1 or summary.wire != 2 or (step and step.wire != 0):
            return None
        values = list(spans(data, summary.start, summary.end))
        found = [find(data, value.start, value.end) for value in values if (value.number, value.wire) == (1, 2)]
    except (BrokenMessage, KeyError):
        return None
    scalars = tuple(Scalar(one.tag, one.at + HEADER_BYTES, one.dtype) for one in found if one is not None)
    step_bytes = step.end - step.start if step else 0
    is_plain = len({scalar.tag for scalar in scalars}) == len(values)  # no value is another thing, no tag comes twice
    if not scalars or not is_plain or step_bytes > _LONGEST_STEP:
        return None
    size = HEADER_BYTES + len(data) + FOOTER_BYTES
    step_at = step.start + HEADER_BYTES if step else 0
    return Shape(size, wall.start + HEADER_BYTES, step_at, step_bytes, scalars)
