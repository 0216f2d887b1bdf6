"""Whole lines of a volume: those that stand before an offset and those from an offset on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from collector.lookup.volume import Volume
from collector.parse.log.place import place_of

LONGEST = 4096  # bytes of a line that are shown
FIRST_BLOCK, MOST_BYTES = 1 << 15, 1 << 20  # bytes read at first, and at most, for the lines of one side

# a line with what ends it: a progress bar overwrites its own with CR
_LINE = re.compile(rb"([^\r\n]*)(\r\n|\n|\r|\Z)")
# \x1b[1;31m  \x1b]0;title\x07
_COLOUR = re.compile(rb"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07\x1b]{0,200}\x07)")
# Epoch:[  2/ 10], step:[  120/  500]
_EPOCH_STEP = re.compile(rb"Epoch:\[ *(\d{1,15})/ *\d+\], *step:\[ *(\d{1,15})/ *(\d{1,15})\]")
# { step:[   12/ 1000], loss: 3.2      {"step": 3, "micro_step": 1
_STEP = re.compile(rb'step:\[ *(\d{1,15})/ *\d+\]|\{ ?"step": *(\d{1,15})')
# Current global norm [51.5] of step 30 has been   SilentCheck detect SDC at step: 12
_AT_STEP = re.compile(rb"\b(?:at|of|training) step:? ?(\d{1,15})\b")
_SHORTEST_PLACE = len("step:1")
_NAMES = re.compile(rb"step|iter|epoch", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Line:
    """One line: where it begins in the volume, its bytes, and what ended it (nothing at the end of the log)."""

    offset: int
    data: bytes
    end: bytes

    @property
    def next(self) -> int:
        """Where the line behind it begins."""
        return self.offset + len(self.data) + len(self.end)

    @property
    def text(self) -> str:
        """For people: without colours and NULs, cut at LONGEST bytes."""
        return clean(self.data[: 2 * LONGEST])[:LONGEST].decode("utf-8", "replace")

    @property
    def step(self) -> int | None:
        """The global step that it names, if it does."""
        return step_of(self.data[:LONGEST])


def clean(data: bytes) -> bytes:
    """The bytes without colours and NULs."""
    if b"\x1b" in data:
        data = _COLOUR.sub(b"", data)
    return data.replace(b"\0", b"").rstrip()


def split(data: bytes, offset: int) -> Iterator[Line]:
    """The lines of ``data``, which stands at ``offset`` and begins with a line; the last may be cut. Runs of NULs (the
    holes of a log that was cut off while it was written) and what a carriage return leaves empty are passed over."""
    for match in _LINE.finditer(data):
        text, end = match.groups()
        if not end and not text:
            return
        hollow = not text.strip(b"\0")
        if not (hollow and (text or end == b"\r")):
            nulls = len(text) - len(text.lstrip(b"\0"))
            yield Line(offset + match.start() + nulls, text[nulls:], end)


def before(volume: Volume, offset: int, count: int) -> list[Line]:
    """At most ``count`` lines in front of the line that begins at ``offset``."""
    size = FIRST_BLOCK
    while True:
        start = max(0, offset - size)
        data = volume.read(start, offset - start)
        found = [one for one in split(data, start) if one.offset < offset]
        enough = start == 0 or size >= MOST_BYTES or not data[:FIRST_BLOCK].strip(b"\0")
        if start > 0 and (len(found) > 1 or not enough):
            found = found[1:]  # it began before ``start``
        if len(found) >= count or enough:
            return found[len(found) - count :] if count < len(found) else found
        size *= 2


def after(volume: Volume, offset: int, count: int) -> list[Line]:
    """At most ``count`` lines from the one on that begins at ``offset``."""
    size = FIRST_BLOCK
    while True:
        data = volume.read(offset, size)
        found = list(split(data, offset))
        whole = offset + len(data) >= volume.size
        if found and not whole and found[-1].end in (b"", b"\r") and len(found) > 1:
            found.pop()  # cut, or its line feed is cut off
        if len(found) > count or whole or size >= MOST_BYTES or len(data) < size:
            return found[:count]
        size *= 2


def start_of(volume: Volume, offset: int) -> int:
    """Where the line begins that holds ``offset``; a hole ends a line as well."""
    size = LONGEST
    while True:
        start = max(0, offset - size)
        data = volume.read(start, offset - start)
        at = max(data.rfind(end) for end in (b"\n", b"\r", b"\0"))
        if at >= 0 or start == 0 or size >= MOST_BYTES:
            return start + at + 1
        size *= 4


def step_of(line: bytes) -> int | None:
    """The global step of a record or sentence, as far as the line itself tells it."""
    if len(line) < _SHORTEST_PLACE:
        return None
    if found := _EPOCH_STEP.search(line):
        epoch, step, steps = map(int, found.groups())
        return (epoch - 1) * steps + step
    if found := _STEP.search(line):
        return int(found[1] or found[2])
    if found := _AT_STEP.search(line):
        return int(found[1])
    return _step_of_other(line)


def _step_of_other(line: bytes) -> int | None:
    found = _NAMES.search(line)
    place = place_of(line, found.start()) if found else None
    if place is None or place.step is None:
        return None
    if place.epoch is None or not place.steps:
        return place.step if not place.epoch else None
    return max(0, place.epoch - 1) * place.steps + place.step
