"""TensorBoard event files: scalars of TensorFlow 1 and 2, torch, tensorboardX.

Format: tensorflow/core/framework/summary.proto. Everything that is no scalar is skipped undecoded.
"""

from __future__ import annotations

import struct

from collector.parse.event.configuration import configured, shareable
from collector.parse.event.events import parse_events
from collector.parse.event.protobuf import fields, messages, sole_fields
from collector.parse.event.record import Event, ScalarForm, Value, clean_tag
from collector.parse.event.shape import Scalar
from collector.parse.event.tensor import find_number, tensor_number
from collector.parse.parsed import Parsed
from collector.wire.records import ParserState

LONGEST_TEXT = 64 * 1024  # characters of a text summary that are kept: a training configuration is a tenth of that

# Summary.Value
_TAG, _SIMPLE, _TENSOR, _METADATA = 1, 2, 8, 9
_SIMPLE_KEY = _SIMPLE << 3 | 5
_STRING_FIELD = 8  # of TensorProto
_SESSION_LOG = 7  # of Event


class TensorBoardEvents:
    """Parser of ``events.out.tfevents.*``."""

    def parse(self, chunk: bytes, state: ParserState, *, final: bool = False) -> Parsed:
        """The scalars of every whole record; a record whose data checksum is bad is counted and left out."""
        return parse_events(chunk, state, _FORM, final=final)


def _read_value(data: bytes) -> Value:
    tag, number, tensor, plugin = "", None, None, b""
    for key, wire, value in fields(data):
        if (key, wire) == (_SIMPLE, 5) and isinstance(value, bytes):
            number = float(struct.unpack("<f", value)[0])
        elif wire != 2 or not isinstance(value, bytes):
            continue
        elif key == _TAG:
            tag = clean_tag(value)
        elif key == _TENSOR:
            tensor = value
        elif key == _METADATA:
            plugin = value
    if tensor is None:
        return Value(tag, number)
    return Value(tag, None, _text(tensor)) if _is_text(plugin) else Value(tag, tensor_number(tensor))


def _find_value(data: bytes, start: int, end: int) -> Scalar | None:
    parts = sole_fields(data, start, end)
    name, simple, tensor, metadata = (parts.get(key) for key in (_TAG, _SIMPLE, _TENSOR, _METADATA))
    tag = "" if name is None else clean_tag(data[name.start : name.end])
    if any(part and part.wire != 2 for part in (name, tensor, metadata)) or (simple and (tensor or simple.wire != 5)):
        return None
    if simple:
        return Scalar(tag, simple.start, "<f4")
    if tensor is None or (metadata and _is_text(data[metadata.start : metadata.end])):
        return None
    found = find_number(data, tensor.start, tensor.end)
    return Scalar(tag, *found) if found else None


def _is_text(metadata: bytes) -> bool:
    """Whether a SummaryMetadata names the text plugin: {1 plugin_data {1 plugin_name …}}."""
    return b"text" in metadata[:16]


def _text(data: bytes) -> str | None:
    """The first string of a tensor of strings, as add_text writes it."""
    parts = [value for key, value in messages(data) if key == _STRING_FIELD]
    return parts[0].decode("utf-8", "replace")[:LONGEST_TEXT] if parts else None


def _facts(event: Event) -> dict[str, str]:
    """The texts of a record, and what they say of the run where they are a configuration."""
    texts = {one.tag: one.text for one in event.values if one.text is not None}
    said = {name: value for tag, text in texts.items() for name, value in configured(tag, text).items()}
    return {f"text:{tag}": shareable(tag, text) for tag, text in texts.items()} | said


_FORM = ScalarForm(_SIMPLE_KEY, _read_value, _find_value, _facts, _SESSION_LOG)
