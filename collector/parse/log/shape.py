"""The shape that thousands of lines of one log share, learnt from one of them: text that stays, numbers that change.

A shape changes nothing that is read. It says only how a line that differs from its example in nothing but numbers may
be read quickly; whether a line is such a one is proved for each (``log_cursor``), and a shape that does not read its
own example just as ``log_record`` and ``log_monitor`` do is thrown away.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from collector.parse.log.memory import LogMemory
from collector.parse.log.monitor import read_progress
from collector.parse.log.place import place_of
from collector.parse.log.prefix import CLOCK
from collector.parse.log.record import ANCHOR, read_records
from collector.parse.log.value import UNIT, reading

PROGRESS = "samples/s/p"
_LONGEST = 400  # bytes of one text that stays
_LONGEST_LINE = 2000
_CONSTANT = ("global_batch_size", "loss_scale")  # seldom another, so text; a change is another shape

# -1.4925e-06
_NUMBER = rb"-?\d+(?:\.\d*)?(?:[eE][-+]?\d{1,3})?"
# [10.978/11.070]   [1.5126462]   752ms
_FORMS = tuple(
    re.compile(form % {b"number": _NUMBER, b"unit": UNIT})
    for form in (
        rb"( *\[) *(%(number)s)( */) *(%(number)s)( *\])\Z",
        rb"( *\[) *(%(number)s)( *\])\Z",
        rb"() *(%(number)s)((?: ?%(unit)s)?)\Z",
    )
)
# Epoch:[  1/  3], step:[    1/   60]
_HEAD = re.compile(rb"(?:(Epoch:\[) *\d{1,9}(/( *\d{1,9})\], ))?(step:\[) *\d{1,9}(/( *\d{1,9})\])(?=,)")
#   14.0% |███       | 10.92383 samples/s/p  1 day, 0:01:02 }
_BAR = re.compile(
    rb" *\d+\.\d(%% )\|[^|\n]*\| *%s( samples/s/p) +(?:\d+( days?,) +)?\d+(:)\d\d(:)\d\d( *\}?)\Z" % _NUMBER
)


@dataclass(frozen=True, slots=True)
class Part:
    """One step through a line: a text that stays, or something that changes; ``tag`` names a value that is kept. The
    ``text`` of a clock is what stands behind it."""

    kind: Literal["text", "clock", "integer", "number", "bar"]
    text: bytes = b""
    tag: str | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """``parts`` tell a line from its first byte to its last. ``steps``: an epoch's, 0 when the step counts over all
    epochs itself. ``constants``: tags whose value is part of the text. ``state``: what reading such a record leaves in
    the memory beside its step and its points."""

    kind: Literal["record", "progress"]
    parts: tuple[Part, ...]
    steps: int = 0
    constants: tuple[tuple[str, float], ...] = ()
    state: tuple[str, str, str, bool] = ("", "", "", False)


def state_of(memory: LogMemory) -> tuple[str, str, str, bool]:
    """What a record of one shape finds, and leaves, in the memory."""
    return memory.told, memory.names, memory.throughput_unit, memory.timed


def read_alone(line: bytes) -> LogMemory:
    """What is read from one line by itself."""
    memory = LogMemory(step=1)
    if ANCHOR in line:
        read_records(memory, line, 0, len(line))
    else:
        read_progress(memory, line, (line.find(b"/s/p"), 0, len(line)))
    return memory


def shape_of(line: bytes) -> Shape | None:
    """The shape of a record's or a progress line, or None when something in it is of no common form."""
    if len(line) > _LONGEST_LINE:
        return None
    record, progress = line.count(ANCHOR), line.count(b" " + PROGRESS.encode())
    shape = None
    if (record, progress) == (1, 0):
        shape = _record_shape(line)
    elif (record, progress) == (0, 1):
        shape = _progress_shape(line)
    return shape if shape and all(len(part.text) <= _LONGEST for part in shape.parts) else None


def _record_shape(line: bytes) -> Shape | None:
    head = _HEAD.search(line)
    before = _prefix(line[: head.start()]) if head else None
    if head is None or before is None:
        return None
    path = _Path(before)
    if head[1]:
        path.text(head[1])
        path.change("integer", "epoch")
        path.text(head[2])
    path.text(head[4])
    path.change("integer", "step")
    path.text(head[5])
    if not path.fields(line[head.end() :]):
        return None
    memory = read_alone(line)
    steps = int(head[6]) if head[1] else 0
    return Shape("record", path.done(), steps, tuple(path.constants), state_of(memory))


def _progress_shape(line: bytes) -> Shape | None:
    bar = next((found for found in _BAR.finditer(line)), None)
    before = _prefix(line[: bar.start()]) if bar else None
    if bar is None or before is None or place_of(line) is not None:
        return None
    path = _Path(before)
    path.change("number", None)
    path.text(bar[1])
    path.change("bar", None)
    path.change("number", PROGRESS)
    path.text(bar[2])
    if bar[3]:
        path.change("integer", None)
        path.text(bar[3])
    path.change("integer", None)
    for text in (bar[4], bar[5]):
        path.text(text)
        path.change("integer", None)
    path.text(bar[6])
    return Shape("progress", path.done())


def _prefix(text: bytes) -> list[Part] | None:
    """What stands before a message; None when its clock is of another form than MindFormers'."""
    clock = CLOCK.search(text)
    if clock is None:
        return [Part("text", text)]
    if len(clock[0]) != 23 or clock[6]:
        return None
    return [Part("text", text[: clock.start()]), Part("clock", text[clock.end() :])]


class _Path:
    """The parts of one line, put together from left to right; blanks before a number belong to the number."""

    def __init__(self, parts: list[Part]) -> None:
        self.parts = parts
        self.constants: list[tuple[str, float]] = []

    def text(self, text: bytes) -> None:
        """A text that stays; it grows while nothing else follows."""
        kind: Literal["text", "clock"] = "text"
        if self.parts[-1].kind in ("text", "clock"):
            before = self.parts.pop()
            kind, text = "clock" if before.kind == "clock" else "text", before.text + text
        self.parts.append(Part(kind, text))

    def change(self, kind: Literal["integer", "number", "bar"], tag: str | None) -> None:
        """A number; the blanks that stand before it here may be more or fewer in another line."""
        if kind != "bar" and self.parts[-1].kind in ("text", "clock"):
            before = self.parts.pop()
            self.parts.append(Part(before.kind, before.text.rstrip(b" ")))
        self.parts.append(Part(kind, tag=tag))

    def fields(self, fields: bytes) -> bool:
        """Take ``, loss: 11.161, per_step_time: 752ms }`` apart; False when a field is of no common form."""
        body = fields.rstrip(b" }")
        for part in body.removeprefix(b",").split(b","):
            key, colon, raw = part.partition(b":")
            self.text(b"," + key + colon)
            if not colon or not self._value(key.strip().decode("utf-8", "replace"), raw):
                return False
        self.text(fields[len(body) :])
        return True

    def _value(self, tag: str, raw: bytes) -> bool:
        match = next((found for form in _FORMS if (found := form.match(raw))), None)
        if match is None or tag in _CONSTANT:
            self.text(raw)
            if value := reading(raw):
                self.constants.append((tag, value.number))
            return b":" not in raw
        groups = match.groups()
        self.text(groups[0])
        self.change("number", tag)
        self.text(groups[2])
        if len(groups) > 3:
            self.change("number", None)
            self.text(groups[4])
        return True

    def done(self) -> tuple[Part, ...]:
        """All parts."""
        return tuple(self.parts)
