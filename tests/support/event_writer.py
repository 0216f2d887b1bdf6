"""Writes real TensorBoard event records, one scalar each, without any TensorBoard."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from google_crc32c import value as crc32c


def _masked(data: bytes) -> bytes:
    crc = crc32c(data)
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def record(data: bytes) -> bytes:
    """One TFRecord frame."""
    length = struct.pack("<Q", len(data))
    return length + _masked(length) + data + _masked(data)


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def scalar(step: int, wall: float, tag: str, value: float) -> bytes:
    """One framed Event with one simple value."""
    summary = _field(1, _field(1, tag.encode()) + b"\x15" + struct.pack("<f", value))
    return record(b"\x09" + struct.pack("<d", wall) + b"\x10" + _varint(step) + _field(5, summary))


def histogram(step: int, tag: str, size: int) -> bytes:
    """One framed Event with one histogram of ``size`` bytes (Summary.Value, field 5)."""
    value = _field(1, tag.encode()) + _field(5, bytes(size))
    return record(b"\x09" + struct.pack("<d", 1.7e9) + b"\x10" + _varint(step) + _field(5, _field(1, value)))


def header(wall: float = 1.7e9) -> bytes:
    """The version record that begins every event file."""
    return record(b"\x09" + struct.pack("<d", wall) + _field(3, b"brain.Event:2"))


def scalars(steps: Iterable[int], tags: Iterable[str] = ("loss",)) -> bytes:
    """Several steps of several tags; the value is a quarter of the step, which every float holds exactly."""
    names = list(tags)
    return b"".join(scalar(step, 1.7e9 + step, tag, step / 4) for step in steps for tag in names)
