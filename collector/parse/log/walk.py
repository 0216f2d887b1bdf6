"""One walk of a cursor through all lines of a shape, and what it gathered.

Prove and decode for ``log_rows``: a line that differs from the shape in anything but numbers is lost on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from collector.parse.log.columns import LogColumns
from collector.parse.log.cursor import Cursor, Text
from collector.parse.log.shape import Part, Shape, read_alone

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

_MOST_STEPS = 10**9  # of an epoch and of epochs: their product keeps within 64 bits


@dataclass(slots=True)
class Batch:
    """What one walk gathered: numbers of lines, which ascend, the global step of each (of a progress line: none), Unix
    seconds, and the values of each tag."""

    shape: Shape
    rows: Integers
    steps: Integers
    walls: Floats
    values: dict[str, Floats]

    def by_tag(self) -> Iterator[tuple[str, Floats | float]]:
        """The values of each tag, or the one value that all lines share."""
        yield from self.values.items()
        yield from self.shape.constants

    def only(self, good: NDArray[np.bool_]) -> Batch:
        """The same of some of its lines."""
        if good.all():
            return self
        values = {tag: column[good] for tag, column in self.values.items()}
        return Batch(self.shape, self.rows[good], self.steps[good], self.walls[good], values)


_STEPS: dict[str, Callable[[Cursor, Part], None]] = {
    "text": lambda cursor, part: cursor.literal(part.text),
    "clock": lambda cursor, part: cursor.clock(part.text),
    "bar": lambda cursor, _: cursor.bar(),
    "integer": lambda cursor, _: cursor.integer(),
    "number": lambda cursor, _: cursor.number(),
}


def walk(shape: Shape, text: Text, lines: Integers, starts: Integers, stops: Integers) -> Batch | None:
    """Walk through some lines; ``starts`` and ``stops`` are offsets in the text for every number of a line."""
    cursor = Cursor(text, lines, starts[lines])
    names: list[str | None] = []
    for part in shape.parts:
        _STEPS[part.kind](cursor, part)
        if part.kind not in ("text", "bar"):
            names.append("clock" if part.kind == "clock" else part.tag)
        if not len(cursor.rows):
            return None
    cursor.ends(stops)
    return _batch(shape, cursor, names)


def _batch(shape: Shape, cursor: Cursor, names: list[str | None]) -> Batch | None:
    columns = dict(zip(names, cursor.columns, strict=True))
    count = len(cursor.rows)
    nothing = np.zeros(count, dtype=np.int64)
    epoch, step = columns.pop("epoch", nothing + 1), columns.pop("step", nothing)
    walls = columns.pop("clock", np.full(count, np.nan))
    good = (epoch > 0) & (epoch < _MOST_STEPS) & (step < _MOST_STEPS)
    steps = ((epoch - 1) * shape.steps + step).astype(np.int64)
    values = {tag: column.astype(np.float64, copy=False) for tag, column in columns.items() if tag}
    batch = Batch(shape, cursor.rows, steps, walls, values)
    return batch.only(good) if good.any() else None


def agrees(batch: Batch, number: int, line: bytes) -> bool:
    """Whether a walk read a line, the one of that number, as it is read by itself."""
    taught = batch.only(batch.rows == number)
    steps = taught.steps if batch.shape.kind == "record" else np.ones_like(taught.steps)
    walked = LogColumns()
    walked.extend(taught.rows, steps, taught.walls, taught.by_tag())
    alone = read_alone(line)
    return walked.packed() == alone.columns.packed() and not alone.events and not alone.counts
