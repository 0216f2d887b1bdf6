"""TensorBoard event files as tensorboardX writes them: the few bytes of protobuf and TFRecord that this takes."""

from __future__ import annotations

import struct
from collections.abc import Mapping

import google_crc32c

VARINT, DOUBLE, BYTES, FLOAT = 0, 1, 2, 5  # protobuf wire types
DT_STRING = 7


def first_record(wall: float) -> bytes:
    """What every event file begins with."""
    return record(_wall(wall) + _bytes(3, b"brain.Event:2"))


def scalars(step: int, wall: float, values: Mapping[str, float]) -> bytes:
    """One record a tag, as one add_scalar each writes; the file keeps 32-bit floats."""
    return b"".join(scalar(step, wall, tag, value) for tag, value in values.items())


def scalar(step: int, wall: float, tag: str, value: float) -> bytes:
    """One record of one point."""
    point = _bytes(1, tag.encode()) + bytes([2 << 3 | FLOAT]) + struct.pack("<f", value)
    return record(_wall(wall) + _number(2, step) + _bytes(5, _bytes(1, point)))


def text(step: int, wall: float, tag: str, words: str) -> bytes:
    """One record of one add_text, which is where MindFormers leaves its configuration."""
    tensor = _number(1, DT_STRING) + _bytes(2, _bytes(2, _number(1, 1))) + _bytes(8, words.encode())
    value = _bytes(1, f"{tag}/text_summary".encode()) + _bytes(8, tensor) + _bytes(9, _bytes(1, _bytes(1, b"text")))
    return record(_wall(wall) + _number(2, step) + _bytes(5, _bytes(1, value)))


def record(payload: bytes) -> bytes:
    """A TFRecord: length, its masked CRC-32C, payload, its masked CRC-32C."""
    length = struct.pack("<Q", len(payload))
    return length + _checksum(length) + payload + _checksum(payload)


def _checksum(data: bytes) -> bytes:
    crc = int(google_crc32c.value(data))
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def _wall(wall: float) -> bytes:
    return bytes([1 << 3 | DOUBLE]) + struct.pack("<d", wall)


def _number(field: int, value: int) -> bytes:
    return bytes([field << 3 | VARINT]) + _varint(value)


def _bytes(field: int, data: bytes) -> bytes:
    return bytes([field << 3 | BYTES]) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])
