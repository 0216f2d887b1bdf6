"""Where in a log a step or a moment is: by bisection, so that of a log of any size a few hundred kilobytes are read.

Clocks rise through a log; steps rise within an attempt alone. So a known clock finds the attempt, and only a log that
has none is bisected by its steps, and looked through from its end when that does not lead to the step.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from collector.lookup.lines import LONGEST, Line, split, start_of, step_of
from collector.lookup.volume import Volume
from collector.parse.log.prefix import clock

PROBE = 1 << 13  # bytes read at a probe, sixteen times as many until a line with a key is met
LONGEST_PROBE = 1 << 19  # bytes read through, FINE more, where a line must be near
FINE = 1 << 16  # bytes that are read through instead of being halved
WINDOW = 1 << 18  # bytes on either side of a clock in which its step is looked for
SCAN_BYTES = 16 * 2**20  # of a log that cannot be bisected: its lines are read one by one
_BLOCK = 1 << 20
_CLOCK_BYTES = 200  # at the beginning of a line; further behind stands what the line tells


@dataclass(frozen=True, slots=True)
class Key:
    """What rises from line to line. ``hint`` stands in every line that tells it; ``of`` reads it, None when it is no
    such line after all."""

    hint: re.Pattern[bytes]
    of: Callable[[bytes], float | None]


@dataclass(frozen=True, slots=True)
class Spot:
    """A line that was looked for, and how far off its step is (infinite when a step is wanted and none is near)."""

    line: Line
    off: float = 0.0


def clock_of(line: bytes) -> float | None:
    """Unix seconds of a line's own clock."""
    wall = clock(line, 0, min(len(line), _CLOCK_BYTES))
    return None if wall != wall else wall


CLOCK = Key(re.compile(rb"\d\d:[0-5]\d:\d\d"), clock_of)  # 10:00:30
STEP = Key(re.compile(rb"[Ss][Tt][Ee][Pp]|[Ii][Tt][Ee][Rr]|[Ee]poch|EPOCH"), step_of)


def whereabouts(volume: Volume, step: int | None, wall: float | None, late: Callable[[], bool]) -> Spot | None:
    """The line of ``step`` (else nearest to it) in the attempt that ``wall`` (Unix seconds) lies in; without a step
    the first line that is not earlier than ``wall``. None when the log tells neither. ``late`` ends a long search."""
    spot = _by_clock(volume, step, wall) if wall is not None else None
    if step is None or (spot is not None and spot.off == 0):
        return spot
    return min(filter(None, (spot, _by_step(volume, step, late))), key=lambda one: one.off, default=None)


def _by_clock(volume: Volume, step: int | None, wall: float) -> Spot | None:
    line = first_at_least(volume, CLOCK, wall)
    if line is None or step is None:
        return None if line is None else Spot(line)
    return _nearest(_steps_about(volume, line.offset), step, line.offset) or Spot(line, float("inf"))


def _by_step(volume: Volume, step: int, late: Callable[[], bool]) -> Spot | None:
    line = first_at_least(volume, STEP, step)
    about = _steps_about(volume, line.offset) if line else []
    near = _nearest(about, step, line.offset) if line else None
    # Steps on both sides: then it was not printed.
    between = any(one < step for _, one in about) and any(one > step for _, one in about)
    if near is not None and (near.off == 0 or between):
        return near
    return min(filter(None, (near, _scan(volume, step, late))), key=lambda one: one.off, default=None)


def first_at_least(volume: Volume, key: Key, wanted: float) -> Line | None:
    """The first line whose key is ``wanted`` or more, where keys rise; the last line with a key when none is; None when
    no line has one."""
    low, high = 0, volume.size
    beyond: Line | None = None  # the first line known to have that much
    while high - low > FINE:
        middle = (low + high) // 2
        found = _probe(volume, key, middle, high, 16 * PROBE) or _sample(volume, key, middle, high)
        if found is None:
            high = middle
        elif found[1] < wanted:
            low = found[0].offset
        else:
            beyond, high = found[0], middle
    last = None
    for line, value in _keyed_from(volume, key, start_of(volume, low)):
        last = line
        if value >= wanted:
            return line
    return last if beyond is None else _edge(volume, key, wanted, last.offset if last else low, beyond)


def _edge(volume: Volume, key: Key, wanted: float, low: int, beyond: Line) -> Line:
    """The first line that has ``wanted`` or more behind a long stretch without any key, which ``low`` lies before and
    ``beyond`` behind."""
    while beyond.offset - low > FINE:
        middle = (low + beyond.offset) // 2
        found = _probe(volume, key, middle, beyond.offset, 4 * PROBE)
        if found is not None and found[1] >= wanted:
            beyond = found[0]
        else:
            low = middle
    lines = _keyed_from(volume, key, start_of(volume, low))
    return next((line for line, value in lines if value >= wanted), beyond)


def _sample(volume: Volume, key: Key, start: int, end: int) -> tuple[Line, float] | None:
    """A line with a key behind a long stretch without any."""
    quarter = (end - start) // 4
    for at in (start + quarter, start + 2 * quarter, start + 3 * quarter, max(start, end - 4 * PROBE)):
        found = _probe(volume, key, at, end, 4 * PROBE)
        if found is not None:
            return found
    return None


def _probe(volume: Volume, key: Key, start: int, end: int, most: int) -> tuple[Line, float] | None:
    """The first line with a key that begins behind ``start`` and before ``end``; at most ``most`` bytes are read at
    once, and about as many in all."""
    size, at = PROBE, start
    while at < end and size <= most:
        data = volume.read(at, size)
        if not data:
            return None
        if not data.strip(b"\0"):
            beyond = volume.data_after(at)
            at, size = (beyond, size) if beyond > at else (at + len(data), size * 2)
            continue
        feed = data.find(b"\n") + 1
        for line, value in _keyed(data[feed:], at + feed, key) if feed else ():
            if line.end and line.offset < end:
                return line, value
        size *= 4
    return None


def _keyed(data: bytes, offset: int, key: Key) -> Iterator[tuple[Line, float]]:
    """The lines of ``data`` (which begins with a line) that have a key; only those are looked at."""
    done = 0
    for hint in key.hint.finditer(data):
        if hint.start() < done:
            continue
        begin = max(data.rfind(b"\n", done, hint.start()), data.rfind(b"\r", done, hint.start()), done - 1) + 1
        feed = data.find(b"\n", hint.end())
        done = feed + 1 if feed >= 0 else len(data)
        for line in split(data[begin:done], offset + begin):
            value = key.of(line.data[:LONGEST])
            if value is not None:
                yield line, value


def _keyed_from(volume: Volume, key: Key, start: int) -> Iterator[tuple[Line, float]]:
    """Lines with a key from ``start`` on, read a piece at a time, FINE and LONGEST_PROBE bytes in all."""
    at, limit = start, volume.read_bytes + FINE + LONGEST_PROBE
    while at < volume.size and volume.read_bytes < limit:
        data = volume.read(at, FINE)
        ends = at + len(data) >= volume.size
        whole = len(data) if ends else data.rfind(b"\n") + 1 or len(data)
        yield from _keyed(data[:whole], at, key)
        if not data:
            return
        at = at + whole if ends or data.strip(b"\0") else max(at + whole, volume.data_after(at))


def _steps_about(volume: Volume, offset: int) -> list[tuple[Line, float]]:
    start = start_of(volume, max(0, offset - WINDOW))
    return list(_keyed(volume.read(start, offset + WINDOW - start), start, STEP))


def _nearest(lines: list[tuple[Line, float]], step: int, offset: int) -> Spot | None:
    """Of lines that name a step the one nearest to ``step``; of several the one nearest to ``offset``."""
    if not lines:
        return None
    line, found = min(lines, key=lambda one: (abs(one[1] - step), abs(one[0].offset - offset)))
    return Spot(line, abs(found - step))


def _scan(volume: Volume, step: int, late: Callable[[], bool]) -> Spot | None:
    """The nearest step in the last SCAN_BYTES, from the end backwards: of several attempts the newest that has it."""
    best: Spot | None = None
    end, least = volume.size, max(0, volume.size - SCAN_BYTES)
    while end > least and not late() and (best is None or best.off > 0):
        start = max(least, end - _BLOCK)
        data = volume.read(start, end - start)
        skip = data.find(b"\n") + 1 if start else 0
        skip = 0 if skip == len(data) else skip
        near = _nearest(list(_keyed(data[skip:], start + skip, STEP)), step, volume.size)
        if near is not None and (best is None or near.off < best.off):
            best = near
        end = start + skip if start and start + skip < end else start
    return best
