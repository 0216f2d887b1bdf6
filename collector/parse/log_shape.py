"""The shape that thousands of records of one log share, learnt from one of them and then matched line by line.

Only digits may differ: a record that differs otherwise (an overflow, a value absent this once, another epoch length)
does not match and is read field by field; so a shape makes reading quicker and changes nothing that is read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from collector.parse.log_prefix import CLOCK
from collector.parse.log_value import UNITS, reading

# 10.536092  nan  -inf  9.99978e-05
_NUMBER = rb" *([-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf))"
_MEAN = rb" */ *[-+.\dnaifeE]+ *"
_FORMS = (
    # [10.978/11.070]
    (re.compile(rb" *\[[^,/\]]+/[^,/\]]+\]\Z"), rb" *\[" + _NUMBER + _MEAN + rb"\]"),
    # [1.5126462]
    (re.compile(rb" *\[[^,/\]]+\]\Z"), rb" *\[" + _NUMBER + rb" *\]"),
    # 752ms
    (re.compile(rb" *[-+.\dnaifeE]+( ?(?:%s))?\Z" % UNITS), _NUMBER),
)
_WORDS = frozenset({b"False", b"None", b"unavailable"})
# per_step_time
_NAME = re.compile(rb"[A-Za-z][\w /.()-]{0,99}\Z")
# Epoch:[  1/  3], step:[    1/   60],   nine digits at most, so that a global step keeps within 64 bits
_HEAD = re.compile(rb"(?:Epoch:\[ *(\d{1,9})/( *\d{1,9})\], )?step:\[ *\d+/( *\d{1,9})\],")
#   14.0% |███       | 10.92383 samples/s/p  0:01:02 }
_PROGRESS = re.compile(rb" *[\d.]+% \|")
_PROGRESS_REST = rb" *[\d.]+%% \|[^|\n]*\|%s samples/s/p[^\n]*" % _NUMBER


@dataclass(frozen=True, slots=True)
class Shape:
    """``pattern`` matches a record's line, with its progress line if one follows. Its groups: the clock, the epoch,
    the step, one value for each of ``tags``, then the progress line's clock and value; each may be None."""

    pattern: re.Pattern[bytes]
    steps: int  # an epoch; 0 when the step counts over all epochs itself
    tags: tuple[str, ...]
    constants: tuple[tuple[str, float], ...]  # tags whose value is part of the shape


def shape_of(line: bytes, following: bytes) -> Shape | None:
    """The shape of a record's line and of the line behind it, or None when a field is of no common form."""
    head = _HEAD.search(line)
    if head is None:
        return None
    fields = _Fields()
    if not fields.read(line[head.end() :]):
        return None
    pattern = _prefix(line[: head.start()]) + _counted(head) + b"".join(fields.patterns) + _progress(following)
    steps = int(head[3]) if head[1] else 0
    return Shape(re.compile(pattern + rb"(?=\n|\Z)"), steps, tuple(fields.tags), tuple(fields.constants))


def _prefix(text: bytes) -> bytes:
    """What stands before a message, with the first clock as a group; an empty group when there is no clock."""
    clock = CLOCK.search(text)
    if clock is None:
        return rb"()" + re.escape(text)
    digits = re.sub(rb"\d", rb"\\d", clock[0])
    return re.escape(text[: clock.start()]) + b"(" + digits + b")" + re.escape(text[clock.end() :])


def _counted(head: re.Match[bytes]) -> bytes:
    epoch = rb"Epoch:\[ *([1-9]\d{0,8})/%s\], " % head[2] if head[1] else rb"()"
    return epoch + rb"step:\[ *(\d{1,9})/%s\]," % head[3]


def _progress(line: bytes) -> bytes:
    bar = _PROGRESS.search(line)
    if bar is None or b" samples/s/p" not in line:
        return rb"()()"
    return rb"(?:\n" + _prefix(line[: bar.start()]) + _PROGRESS_REST + rb")?"


class _Fields:
    """The fields of one record taken apart into patterns."""

    def __init__(self) -> None:
        self.patterns: list[bytes] = []
        self.tags: list[str] = []
        self.constants: list[tuple[str, float]] = []

    def read(self, fields: bytes) -> bool:
        """Take ``loss: 11.161, per_step_time: 752ms }`` apart; False when a field is of no common form."""
        body = fields.rstrip(b" }\r")
        for part in body.split(b", "):
            key, colon, raw = part.partition(b":")
            name = key.strip(b" ,")
            if not colon or not _NAME.match(name) or not self._value(name.decode(), raw):
                return False
            self.patterns[-1] = b", " * (len(self.patterns) > 1) + re.escape(key) + b":" + self.patterns[-1]
        self.patterns.append(re.escape(fields[len(body) :]))
        return True

    def _value(self, tag: str, raw: bytes) -> bool:
        if tag == "global_batch_size" or raw.strip() in _WORDS:
            self.patterns.append(re.escape(raw))
            if value := reading(raw):
                self.constants.append((tag, value.number))
            return True
        for example, pattern in _FORMS:
            if match := example.match(raw):
                self.patterns.append(pattern + re.escape((match[1] if match.re.groups else b"") or b""))
                self.tags.append(tag)
                return True
        return False
