"""Event files as every writer could have written them, made byte by byte, and the ways in which storage spoils them."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from collector.parse.event.crc import masked_crc
from collector.parse.parsed import Parser
from collector.wire.records import ParserState


def frame(data: bytes) -> bytes:
    """A record as TFRecord frames it."""
    head = struct.pack("<Q", len(data))
    return head + struct.pack("<I", masked_crc(head)) + data + struct.pack("<I", masked_crc(data))


def varint(number: int) -> bytes:
    number &= 2**64 - 1
    groups = []
    while number > 0x7F:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*groups, number])


def message(number: int, content: bytes) -> bytes:
    """A field of wire type 2."""
    return bytes([number << 3 | 2]) + varint(len(content)) + content


def simple(tag: str, value: bytes) -> bytes:
    """TensorFlow's Summary.Value {1 tag, 2 simple_value}; ``value`` is the float's four bytes."""
    return message(1, tag.encode()) + b"\x15" + value


def mindspore(tag: str, value: bytes) -> bytes:
    """MindSpore's Summary.Value {1 tag, 3 scalar_value}."""
    return message(1, tag.encode()) + b"\x1d" + value


def tensor(tag: str, value: bytes) -> bytes:
    """A scalar of TensorFlow 2: metadata, and a tensor that holds one float as its raw content."""
    content = b"\x08\x01\x12\x00" + message(4, value)
    return message(1, tag.encode()) + message(9, message(1, message(1, b"scalars"))) + message(8, content)


def text(tag: str, content: str) -> bytes:
    """What add_text writes."""
    plugin = message(9, message(1, message(1, b"text")))
    return message(1, tag.encode()) + message(8, b"\x08\x07" + message(8, content.encode())) + plugin


def histogram(tag: str, size: int) -> bytes:
    """A value that is no scalar."""
    return message(1, tag.encode()) + message(5, bytes(range(256))[:size] * 2)


def event(step: int | None, wall: float, *values: bytes) -> bytes:
    """A framed Event with a Summary of these values; a step of None is not written, as proto3 does with zero."""
    head = b"\x09" + struct.pack("<d", wall) + (b"" if step is None else b"\x10" + varint(step))
    return frame(head + message(5, b"".join(message(1, value) for value in values)))


def version(wall: float = 1.7e9) -> bytes:
    return frame(b"\x09" + struct.pack("<d", wall) + message(3, b"brain.Event:2"))


def session(step: int, wall: float, status: int = 1) -> bytes:
    """Event {7 session_log {1 status}}; 1 is START."""
    return frame(b"\x09" + struct.pack("<d", wall) + b"\x10" + varint(step) + message(7, b"\x08" + varint(status)))


class Outcome:
    """All that a parser gives for a file which arrives in pieces that end at ``cuts``, bit by bit."""

    def __init__(self, parser: Parser, data: bytes, cuts: Sequence[int] = (), *, final: bool = True) -> None:
        self.scalars: dict[str, bytes] = {}
        self.counts: dict[str, int] = {}
        self.facts: dict[str, str] = {}
        self.restarts: list[int] = []
        self.consumed, self.retry = 0, False
        self._state: ParserState = {}
        for end in [*cuts, len(data)]:
            while self._feed(parser, data[self.consumed : end], final=final and end == len(data)):
                pass

    def _feed(self, parser: Parser, chunk: bytes, *, final: bool) -> bool:
        parsed = parser.parse(chunk, self._state, final=final)
        for tag, block in parsed.scalars.items():
            self.scalars[tag] = self.scalars.get(tag, b"") + block
        for code, count in parsed.counts.items():
            self.counts[code] = self.counts.get(code, 0) + count
        self.facts.update(parsed.facts)
        self.consumed += parsed.consumed
        self._state, self.retry = parsed.state, parsed.retry
        if parsed.restarted is not None:
            self.restarts.append(self.consumed)
            self._state = {}
        return parsed.restarted is not None

    def all(self) -> tuple[object, ...]:
        """What must be the same for every cut; the tags in their order."""
        return list(self.scalars.items()), self.counts, self.facts, self.restarts, self.consumed


def one_by_one(parser: Parser, data: bytes) -> Outcome:
    """The outcome when the file arrives in pieces so small that every record is read by itself."""
    return Outcome(parser, data, range(4000, len(data), 4000))
