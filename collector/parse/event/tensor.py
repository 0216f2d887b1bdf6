"""The number in a TensorProto that holds exactly one (tensorflow/core/framework/tensor.proto), in every encoding."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from collector.parse.event.protobuf import BrokenMessage, Span, fields, messages, signed, sole_fields, varint

_DTYPE, _SHAPE, _CONTENT = 1, 2, 4
# dtype → how numpy and struct call its raw bytes
_FLOAT, _DOUBLE, _HALF, _BFLOAT16, _BOOL = 1, 2, 19, 14, 10
_NUMPY: Mapping[int, str] = {
    _FLOAT: "<f4",
    _DOUBLE: "<f8",
    3: "<i4",
    4: "<u1",
    5: "<i2",
    6: "<i1",
    9: "<i8",
    17: "<u2",
    _HALF: "<f2",
    22: "<u4",
    23: "<u8",
}
_STRUCT = {"f4": "<f", "f8": "<d", "f2": "<e", "i1": "<b", "i2": "<h", "i4": "<i", "i8": "<q"} | {
    "u1": "<B",
    "u2": "<H",
    "u4": "<I",
    "u8": "<Q",
}
# dtype → field of its typed values; integers travel as varints, half and bfloat16 as the bits of an int32
_TYPED: Mapping[int, int] = {
    _FLOAT: 5,
    _DOUBLE: 6,
    3: 7,
    4: 7,
    5: 7,
    6: 7,
    9: 10,
    _BOOL: 11,
    17: 7,
    _BFLOAT16: 13,
    _HALF: 13,
    22: 16,
    23: 17,
}
_UNSIGNED = frozenset({22, 23})
# field → wire types that it may have; in any other one it is a field that nobody knows. All others: 0, and packed 2
_WIRES: Mapping[int, tuple[int, ...]] = {_DTYPE: (0,), _SHAPE: (2,), _CONTENT: (2,), 5: (5, 2), 6: (1, 2)}
_INTEGER = (0, 2)


def tensor_number(data: bytes) -> float | None:
    """The number of a tensor that holds exactly one, whether as raw content or in its typed field; a tensor of one
    element that spells none is zero, as TensorFlow leaves zeros out. Raises BrokenMessage."""
    parts = {key: value for key, wire, value in fields(data) if wire in _WIRES.get(key, _INTEGER)}
    dtype, shape, content = parts.get(_DTYPE), parts.get(_SHAPE, b""), parts.get(_CONTENT)
    if not isinstance(dtype, int) or not isinstance(shape, bytes) or not _is_single(shape):
        return None
    if isinstance(content, bytes) and content:
        return _raw(dtype, content)
    typed = parts.get(_TYPED.get(dtype, -1))
    if typed is None or typed == b"":
        return 0.0 if dtype in _TYPED else None
    return _typed(dtype, typed)


def find_number(data: bytes, start: int, end: int) -> tuple[int, str] | None:
    """Where the raw number of the tensor in ``data[start:end]`` is, and its type as numpy calls it; None when it is not
    written as raw bytes, or in half precision, of whose NaNs numpy and struct make different ones. Raises
    BrokenMessage."""
    parts = sole_fields(data, start, end)
    shape = parts.get(_SHAPE)
    if any(part.wire not in _WIRES.get(key, _INTEGER) for key, part in parts.items()):
        return None
    if _DTYPE not in parts or (shape and not _is_single(data[shape.start : shape.end])):
        return None
    dtype = varint(data, parts[_DTYPE].start)[0]
    raw = parts.get(_CONTENT)
    if raw is None or raw.start == raw.end:
        raw = parts.get(_TYPED[dtype]) if dtype in (_FLOAT, _DOUBLE) else None
    return _located(raw, "" if dtype == _HALF else _NUMPY.get(dtype, ""))


def _located(raw: Span | None, dtype: str) -> tuple[int, str] | None:
    if raw is None or raw.wire == 0 or not dtype or raw.end - raw.start != int(dtype[-1]):
        return None
    return raw.start, dtype


def _is_single(shape: bytes) -> bool:
    """Whether a TensorShapeProto has one element: every dimension is 1, or there is none."""
    dims = [dim for number, dim in messages(shape) if number == 2]
    return all({key: value for key, wire, value in fields(dim) if wire == 0}.get(1, 0) == 1 for dim in dims)


def _raw(dtype: int, content: bytes) -> float | None:
    if dtype == _BFLOAT16 and len(content) == 2:
        return float(struct.unpack("<f", b"\0\0" + content)[0])
    if dtype == _BOOL and len(content) == 1:
        return float(content != b"\0")
    form = _STRUCT.get(_NUMPY.get(dtype, "<")[1:])
    return float(struct.unpack(form, content)[0]) if form and len(content) == struct.calcsize(form) else None


def _typed(dtype: int, value: int | bytes) -> float | None:
    """A typed field: packed or not, floats as their bytes, integers and half-precision bits as a varint."""
    if dtype in (_FLOAT, _DOUBLE):
        if isinstance(value, int):
            raise BrokenMessage("A number stands where a float was expected.")
        return _raw(dtype, value)
    bits = value if isinstance(value, int) else varint(value, 0)[0]
    if dtype in (_BFLOAT16, _HALF):
        return _raw(dtype, struct.pack("<H", bits & 0xFFFF))
    if dtype == _BOOL:
        return float(bits != 0)
    return float(bits if dtype in _UNSIGNED else signed(bits))
