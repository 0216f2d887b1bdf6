"""All lines of a chunk that are of a shape, read at once; the others are left to be read one by one.

Find: every line feed, and a line that may teach a shape. Prove: one cursor walks through all lines of the shape
(``log_cursor``) and loses those that differ. Decode: what the cursor gathered is the columns. Lines that are left teach
the next shape, a few dozen at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from collector.parse.log_columns import LogColumns
from collector.parse.log_cursor import Cursor, Text
from collector.parse.log_memory import LogMemory
from collector.parse.log_needles import Phrases
from collector.parse.log_record import ANCHOR
from collector.parse.log_shape import PROGRESS, Part, Shape, read_alone, shape_of, state_of

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

FEWEST_LINES = 24  # of a chunk: fewer are read sooner one by one than a shape is learnt
_SHORTEST = 40  # bytes of a record
_BLOCK = 1 << 20  # bytes that are walked through at once
_MOST_SHAPES = 64
_MOST_FAILURES = 16  # lines that taught no shape, or one that hardly any other line has
_MOST_STEPS = 10**9  # of an epoch and of epochs: their product keeps within 64 bits
_PROGRESS = b" " + PROGRESS.encode()


@dataclass(slots=True)
class _Batch:
    """What one walk gathered: numbers of lines, which ascend, and columns for them."""

    shape: Shape
    rows: Integers
    steps: Integers
    walls: Floats
    values: dict[str, Floats]

    def by_tag(self) -> Iterator[tuple[str, Floats | float]]:
        """The values of each tag, or the one value that all lines share."""
        yield from self.values.items()
        yield from self.shape.constants

    def only(self, good: NDArray[np.bool_]) -> _Batch:
        """The same of some of its lines."""
        if good.all():
            return self
        values = {tag: column[good] for tag, column in self.values.items()}
        return _Batch(self.shape, self.rows[good], self.steps[good], self.walls[good], values)


@dataclass(slots=True)
class Rows:
    """The lines of a chunk by their first byte and their line feed; ``kind`` says what is known of each: 0 nothing,
    1 a record, 2 a progress line, both read; ``steps`` the global step of those."""

    starts: Integers
    stops: Integers
    kind: NDArray[np.int8]
    steps: Integers
    batches: list[_Batch] = field(default_factory=list)
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
            at, steps = self.starts[kept.rows], self.steps[kept.rows]
            for tag, values in kept.by_tag():
                columns.extend(tag, at, steps, kept.walls, values)


def read_rows(memory: LogMemory, phrases: Phrases, text: bytes, begin: int, end: int) -> Rows | None:
    """What can be read at once between two offsets, None when that is nothing; a line that holds one of ``phrases`` may
    tell more than its numbers, and is left."""
    first = -1 if memory.epochs.zero_based else text.find(ANCHOR, begin, end)
    if first < 0 or end - first < FEWEST_LINES * _SHORTEST:
        return None
    rows = _lines(text, text.rfind(b"\n", begin, first) + 1 or begin, end)
    if len(rows.starts) < FEWEST_LINES:
        return None
    _Reader(rows, phrases, text, end).read()
    if not rows.batches:
        return None
    _leave_changes(rows, memory, text)
    records = np.flatnonzero(rows.kind == 1)
    rows.record_starts, rows.record_steps = rows.starts[records], rows.steps[records]
    return rows


def _lines(text: bytes, begin: int, end: int) -> Rows:
    feeds = np.flatnonzero(np.frombuffer(text, np.uint8, end - begin, begin) == 10).astype(np.int64) + begin
    stops = feeds if len(feeds) and feeds[-1] == end - 1 else np.append(feeds, end)
    starts = np.concatenate([[begin], stops[:-1] + 1]).astype(np.int64)
    return Rows(starts, stops, np.zeros(len(starts), np.int8), np.zeros(len(starts), np.int64))


class _Reader:
    """Learns shapes from lines and walks through all others with each."""

    def __init__(self, rows: Rows, phrases: Phrases, text: bytes, end: int) -> None:
        self.rows, self.phrases, self.text, self.end = rows, phrases, text, end
        self.left = np.arange(len(rows.starts), dtype=np.int64)
        self.blocks = _blocks(rows, text)

    def read(self) -> None:
        """Until nothing is left that may teach."""
        shapes = failures = 0
        line = self._teacher(0)
        while line is not None and shapes < _MOST_SHAPES and failures < _MOST_FAILURES:
            example = self.text[self.rows.starts[line] : self.rows.stops[line]]
            shape = None if self.phrases.hits(example, 0, len(example)) else shape_of(example)
            found = self._walk(shape, line) if shape else 0
            shapes += 1
            failures += found < 8
            line = self._teacher(line + 1)

    def _teacher(self, line: int) -> int | None:
        """The first line from ``line`` on that is not read yet and holds a record or progress."""
        for start, stop in self.rows.rest(self.end, first=line):
            found = [at for needle in (ANCHOR, _PROGRESS) if (at := self.text.find(needle, start, stop)) >= 0]
            if found:
                return int(np.searchsorted(self.rows.starts, min(found), side="right")) - 1
        return None

    def _walk(self, shape: Shape, teacher: int) -> int:
        """Read all lines of a shape that are left; how many they are."""
        edges = np.searchsorted(self.left, [block.last for block in self.blocks[:-1]])
        pieces = zip(self.blocks, np.split(self.left, edges), strict=True)
        walks = (_walked(shape, self.rows, block, lines) for block, lines in pieces if len(lines))
        batches = [batch for batch in walks if batch]
        if not batches or not self._agrees(shape, batches, teacher):
            return 0
        self.rows.batches += batches
        for batch in batches:
            self.rows.kind[batch.rows] = 1 if shape.kind == "record" else 2
            self.rows.steps[batch.rows] = batch.steps
        self.left = self.left[self.rows.kind[self.left] == 0]
        return sum(len(batch.rows) for batch in batches)

    def _agrees(self, shape: Shape, batches: list[_Batch], teacher: int) -> bool:
        """Whether the shape reads its own example as it is read by itself."""
        text = self.text[self.rows.starts[teacher] : self.rows.stops[teacher]]
        own = LogColumns()
        for batch in batches:
            taught = batch.only(batch.rows == teacher)
            steps = taught.steps if shape.kind == "record" else np.ones_like(taught.steps)
            for tag, values in taught.by_tag():
                own.extend(tag, taught.rows, steps, taught.walls, values)
        alone = read_alone(text)
        return own.packed() == alone.columns.packed() and not alone.events and not alone.counts


_STEPS: dict[str, Callable[[Cursor, Part], None]] = {
    "text": lambda cursor, part: cursor.literal(part.text),
    "clock": lambda cursor, part: cursor.clock(part.text),
    "bar": lambda cursor, _: cursor.bar(),
    "integer": lambda cursor, _: cursor.integer(),
    "number": lambda cursor, _: cursor.number(),
}


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines that lie close together, up to ``last``, which is none of them; ``begin`` is the offset of their text."""

    last: int
    begin: int
    text: Text


def _blocks(rows: Rows, text: bytes) -> list[_Block]:
    edges = np.searchsorted(rows.starts, np.arange(rows.starts[0], rows.stops[-1] + _BLOCK, _BLOCK))
    bounds = np.unique(np.append(edges, len(rows.starts))).tolist()
    return [
        _Block(last, int(rows.starts[first]), Text(text, int(rows.starts[first]), int(rows.stops[last - 1])))
        for first, last in pairwise(bounds)
    ]


def _walked(shape: Shape, rows: Rows, block: _Block, lines: Integers) -> _Batch | None:
    """Walk through some lines of a block with a shape."""
    begin = block.begin
    cursor = Cursor(block.text, lines, rows.starts[lines] - begin)
    names: list[str | None] = []
    for part in shape.parts:
        _STEPS[part.kind](cursor, part)
        if part.kind not in ("text", "bar"):
            names.append("clock" if part.kind == "clock" else part.tag)
        if not len(cursor.rows):
            return None
    cursor.ends(rows.stops - begin)
    return _batch(shape, cursor, names)


def _batch(shape: Shape, cursor: Cursor, names: list[str | None]) -> _Batch | None:
    columns = dict(zip(names, cursor.columns, strict=True))
    count = len(cursor.rows)
    nothing = np.zeros(count, dtype=np.int64)
    epoch, step = columns.pop("epoch", nothing + 1), columns.pop("step", nothing)
    walls = columns.pop("clock", np.full(count, np.nan))
    good = (epoch > 0) & (epoch < _MOST_STEPS) & (step < _MOST_STEPS)
    steps = ((epoch - 1) * shape.steps + step).astype(np.int64)
    values = {tag: column.astype(np.float64, copy=False) for tag, column in columns.items() if tag}
    batch = _Batch(shape, cursor.rows, steps, walls, values)
    return batch.only(good) if good.any() else None


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
