"""The few protobuf wire types that events use: varint (0), fixed64 (1), bytes (2), fixed32 (5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

Field = tuple[int, int, int | bytes]
"""number, wire type, value: a varint as an unsigned integer, everything else as its bytes."""

_FIXED = {1: 8, 5: 4}


class BrokenMessage(ValueError):
    """Skip this record: its bytes are no protobuf message."""


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The unsigned integer at ``at`` and the offset after it."""
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise BrokenMessage("A number runs over its end.")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at
        shift += 7


def signed(value: int) -> int:
    """An int64 that travelled as a varint."""
    return value - (1 << 64) if value >= 1 << 63 else value


def fields(data: bytes) -> Iterator[Field]:
    """The fields of one message, in the order written."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(data, at)
            yield number, wire, value
            continue
        if wire == 2:
            size, at = varint(data, at)
        elif (size := _FIXED.get(wire, -1)) < 0:
            raise BrokenMessage(f"Wire type {wire} does not occur in events.")
        if at + size > len(data):
            raise BrokenMessage("A field is longer than its message.")
        yield number, wire, data[at : at + size]
        at += size


def messages(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of wire type 2 alone: a field of another wire type than its own is one that nobody knows."""
    for number, wire, value in fields(data):
        if wire == 2 and isinstance(value, bytes):
            yield number, value


class Span(NamedTuple):
    """Where the value of one field lies: ``start`` to ``end``, its length prefix left out."""

    number: int
    wire: int
    start: int
    end: int


def spans(data: bytes, start: int, end: int) -> list[Span]:
    """The fields of the message in ``data[start:end]``, in the order written; nothing is decoded."""
    found = []
    at = start
    while at < end:
        key, at = varint(data, at)
        wire = key & 7
        if wire == 0:
            after = varint(data, at)[1]
        elif wire == 2:
            size, at = varint(data, at)
            after = at + size
        elif wire in _FIXED:
            after = at + _FIXED[wire]
        else:
            raise BrokenMessage(f"Wire type {wire} does not occur in events.")
        if after > end:
            raise BrokenMessage("A field is longer than its message.")
        found.append(Span(key >> 3, wire, at, after))
        at = after
    return found


def sole_fields(data: bytes, start: int, end: int) -> dict[int, Span]:
    """The fields of a message by number. Raises BrokenMessage when one occurs twice: the second would overrule the
    first, which is for the full decoder to say."""
    found = spans(data, start, end)
    by_number = {span.number: span for span in found}
    if len(by_number) != len(found):
        raise BrokenMessage("A field occurs twice.")
    return by_number
