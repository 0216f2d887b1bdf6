"""Where in a log a step or a moment is: by bisection, so that of a log of any size a few hundred kilobytes are read.

Clocks rise through a log; steps rise within an attempt alone. So a known clock finds the attempt, and only a log that
has none is bisected by its steps, and looked through from its end when that does not lead to the step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from collector.lookup.lines import Line, split, start_of, step_of
from collector.lookup.volume import Volume
from collector.parse.log.prefix import clock

PROBE, LONGEST_PROBE = 1 << 13, 1 << 20  # bytes read at a probe, and at most until a line with a clock is met
FINE = 1 << 16  # bytes that are read through instead of being halved
WINDOW = 1 << 18  # bytes on either side of a clock in which its step is looked for
SCAN_BYTES = 16 * 2**20  # of a log that cannot be bisected: its lines are read one by one
_BLOCK = 1 << 20
_CLOCK_BYTES = 200  # at the beginning of a line; further behind stands what the line tells

Key = Callable[[bytes], float | None]
"""What rises from line to line; None for a line that does not tell."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A line that was looked for, and how far off its step is (infinite when a step is wanted and none is near)."""

    line: Line
    off: float = 0.0


def clock_of(line: bytes) -> float | None:
    """Unix seconds of a line's own clock."""
    wall = clock(line, 0, min(len(line), _CLOCK_BYTES))
    return None if wall != wall else wall


def whereabouts(volume: Volume, step: int | None, wall: float | None, late: Callable[[], bool]) -> Spot | None:
    """The line of ``step`` (else nearest to it) in the attempt that ``wall`` (Unix seconds) lies in; without a step
    the first line that is not earlier than ``wall``. None when the log tells neither. ``late`` ends a long search."""
    spot = _by_clock(volume, step, wall) if wall is not None else None
    if step is None or (spot is not None and spot.off == 0):
        return spot
    return min(filter(None, (spot, _by_step(volume, step, late))), key=lambda one: one.off, default=None)


def _by_clock(volume: Volume, step: int | None, wall: float) -> Spot | None:
    line = first_at_least(volume, clock_of, wall)
    if line is None or step is None:
        return None if line is None else Spot(line)
    near = _nearest(_window(volume, line.offset), step, line.offset)
    return near or Spot(line, float("inf"))


def _by_step(volume: Volume, step: int, late: Callable[[], bool]) -> Spot | None:
    line = first_at_least(volume, step_of, step)
    near = _nearest(_window(volume, line.offset), step, line.offset) if line else None
    if near is not None and near.off == 0:
        return near
    if near is not None and _brackets(_window(volume, near.line.offset), step):
        return near
    scanned = _scan(volume, step, late)
    return min(filter(None, (near, scanned)), key=lambda one: one.off, default=None)


def first_at_least(volume: Volume, key: Key, wanted: float) -> Line | None:
    """The first line whose key is ``wanted`` or more, where keys rise; the last line with a key when none is; None when
    no line has one."""
    low, high = 0, volume.size
    while high - low > FINE:
        middle = (low + high) // 2
        found = _probe(volume, key, middle, high)
        if found is None or found[1] >= wanted:
            high = middle
        else:
            low = found[0].offset
    last = None
    for line in _lines(volume, start_of(volume, low), min(volume.size, high + LONGEST_PROBE)):
        value = key(line.data)
        if value is not None:
            last = line
            if value >= wanted:
                break
    return last


def _probe(volume: Volume, key: Key, start: int, end: int) -> tuple[Line, float] | None:
    """The first line with a key that begins behind ``start`` and before ``end``."""
    size, at = PROBE, start
    while at < end and size <= LONGEST_PROBE:
        data = volume.read(at, size)
        if not data:
            return None
        if not data.strip(b"\0"):
            beyond = volume.data_after(at)
            at = beyond if beyond > at else at + len(data)
            size *= 2 if beyond <= at else 1
            continue
        feed = data.find(b"\n")
        for line in split(data[feed + 1 :], at + feed + 1) if feed >= 0 else ():
            value = key(line.data) if line.end and line.offset < end else None
            if value is not None:
                return line, value
        size *= 4
    return None


def _lines(volume: Volume, start: int, end: int) -> Iterator[Line]:
    """Whole lines that begin between two offsets, read a piece at a time; ``start`` begins a line."""
    at = start
    while at < end:
        data = volume.read(at, FINE)
        lines = list(split(data, at))
        ends = at + len(data) >= volume.size
        if len(lines) > 1 and not ends and lines[-1].end in (b"", b"\r"):
            lines.pop()
        yield from lines
        at = lines[-1].next if lines else at + max(1, len(data))
        if not data:
            return


def _window(volume: Volume, offset: int) -> list[Line]:
    start = start_of(volume, max(0, offset - WINDOW))
    return list(split(volume.read(start, 2 * WINDOW), start))


def _nearest(lines: list[Line], step: int, offset: int) -> Spot | None:
    """Of the lines that name a step the one nearest to ``step``; of several the one nearest to ``offset``."""
    named = [(abs(found - step), abs(line.offset - offset), line) for line in lines if (found := line.step) is not None]
    if not named:
        return None
    off, _, line = min(named, key=lambda one: one[:2])
    return Spot(line, float(off))


def _brackets(lines: list[Line], step: int) -> bool:
    """Whether steps on both sides of ``step`` are named: then it was not printed."""
    steps = [found for line in lines if (found := line.step) is not None]
    return any(one < step for one in steps) and any(one > step for one in steps)


def _scan(volume: Volume, step: int, late: Callable[[], bool]) -> Spot | None:
    """The nearest step in the last SCAN_BYTES, from the end backwards: of several attempts the newest that has it."""
    best: Spot | None = None
    end, least = volume.size, max(0, volume.size - SCAN_BYTES)
    while end > least and not late():
        start = max(least, end - _BLOCK)
        lines = [one for one in split(volume.read(start, end - start), start) if one.offset < end]
        if start > 0 and len(lines) > 1:
            lines.pop(0)
        near = _nearest(lines, step, volume.size)
        if near is not None and (best is None or near.off < best.off):
            best = near
        if best is not None and best.off == 0:
            break
        end = lines[0].offset if lines and start > 0 and lines[0].offset < end else start
    return best
