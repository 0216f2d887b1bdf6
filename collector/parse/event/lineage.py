"""What MindSpore's lineage files say of a run (``…_lineage``, beside a summary file and framed like it).

LineageEvent {1 wall_time, 6 train_lineage, 7 evaluation_lineage, 9 dataset_graph, 10 user_defined_info}; its
train_lineage is {1 hyper_parameters, 2 train_dataset, 3 algorithm, 4 model} (MindInsight's lineage.proto, 2.3.1).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping

from collector.parse.event.protobuf import BrokenMessage, fields

TRAIN, DATASET = 6, 9  # fields of LineageEvent
_DEEPEST = 32  # operations of a data pipeline, one inside the other

_TEXT, _VARINT, _FLOAT = 2, 0, 5
# part of train_lineage → its fields: number → name and wire type
_TRAIN_PARTS: Mapping[int, Mapping[int, tuple[str, int]]] = {
    1: {
        1: ("optimizer", _TEXT),
        2: ("learning_rate", _FLOAT),
        3: ("loss_function", _TEXT),
        4: ("epochs", _VARINT),
        5: ("parallel_mode", _TEXT),
        6: ("device_num", _VARINT),
        8: ("batch_size", _VARINT),
    },
    2: {1: ("dataset_path", _TEXT), 2: ("dataset_size", _VARINT)},
    3: {1: ("network", _TEXT)},
}
# key of an operation of the data pipeline → name
_PIPELINE = {"dataset_dir": "dataset_path", "batch_size": "batch_size"}


def lineage(number: int, message: bytes) -> dict[str, str]:
    """Facts ``lineage:…`` in one field of a LineageEvent; none of a field that is no lineage."""
    try:
        if number == TRAIN:
            return {f"lineage:{name}": value for name, value in _train(message)}
        if number == DATASET:
            return {f"lineage:{name}": value for name, value in _pipeline(message, _DEEPEST)}
    except (BrokenMessage, struct.error, UnicodeDecodeError):
        pass  # another message under the same number
    return {}


def _train(message: bytes) -> Iterator[tuple[str, str]]:
    for part, _, content in fields(message):
        known = _TRAIN_PARTS.get(part, {})
        for key, wire, value in fields(content) if known and isinstance(content, bytes) else ():
            name, expected = known.get(key, ("", wire))
            if wire != expected:
                raise BrokenMessage(f"Field {key} is no {name}.")
            if name:
                yield name, _spelled(value, wire)


def _spelled(value: int | bytes, wire: int) -> str:
    if isinstance(value, int):
        return str(value)
    return f"{struct.unpack('<f', value)[0]:.7g}" if wire == _FLOAT else value.decode()


def _pipeline(graph: bytes, depth: int) -> Iterator[tuple[str, str]]:
    """DatasetGraph {1 children, 2 parameter {1 mapStr, 4 mapInt {1 key, 2 value}}}: the inner operations come first."""
    for number, _, content in fields(graph):
        if number == 1 and isinstance(content, bytes) and depth:
            yield from _pipeline(content, depth - 1)
    for number, _, content in fields(graph):
        if number == 2 and isinstance(content, bytes):
            yield from _operation(content)


def _operation(parameter: bytes) -> Iterator[tuple[str, str]]:
    for kind, _, entry in fields(parameter):
        if kind not in (1, 4) or not isinstance(entry, bytes):
            continue
        pair = {number: value for number, _, value in fields(entry)}
        key, value = pair.get(1), pair.get(2)
        if not isinstance(key, bytes) or value is None:
            continue
        text = value.decode() if isinstance(value, bytes) else str(value)
        if key == b"op_type" and text.endswith("Dataset"):
            yield "dataset", text
        elif key.decode() in _PIPELINE and text:
            yield _PIPELINE[key.decode()], text
