"""Numbers as logs spell them (MFLossMonitor 0.3 to 2.1, PyNative LossCallback, and what people report)."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """A number and the unit printed behind it, such as ``ms``, ``T`` or ``tokens/s``."""

    number: float
    unit: str = ""


UNITS = rb"ms|s|T|%|tokens/s|samples/s|samples/s/p|TFLOPS"

# 715.78T  752ms  8640 tokens/s  1,234.5  -.5e-3  nan
_NUMBER = re.compile(
    rb"([-+]?(?:\d{1,3}(?:,\d{3})+(?:\.\d*)?|\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf(?:inity)?))"
    rb"\s*(%s)?\Z" % UNITS,
    re.IGNORECASE,
)
# 1.25e‑04 with U+2011, as word processors write it, or U+2212
_DASHES = re.compile("[\u2010-\u2015\u2212\uff0d]")
_FLAGS = {b"True": 1.0, b"False": 0.0}
# loss: Tensor(shape=[], dtype=Float32, value= 2.0)
_TENSOR = re.compile(rb"Tensor\([^()]{0,200}value= *([^()]{0,40})\)")


def reading(raw: bytes) -> Reading | None:
    """The number that a field's text spells, or None: ``None``, ``N/A (…)``, ``unavailable``, a list, a sentence.

    Of ``[current/mean]`` the current value counts, of a list of one its only element.
    """
    text = raw.strip()
    if text[:1] == b"[" and text[-1:] == b"]":
        text = text[1:-1].partition(b"/")[0].strip()
    if text in _FLAGS:
        return Reading(_FLAGS[text])
    if not text.isascii():
        text = _DASHES.sub("-", text.decode("utf-8", "replace")).encode()
    match = _NUMBER.match(text)
    if match is None:
        return None
    return Reading(float(match[1].replace(b",", b"")), (match[2] or b"").decode())


def numbers(raw: bytes) -> list[float] | None:
    """The numbers of ``[18.01, 18.36]``, or None when it is not a list of two numbers or more."""
    text = raw.strip()
    if text[:1] != b"[" or text[-1:] != b"]" or b"," not in text:
        return None
    readings = [reading(part) for part in text[1:-1].split(b",")]
    return [one.number for one in readings if one] if all(readings) else None


def without_tensors(fields: bytes) -> bytes:
    """Fields in which the repr of a Tensor is replaced by its value, so that its commas do not part it."""
    return _TENSOR.sub(rb"\1", fields) if b"Tensor(" in fields else fields
