"""Numbers as logs spell them (MFLossMonitor 0.3 to 2.1, PyNative LossCallback, and what people report)."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """A number and the unit printed behind it, such as ``ms``, ``T`` or ``tokens/s``."""

    number: float
    unit: str = ""


LONGEST = 80  # bytes of a value's text; longer is no number that anybody printed
# ms  T  tokens/s  samples/s/p  imgs/sec  ms/step
UNIT = rb"(?:ms|us|s|secs?|seconds|T|TFLOPS|%|GB|MB|[A-Za-z]{1,12}(?:/[A-Za-z]{1,12}){1,3})"
# 752  1,234.5  -.5e-3  nan
NUMBER = (
    rb"[-+]?(?:\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d*)?|\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
    rb"|[-+]?(?:[nN][aA][nN]|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?)(?![A-Za-z])"
)
# 715.78T  8640 tokens/s  0.0783 (0.1020), the mean so far in brackets  41.78., the end of a sentence
_VALUE = re.compile(rb"(%s)(?: ?\((?:%s)\))?\s{0,8}(%s)?\.?\Z" % (NUMBER, NUMBER, UNIT))
# 1.25e‑04 with U+2011, as word processors write it, or U+2212
_DASHES = re.compile("[\u2010-\u2015\u2212\uff0d]")
_FLAGS = {b"True": 1.0, b"False": 0.0}
# loss: Tensor(shape=[], dtype=Float32, value= 2.0)
_TENSOR = re.compile(rb"Tensor\([^()]{0,200}value= *([^()]{0,40})\)")


def reading(raw: bytes) -> Reading | None:
    """The number that a field's text spells, or None: ``None``, ``N/A (…)``, ``unavailable``, a list, a sentence.

    Of ``[current/mean]`` and ``current (mean)`` the current value counts, of a list of one its only element, of a
    tuple (a learning rate for each group) the first.
    """
    text = raw.strip()
    if len(text) > LONGEST:
        return None
    text = _unwrapped(text)
    if text in _FLAGS:
        return Reading(_FLAGS[text])
    if not text.isascii():
        text = _DASHES.sub("-", text.decode("utf-8", "replace")).encode()
    match = _VALUE.match(text)
    if match is None:
        return None
    return Reading(float(match[1].replace(b",", b"")), (match[2] or b"").decode())


def _unwrapped(text: bytes) -> bytes:
    """``[10.978/11.070]``, ``[1.58]`` and ``(1.25e-06,1.25e-06,)`` without what surrounds the value that counts."""
    if text[:1] == b"[" and text[-1:] == b"]":
        return text[1:-1].partition(b"/")[0].strip()
    if text[:1] == b"(" and text[-1:] == b")":
        return text[1:-1].partition(b",")[0].strip()
    return text


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
