"""What TensorBoard's and MindSpore's event files share: the walk from frames to points.

Both frame their records alike and agree on Event {1 wall_time double, 2 step int64, 5 summary {1 value {1 tag …}}}
(tensorflow/core/util/event.proto, mindspore summary.proto); they differ in how a value holds its number.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field

from collector.parse.framing import frames
from collector.parse.parsed import Parsed
from collector.parse.protobuf import BrokenMessage, fields, signed, varint
from collector.wire.records import ParserState

_DOUBLE = struct.Struct("<d").unpack_from
_FLOAT = struct.Struct("<f").unpack_from

Number = float | None
ReadValue = Callable[[bytes], "Value"]


@dataclass(frozen=True, slots=True)
class Value:
    """One Summary.Value: its tag and its number, or None when it is no scalar; ``text`` for a text summary."""

    tag: str
    number: Number
    text: str | None = None


@dataclass(frozen=True, slots=True)
class ScalarForm:
    """How one format writes a scalar: ``key`` is the one byte before the float that ends a plain record,
    ``read`` decodes every other form."""

    key: int
    read: ReadValue


@dataclass(slots=True)
class Columns:
    """Points by tag as flat lists step, wall, value, …: packed once a chunk instead of once a point."""

    flat: dict[str, list[float]] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    broken: int = 0

    def of(self, tag: str) -> list[float]:
        """The column of a tag."""
        return self.flat.setdefault(tag, [])

    def packed(self) -> dict[str, bytes]:
        """Every column as 24-byte points (wire.records)."""
        return {tag: _pack(flat) for tag, flat in self.flat.items() if flat}


def parse_events(chunk: bytes, state: ParserState, scalar: ScalarForm) -> Parsed:
    """The points of the whole frames at the beginning of ``chunk``."""
    cut = frames(chunk)
    columns = Columns()
    _decode(cut.data, scalar, columns)
    counts = {"bad_data_crc": cut.bad_data, "broken_record": columns.broken}
    seen = bool(columns.flat) or bool(state.get("points"))
    return Parsed(
        consumed=cut.consumed,
        state={"points": True} if seen else {},
        scalars=columns.packed(),
        facts=columns.facts,
        counts={code: count for code, count in counts.items() if count},
        retry=cut.bad_length,
    )


def _decode(records: list[bytes], scalar: ScalarForm, columns: Columns) -> None:
    """Most records hold one plain scalar and differ from an earlier one in wall, step and the last four bytes alone;
    so what lies between is looked up whole, and only what was never seen is decoded field by field."""
    plain: dict[bytes, list[float]] = {}
    for data in records:
        # 09 wall(8) 10 step(varint) 2a … 0a tag 15 float(4)
        if len(data) > 20 and data[0] == 0x09 and data[9] == 0x10:
            step, at = data[10], 11
            if step > 0x7F:
                step, at = _step(data)
            column = plain.get(data[at:-4])
            if column is not None:
                column += (step, _DOUBLE(data, 1)[0], _FLOAT(data, len(data) - 4)[0])
                continue
            tag = _plain_tag(data[at:], scalar)
            if tag is not None:
                plain[data[at:-4]] = columns.of(tag)
        _decode_fields(data, scalar.read, columns)


def _step(data: bytes) -> tuple[int, int]:
    try:
        step, at = varint(data, 10)
    except BrokenMessage:
        return 0, len(data)
    return signed(step), at


def _plain_tag(rest: bytes, scalar: ScalarForm) -> str | None:
    """The tag, if ``rest`` (all behind the step) is a summary of one value of tag and number alone."""
    # 2a 0f 0a 0d 0a 04 'loss' 15 f0f0f0f0
    try:
        ((number, _, summary),) = fields(rest)
        ((_, _, value),) = fields(summary if isinstance(summary, bytes) else b"")
        (first, _, tag), (_, wire, _) = fields(value if isinstance(value, bytes) else b"")
    except ValueError:  # BrokenMessage, or another count of fields
        return None
    if number != 5 or first != 1 or wire != 5 or rest[-5] != scalar.key or not isinstance(tag, bytes):
        return None
    return clean_tag(tag)


def _decode_fields(data: bytes, read: ReadValue, columns: Columns) -> None:
    step, wall, values = 0, float("nan"), []
    try:
        for number, wire, value in fields(data):
            if number == 1 and wire == 1:
                wall = _DOUBLE(value if isinstance(value, bytes) else bytes(8))[0]
            elif number == 2 and isinstance(value, int):
                step = signed(value)
            elif number == 5 and isinstance(value, bytes):
                values += [read(one) for key, _, one in fields(value) if key == 1 and isinstance(one, bytes)]
    except (BrokenMessage, struct.error):
        columns.broken += 1
        return
    for one in values:
        if one.number is not None:
            columns.of(one.tag).extend((step, wall, one.number))
        elif one.text is not None:
            columns.facts[f"text:{one.tag}"] = one.text


def clean_tag(tag: bytes) -> str:
    """A tag as text; the separator of series identities (wire.records) is the one character that it may not hold."""
    return tag.decode("utf-8", "replace").replace("\x1f", "\ufffd")


def _pack(flat: list[float]) -> bytes:
    return struct.pack("<" + "qdd" * (len(flat) // 3), *flat)
