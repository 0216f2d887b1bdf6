"""MindSpore summary files (``*_MS``), mindspore 2.x summary.proto: Value {1 tag, 3 scalar_value float, 4 image,
8 tensor, 9 histogram}. Framed like TensorBoard's, yet TensorBoard reads no value from them: it looks in field 2.
Their twins ``*_lineage`` hold no value, and say of the run what lineage.py knows.
"""

from __future__ import annotations

import struct

from collector.parse.event.events import parse_events
from collector.parse.event.lineage import lineage
from collector.parse.event.protobuf import fields, sole_fields
from collector.parse.event.record import Event, ScalarForm, Value, clean_tag
from collector.parse.event.shape import Scalar
from collector.parse.parsed import Parsed
from collector.wire.records import ParserState

_TAG, _SCALAR = 1, 3
_SCALAR_KEY = _SCALAR << 3 | 5


class MindSporeSummary:
    """Parser of ``events.out.events.summary.*_MS`` and of their ``_lineage``."""

    def parse(self, chunk: bytes, state: ParserState, *, final: bool = False) -> Parsed:
        """The scalars of every whole record; graphs, images, tensors and histograms are skipped."""
        return parse_events(chunk, state, _FORM, final=final)


def _read_value(data: bytes) -> Value:
    tag, number = "", None
    for key, wire, value in fields(data):
        if key == _TAG and wire == 2 and isinstance(value, bytes):
            tag = clean_tag(value)
        elif key == _SCALAR and wire == 5 and isinstance(value, bytes):
            number = float(struct.unpack("<f", value)[0])
    return Value(tag, number)


def _find_value(data: bytes, start: int, end: int) -> Scalar | None:
    parts = sole_fields(data, start, end)
    tag, scalar = parts.get(_TAG), parts.get(_SCALAR)
    if scalar is None or scalar.wire != 5 or (tag and tag.wire != 2):
        return None
    return Scalar("" if tag is None else clean_tag(data[tag.start : tag.end]), scalar.start, "<f4")


def _facts(event: Event) -> dict[str, str]:
    return {name: value for number, message in event.others for name, value in lineage(number, message).items()}


_FORM = ScalarForm(_SCALAR_KEY, _read_value, _find_value, _facts)
