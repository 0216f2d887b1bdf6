"""TensorBoard event files: scalars of TensorFlow 1 and 2, torch, tensorboardX.

Format: tensorflow/core/framework/summary.proto and tensor.proto. Everything that is no scalar is skipped undecoded.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from collector.parse.events import Number, ScalarForm, Value, clean_tag, parse_events
from collector.parse.parsed import Parsed
from collector.parse.protobuf import BrokenMessage, fields, signed, varint
from collector.wire.records import ParserState

LONGEST_TEXT = 64 * 1024  # characters of a text summary that are kept: a training configuration is a tenth of that

# Summary.Value
_TAG, _SIMPLE, _TENSOR, _METADATA = 1, 2, 8, 9
_SIMPLE_KEY = _SIMPLE << 3 | 5
# TensorProto
_DTYPE, _SHAPE, _CONTENT, _HALF = 1, 2, 4, 13
_FORMATS: Mapping[int, str] = {
    1: "<f",
    2: "<d",
    3: "<i",
    4: "<B",
    5: "<h",
    6: "<b",
    9: "<q",
    17: "<H",
    19: "<e",
    22: "<I",
    23: "<Q",
}
_BFLOAT16 = 14
# dtype → field of its typed values; integers travel as varints, half and bfloat16 as the bits of an int32
_TYPED: Mapping[int, int] = {1: 5, 2: 6, 3: 7, 4: 7, 5: 7, 6: 7, 9: 10, 17: 7, 14: 13, 19: 13, 22: 16, 23: 17}
_STRING_FIELD = 8


class TensorBoardEvents:
    """Parser of ``events.out.tfevents.*``."""

    def parse(self, chunk: bytes, state: ParserState, *, final: bool = False) -> Parsed:
        """The scalars of every whole record; a record whose data checksum is bad is counted and left out."""
        return parse_events(chunk, state, _FORM)


def _read_value(data: bytes) -> Value:
    tag, number, tensor, plugin = "", None, None, b""
    for key, wire, value in fields(data):
        if key == _TAG and isinstance(value, bytes):
            tag = clean_tag(value)
        elif key == _SIMPLE and wire == 5 and isinstance(value, bytes):
            number = float(struct.unpack("<f", value)[0])
        elif key == _TENSOR and isinstance(value, bytes):
            tensor = value
        elif key == _METADATA and isinstance(value, bytes):
            plugin = value
    if tensor is None:
        return Value(tag, number)
    return Value(tag, None, _text(tensor)) if b"text" in plugin[:16] else Value(tag, _tensor_number(tensor))


def _tensor_number(data: bytes) -> Number:
    """The number of a tensor that holds exactly one, whether as raw content or in its typed field."""
    parts = {key: value for key, _, value in fields(data)}
    dtype, content = parts.get(_DTYPE), parts.get(_CONTENT)
    if not isinstance(dtype, int) or not _is_single(parts.get(_SHAPE, b"")):
        return None
    if isinstance(content, bytes) and content:
        return _raw(dtype, content)
    typed = parts.get(_TYPED.get(dtype, -1))
    return 0.0 if typed is None and dtype in _TYPED else _typed(dtype, typed)


def _is_single(shape: int | bytes) -> bool:
    """Whether a TensorShapeProto has one element: every dimension is 1, or there is none."""
    sizes = [
        {k: v for k, _, v in fields(dim)}.get(1, 0) for _, _, dim in fields(_bytes(shape)) if isinstance(dim, bytes)
    ]
    return all(size == 1 for size in sizes)


def _raw(dtype: int, content: bytes) -> Number:
    if dtype == _BFLOAT16 and len(content) == 2:
        return float(struct.unpack("<f", b"\0\0" + content)[0])
    form = _FORMATS.get(dtype)
    return float(struct.unpack(form, content)[0]) if form and len(content) == struct.calcsize(form) else None


def _typed(dtype: int, value: int | bytes | None) -> Number:
    """A typed field: packed or not, floats as their bytes, integers and half-precision bits as a varint."""
    if value is None:
        return None
    if dtype in (1, 2):
        return _raw(dtype, _bytes(value))
    bits = value if isinstance(value, int) else varint(value, 0)[0]
    if dtype in (14, 19):
        return _raw(dtype, struct.pack("<H", bits & 0xFFFF))
    return float(bits if dtype in (22, 23) else signed(bits))


def _text(data: bytes) -> str | None:
    """The first string of a tensor of strings, as add_text writes it."""
    parts = [value for key, _, value in fields(data) if key == _STRING_FIELD and isinstance(value, bytes)]
    return parts[0].decode("utf-8", "replace")[:LONGEST_TEXT] if parts else None


def _bytes(value: int | bytes) -> bytes:
    if isinstance(value, bytes):
        return value
    raise BrokenMessage("A number stands where a message was expected.")


_FORM = ScalarForm(_SIMPLE_KEY, _read_value)
