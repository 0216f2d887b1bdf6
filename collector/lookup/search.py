"""Look for a text in a log, a bounded piece at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from collector.lookup.lines import Line, clean, split, start_of
from collector.lookup.volume import Volume

SEARCH_BYTES = 64 * 2**20  # of one question; the next one goes on
_BLOCK = 1 << 18  # what is searched at once: a fraction of a millisecond, for which nothing else waits


@dataclass(frozen=True, slots=True)
class Searched:
    """The line that holds the text, or None; ``until`` is a line from which to search on, when the search was ended
    before the log's end: the last one that was looked at, or, backwards, the first."""

    line: Line | None
    until: int | None = None


def search(volume: Volume, text: str, start: int, *, forward: bool, late: Callable[[], bool]) -> Searched:
    """The next line from ``start`` on, or the last that ends before it, that holds the text; upper and lower case of
    ASCII alike."""
    wanted = text.encode().lower()
    return _forward(volume, wanted, start, late) if forward else _backward(volume, wanted, start, late)


def _forward(volume: Volume, wanted: bytes, start: int, late: Callable[[], bool]) -> Searched:
    at, limit = start, volume.read_bytes + SEARCH_BYTES
    while at < volume.size:
        if at > start and (late() or volume.read_bytes >= limit):
            return Searched(None, start_of(volume, at - 1))
        data = volume.read(at, _BLOCK)
        if not data:
            break
        ends = at + len(data) >= volume.size
        whole = len(data) if ends else data.rfind(b"\n") + 1 or len(data)
        line = _holding(data[:whole], at, wanted, last=False)
        if line is not None:
            return Searched(line)
        at = volume.data_after(at + whole) if not data.strip(b"\0") and not ends else at + whole
    return Searched(None)


def _backward(volume: Volume, wanted: bytes, start: int, late: Callable[[], bool]) -> Searched:
    end, limit = start, volume.read_bytes + SEARCH_BYTES
    while end > 0:
        if end < start and (late() or volume.read_bytes >= limit):
            return Searched(None, end)
        begin = max(0, end - _BLOCK)
        data = volume.read(begin, end - begin)
        skip = data.find(b"\n") + 1 if begin else 0
        skip = 0 if skip == len(data) else skip
        line = _holding(data[skip:], begin + skip, wanted, last=True)
        if line is not None:
            return Searched(line)
        end = begin + skip if begin + skip < end else begin
    return Searched(None)


def _holding(data: bytes, offset: int, wanted: bytes, *, last: bool) -> Line | None:
    """The first or last line of ``data`` that holds the text, which no line end parts."""
    if b"\x1b" in data or b"\0" in data:  # a colour may stand within the text
        lines = [one for one in split(data, offset) if wanted in clean(one.data).lower()]
        return lines[-1 if last else 0] if lines else None
    lower = data.lower()
    at = lower.rfind(wanted) if last else lower.find(wanted)
    if at < 0:
        return None
    begin = max(data.rfind(b"\n", 0, at), data.rfind(b"\r", 0, at)) + 1
    return next((one for one in split(data[begin:], offset + begin) if one.data), None)


def line_at(volume: Volume, offset: int) -> Line | None:
    """The whole line that holds an offset, as far as it is shown."""
    begin = start_of(volume, offset)
    return next((one for one in split(volume.read(begin, _BLOCK), begin) if one.data), None)
