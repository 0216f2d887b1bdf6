"""The lines of a block that are of a shape, read at once; the others are left to be read one by one.

Find: every line feed, and a line that may teach a shape. Prove and decode: one walk through all lines of each shape
(``log_walk``). Lines that are left teach the next shape, a few dozen at most.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from collector.parse.log.columns import LogColumns
from collector.parse.log.cursor import MARGIN, Text
from collector.parse.log.memory import LogMemory
from collector.parse.log.needles import Phrases
from collector.parse.log.record import ANCHOR
from collector.parse.log.shape import PROGRESS, Shape, shape_of, state_of
from collector.parse.log.walk import Batch, agrees, walk

Integers = NDArray[np.int64]

FEWEST_LINES = 24  # of a block: fewer are read sooner one by one than a shape is learnt
_PIECE = 1 << 18  # bytes in which line feeds are looked for at once
_SHORTEST = 40  # bytes of a record
_MOST_SHAPES = 64
_MOST_FAILURES = 16  # lines that taught no shape, or one that hardly any other line has
_MOST_KEPT = 4  # shapes, for the next chunk
_FEW = 8  # lines that are hardly any
_PROGRESS = b" " + PROGRESS.encode()


@dataclass(slots=True)
class Rows:
    """The lines of a chunk by their first byte and their line feed; ``kind`` says what is known of each: 0 nothing,
    1 a record, 2 a progress line, both read; ``steps`` the global step of those."""

    starts: Integers
    stops: Integers
    kind: NDArray[np.int8]
    steps: Integers
    batches: list[Batch] = field(default_factory=list)
    record_starts: Integers = field(default_factory=lambda: np.zeros(0, np.int64))
    record_steps: Integers = field(default_factory=lambda: np.zeros(0, np.int64))

    def last_before(self, offset: int) -> tuple[int, int] | None:
        """Where the last record before an offset begins, and its step."""
        count = int(np.searchsorted(self.record_starts, offset))
        return (int(self.record_starts[count - 1]), int(self.record_steps[count - 1])) if count else None

    def rest(self, end: int, first: int = 0) -> list[tuple[int, int]]:
        """The stretches of text up to an offset whose lines are not read yet, from the line ``first`` on."""
        known = self.kind[first:] > 0
        edges = np.flatnonzero(np.diff(np.concatenate([[True], known, [True]]).astype(np.int8))) + first
        begins, ends = edges[0::2], edges[1::2]
        stops = np.minimum(self.stops[ends - 1] + 1, end)
        return list(zip(self.starts[begins].tolist(), stops.tolist(), strict=True))

    def emit(self, columns: LogColumns, stop: int) -> None:
        """The points of all lines that begin before ``stop``."""
        for batch in self.batches:
            kept = batch.only((self.kind[batch.rows] > 0) & (self.starts[batch.rows] < stop))
            columns.extend(self.starts[kept.rows], self.steps[kept.rows], kept.walls, kept.by_tag())


@dataclass(slots=True)
class Reader:
    """Reads blocks of one text, one after the other, with the shapes that earlier ones taught. A line that holds one of
    ``phrases`` may tell more than its numbers, and teaches none."""

    phrases: Phrases
    shapes: list[Shape] = field(default_factory=list)
    used: list[Shape] = field(default_factory=list)  # those that the last block had, a few

    def read(self, memory: LogMemory, text: bytes, begin: int, end: int) -> Rows | None:
        """What can be read at once between two offsets, None when that is nothing."""
        first = -1 if memory.epochs.zero_based else text.find(ANCHOR, begin, end)
        if first < 0 or end - first < FEWEST_LINES * _SHORTEST:
            return None
        end = text.rfind(b"\n", begin, min(end, len(text) - MARGIN)) + 1
        start = text.rfind(b"\n", begin, first) + 1 or begin
        if end <= start:
            return None
        rows = _lines(text, start, end)
        if len(rows.starts) < FEWEST_LINES:
            return None
        self._read(_Block(rows, text, end))
        if not rows.batches:
            return None
        self.used = [batch.shape for batch in rows.batches if len(batch.rows) > _FEW][:_MOST_KEPT]
        _leave_changes(rows, memory, text)
        records = np.flatnonzero(rows.kind == 1)
        rows.record_starts, rows.record_steps = rows.starts[records], rows.steps[records]
        return rows

    def _read(self, block: _Block) -> None:
        """Walk with all known shapes, then with those that lines teach which are left."""
        for known in self.shapes:
            block.walk(known)
        failures, line = 0, block.teacher(0)
        while line is not None and len(self.shapes) < _MOST_SHAPES and failures < _MOST_FAILURES:
            example = block.line(line)
            shape = None if self.phrases.hits(example, 0, len(example)) else shape_of(example)
            found = block.walk(shape, line) if shape else 0
            if shape and found:
                self.shapes.append(shape)
            failures += found < _FEW
            line = block.teacher(line + 1)


def _lines(text: bytes, begin: int, end: int) -> Rows:
    pieces = ((at, min(_PIECE, end - at)) for at in range(begin, end, _PIECE))
    stops = np.concatenate([np.flatnonzero(np.frombuffer(text, np.uint8, size, at) == 10) + at for at, size in pieces])
    starts = np.concatenate([[begin], stops[:-1] + 1]).astype(np.int64)
    return Rows(starts, stops, np.zeros(len(starts), np.int8), np.zeros(len(starts), np.int64))


class _Block:
    """The lines of a block, the numbers of those that are left, and their text."""

    def __init__(self, rows: Rows, text: bytes, end: int) -> None:
        self.rows, self.whole, self.end = rows, text, end
        self.text = Text(text)
        self.left = np.arange(len(rows.starts), dtype=np.int64)

    def line(self, number: int) -> bytes:
        """One line."""
        return self.whole[self.rows.starts[number] : self.rows.stops[number]]

    def teacher(self, line: int) -> int | None:
        """The first line from ``line`` on that is not read yet and holds a record or progress."""
        for start, stop in self.rows.rest(self.end, first=line):
            record = self.whole.find(ANCHOR, start, stop)
            progress = self.whole.find(_PROGRESS, start, stop if record < 0 else record)
            if max(record, progress) >= 0:
                found = record if progress < 0 else progress
                return int(np.searchsorted(self.rows.starts, found, side="right")) - 1
        return None

    def walk(self, shape: Shape, teacher: int | None = None) -> int:
        """Read all lines of a shape that are left; how many they are. A shape that is new must read the line that
        taught it as it is read by itself."""
        batch = walk(shape, self.text, self.left, self.rows.starts, self.rows.stops) if len(self.left) else None
        if batch is None or (teacher is not None and not agrees(batch, teacher, self.line(teacher))):
            return 0
        self.rows.batches.append(batch)
        self.rows.kind[batch.rows] = 1 if shape.kind == "record" else 2
        self.rows.steps[batch.rows] = batch.steps
        self.left = self.left[self.rows.kind[self.left] == 0]
        return len(batch.rows)


def _leave_changes(rows: Rows, memory: LogMemory, text: bytes) -> None:
    """Leave for single reading each record that follows one of another shape, so that the memory is told what
    changes; and each progress line whose record, the line before it, is left or is none."""
    states = np.full(len(rows.starts), -1, dtype=np.int64)
    known: dict[object, int] = {}
    for batch in rows.batches:
        states[batch.rows] = known.setdefault(batch.shape.state, len(known))
    records = np.flatnonzero(rows.kind == 1)
    others = np.array(_other_records(rows, text), dtype=np.int64)
    since = np.searchsorted(others, records)
    before = np.concatenate([[known.get(state_of(memory), -1)], states[records][:-1]])
    changed = (states[records] != before) | (since != np.concatenate([[0], since[:-1]]))
    rows.kind[records[changed]] = 0
    bars = np.flatnonzero(rows.kind == 2)
    alone = (bars == 0) | (rows.kind[bars - 1] != 1)
    rows.kind[bars[alone]] = 0
    rows.steps[bars] = rows.steps[bars - 1]


def _other_records(rows: Rows, text: bytes) -> list[int]:
    """The numbers of lines, one a stretch, behind which something that may be a record was not read at once."""
    found = []
    for start, stop in rows.rest(int(rows.stops[-1])):
        if text.find(ANCHOR, start, stop) >= 0:
            found.append(int(np.searchsorted(rows.starts, start)))
    return found
