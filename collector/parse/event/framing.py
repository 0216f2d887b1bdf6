"""TFRecord frames, as TensorFlow, tensorboardX and MindSpore write them.

A frame is length u64 | masked CRC of the length u32 | data | masked CRC of the data u32, little endian.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Literal

from google_crc32c import value as crc32c

from collector.parse.event.crc import masked_crc

_HEADER = struct.Struct("<QI").unpack_from
_FOOTER = struct.Struct("<I").unpack_from
HEADER_BYTES = 12
FOOTER_BYTES = 4
OVERHEAD = HEADER_BYTES + FOOTER_BYTES

Stop = Literal["limit", "incomplete", "bad_length", "bad_data"]


@dataclass(slots=True)
class Frames:
    """Frames one behind the other, and why there are no more of them."""

    data: list[bytes] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)  # where each of them begins
    end: int = 0  # behind the last one
    stop: Stop = "limit"
    """Of what begins at ``end``: more of the same | it is not all there | its length does not match its checksum | its
    data do not."""


def frames(chunk: bytes, start: int = 0, *, limit: int = 1 << 62, until: int = 0) -> Frames:
    """The frames from ``start`` on: at most ``limit``, or all that begin before ``until`` if that is more."""
    found = Frames(end=start)
    lengths: dict[int, int] = {}  # length → its checksum; records of one run have few different lengths
    at, size = start, len(chunk)
    while limit > 0 or at < until:
        limit -= 1
        if at + HEADER_BYTES > size:
            found.stop = "incomplete"
            break
        length, length_crc = _HEADER(chunk, at)
        if lengths.get(length) != length_crc:
            if masked_crc(chunk[at : at + 8]) != length_crc:
                found.stop = "bad_length"
                break
            lengths[length] = length_crc
        after = at + OVERHEAD + length
        if after > size:
            found.stop = "incomplete"
            break
        data = chunk[at + HEADER_BYTES : after - FOOTER_BYTES]
        crc = crc32c(data)  # masked here, not by a call: this line runs once a point
        if (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF != _FOOTER(chunk, after - FOOTER_BYTES)[0]:
            found.stop = "bad_data"
            break
        found.data.append(data)
        found.starts.append(at)
        at = after
    found.end = at
    return found


def has_header(chunk: bytes, at: int) -> bool:
    """Whether a length stands at ``at`` that matches its checksum."""
    if at + HEADER_BYTES > len(chunk):
        return False
    return bool(masked_crc(chunk[at : at + 8]) == _FOOTER(chunk, at + 8)[0])


def frame_end(chunk: bytes, at: int) -> int:
    """Where the frame ends that begins at ``at``, by its length, which the caller has checked."""
    return at + OVERHEAD + int(_HEADER(chunk, at)[0])


def intact_data(chunk: bytes, at: int) -> bytes | None:
    """The data of the frame at ``at`` if it is all there and both checksums are right."""
    if not has_header(chunk, at):
        return None
    after = frame_end(chunk, at)
    data = chunk[at + HEADER_BYTES : after - FOOTER_BYTES]
    if after > len(chunk) or masked_crc(data) != _FOOTER(chunk, after - FOOTER_BYTES)[0]:
        return None
    return data
