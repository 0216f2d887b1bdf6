"""MindSpore summary files (``*_MS``), mindspore 2.x summary.proto: Value {1 tag, 3 scalar_value float, 4 image,
8 tensor, 9 histogram}. Framed like TensorBoard's, yet TensorBoard reads no value from them: it looks in field 2.
"""

from __future__ import annotations

import struct

from collector.parse.events import ScalarForm, Value, clean_tag, parse_events
from collector.parse.parsed import Parsed
from collector.parse.protobuf import fields
from collector.wire.records import ParserState

_TAG, _SCALAR = 1, 3
_SCALAR_KEY = _SCALAR << 3 | 5


class MindSporeSummary:
    """Parser of ``events.out.events.summary.*_MS``."""

    def parse(self, chunk: bytes, state: ParserState, *, final: bool = False) -> Parsed:
        """The scalars of every whole record; graphs, images, tensors and histograms are skipped."""
        return parse_events(chunk, state, _FORM)


def _read_value(data: bytes) -> Value:
    tag, number = "", None
    for key, wire, value in fields(data):
        if key == _TAG and isinstance(value, bytes):
            tag = clean_tag(value)
        elif key == _SCALAR and wire == 5 and isinstance(value, bytes):
            number = float(struct.unpack("<f", value)[0])
    return Value(tag, number)


_FORM = ScalarForm(_SCALAR_KEY, _read_value)
