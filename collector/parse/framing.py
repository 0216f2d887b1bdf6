"""TFRecord frames, as TensorFlow, tensorboardX and MindSpore write them.

A frame is length u64 | masked CRC of the length u32 | data | masked CRC of the data u32, little endian.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from google_crc32c import value as crc32c

from collector.parse.crc import masked_crc

_HEADER = struct.Struct("<QI")
_FOOTER = struct.Struct("<I")
_HEADER_BYTES = _HEADER.size
_OVERHEAD = _HEADER.size + _FOOTER.size


@dataclass(frozen=True, slots=True)
class Frames:
    """The whole frames at the beginning of a chunk. An incomplete frame at its end is no error: it is left over."""

    data: list[bytes]
    consumed: int  # bytes of whole frames, those with a bad data checksum included
    bad_data: int  # frames left out because their data do not match their checksum
    bad_length: bool  # the next frame's length does not match its checksum: what follows cannot be found


def frames(chunk: bytes) -> Frames:
    """Cut a chunk into frames; a bad data checksum costs its own frame, a bad length checksum ends the cutting."""
    found: list[bytes] = []
    lengths: dict[int, int] = {}  # length → its checksum; records of one run have few different lengths
    at, end, bad = 0, len(chunk), 0
    header, footer = _HEADER.unpack_from, _FOOTER.unpack_from
    while at + _HEADER_BYTES <= end:
        length, length_crc = header(chunk, at)
        if lengths.get(length) != length_crc:
            if masked_crc(chunk[at : at + 8]) != length_crc:
                return Frames(found, at, bad, True)
            lengths[length] = length_crc
        after = at + _OVERHEAD + length
        if after > end:
            break
        data = chunk[at + _HEADER_BYTES : after - 4]
        crc = crc32c(data)  # masked here, not by a call: this line runs once a point
        if (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF == footer(chunk, after - 4)[0]:
            found.append(data)
        else:
            bad += 1
        at = after
    return Frames(found, at, bad, False)
