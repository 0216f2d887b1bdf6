"""Points by tag while a chunk of log is read; a batch of records of one shape becomes columns late, all at once."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

from collector.parse.log_prefix import wall_of
from collector.parse.log_shape import Shape, shape_of
from collector.wire.records import pack_point

FIRST_LEARNT = 4  # records; compiling a shape costs as much as reading some ten records without one
PROGRESS = "samples/s/p"


@dataclass(slots=True)
class LogColumns:
    """A column is 24-byte points (wire.records) held as doubles; a step is the double of the same eight bytes."""

    columns: dict[str, array[float]] = field(default_factory=dict)
    shape: Shape | None = None
    misses: int = 0  # records that did not match the shape
    rows: list[Sequence[bytes | None]] = field(default_factory=list)  # groups of the shape's pattern

    def add(self, tag: str, step: int, wall: float, value: float) -> None:
        """One point behind those that came before it."""
        if self.rows:
            self.flush()
        self.columns.setdefault(tag, array("d")).frombytes(pack_point(step, wall, value))

    def learn(self, line: bytes, following: bytes) -> None:
        """Take the shape of a record that did not match: not at once, since a file that is followed live brings one
        record at a time, and ever more rarely, since some logs have no shape."""
        self.misses += 1
        if self.misses >= FIRST_LEARNT and self.misses & (self.misses - 1) == 0:
            self.flush()
            self.shape = shape_of(line, following) or self.shape

    def forget(self) -> None:
        """Drop the shape: steps are now counted in another way."""
        self.flush()
        self.shape = None

    def run(self, text: bytes, at: int, end: int) -> tuple[int, int | None]:
        """Keep the records of the shape from offset ``at`` on, which begins a line, line after line; returns where
        the next line begins and the global step of the last one, None when there was none."""
        if self.shape is None:
            return at, None
        match_line, rows = self.shape.pattern.match, self.rows
        before = len(rows)
        while match := match_line(text, at, end):
            rows.append(match.groups())
            at = match.end() + 1
        return at, self._step(rows[-1]) if len(rows) > before else None

    def _step(self, row: Sequence[bytes | None]) -> int:
        epoch, step = row[1], int(row[2] or 0)
        return step + (int(epoch) - 1) * self.shape.steps if epoch and self.shape else step

    def flush(self) -> None:
        """Turn the batch into columns."""
        if not self.rows or self.shape is None:
            return
        groups = list(zip(*self.rows, strict=True))
        steps = [self._step(row) for row in self.rows] if self.shape.steps else list(map(int, groups[2]))
        walls = [wall_of(one) for one in groups[0]]
        block = _block(steps, walls)
        for tag, values in zip(self.shape.tags, groups[3:-2], strict=True):
            block[2::3] = array("d", map(float, values))
            self._extend(tag, block)
        for tag, value in self.shape.constants:
            block[2::3] = array("d", [value]) * len(steps)
            self._extend(tag, block)
        self._progress(steps, groups[-2], groups[-1])
        self.rows = []

    def _progress(self, steps: list[int], clocks: Sequence[bytes | None], values: Sequence[bytes | None]) -> None:
        shown = [index for index, value in enumerate(values) if value]
        if shown:
            block = _block([steps[index] for index in shown], [wall_of(clocks[index]) for index in shown])
            block[2::3] = array("d", [float(value) for value in values if value])
            self._extend(PROGRESS, block)

    def _extend(self, tag: str, block: array[float]) -> None:
        self.columns.setdefault(tag, array("d")).extend(block)

    def packed(self) -> dict[str, bytes]:
        """The points by tag, little endian on every machine."""
        self.flush()
        if sys.byteorder != "little":
            for column in self.columns.values():
                column.byteswap()
        return {tag: column.tobytes() for tag, column in self.columns.items()}


def _block(steps: list[int], walls: list[float]) -> array[float]:
    """Points whose values are still to be filled in."""
    block = array("d", bytes(24 * len(steps)))
    block[0::3] = array("d", array("q", steps).tobytes())
    block[1::3] = array("d", walls)
    return block
