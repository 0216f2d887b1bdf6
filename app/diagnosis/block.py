"""One generation of one file as rows: points of the same step side by side, in the order of the file. Pure.

The pulse (the loss, where the file has it) says which rows there are. A row is complete once a later one is there, or
every metric that rows usually have. So rows are the same however the points came in pieces: what one commit adds to a
log holds whole records, and event files are written step after step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isnan, nan

from app.diagnosis.column import Column
from app.diagnosis.row import Row

PULSES = ("loss", "lm_loss", "grad_norm", "lr", "step_time", "loss_scale", "throughput", "tflops")
METRICS = ("loss", "lr", "grad_norm", "loss_scale", "overflow", "step_time", "batch_size")
"""Metrics of a row, by canonical names; a run without a loss is followed by the first of PULSES that it has."""


@dataclass(slots=True)
class Block:
    """``columns`` by metric; ``shape`` the metrics that the row before had, None before the first; ``reason`` why the
    generation began, "" where it simply goes on."""

    file: str
    generation: int
    source: str
    columns: Mapping[str, Column]
    pulse: str
    reason: str = ""
    shape: tuple[str, ...] | None = None
    others: tuple[tuple[str, Column], ...] = field(init=False)

    def __post_init__(self) -> None:
        self.others = tuple((name, one) for name, one in self.columns.items() if name != self.pulse)

    @property
    def beat(self) -> Column:
        """The column that says which rows there are."""
        return self.columns[self.pulse]

    @property
    def begun(self) -> bool:
        """Whether a row was taken."""
        return self.beat.taken > 0

    @property
    def is_drained(self) -> bool:
        """Whether all that is stored was read and every row but perhaps the last was taken."""
        return len(self.beat.waiting) <= 1 and all(one.whole for one in self.columns.values())

    def rows(self, *, final: bool) -> Iterator[Row]:
        """Every complete row that is there; ``final``: the last one counts as complete."""
        waiting = self.beat.waiting
        while waiting and self._is_complete(final=final):
            yield self._take()

    def _is_complete(self, *, final: bool) -> bool:
        """Whether nothing can be added to the next row any more."""
        if not all(column.whole or column.waiting for _, column in self.others):
            return False
        if final or len(self.beat.waiting) > 1:
            return True
        if self.shape is None:
            return False
        awaited = self.shape if self.source == "log" else tuple(self.columns)
        return all(self.columns[name].waiting for name in awaited if name != self.pulse)

    def _take(self) -> Row:
        step, wall, value = self.beat.take()
        found = {self.pulse: value}
        for name, column in self.others:
            if (told := column.at(step, wall)) is not None:
                found[name] = told
        self.shape = tuple(found)
        return row_of(step, wall, found)


def row_of(step: int, wall: float, found: Mapping[str, float]) -> Row:
    """The row; ``step_time`` comes in milliseconds."""
    took = found.get("step_time")
    return Row(
        step,
        None if isnan(wall) else wall,
        found.get("loss", found.get("lm_loss")),
        found.get("lr"),
        found.get("grad_norm"),
        found.get("loss_scale"),
        bool(found.get("overflow", 0.0)),
        None if took is None else took / 1000,
        found.get("batch_size"),
    )


def began(block: Block) -> float:
    """When its first row that is known was written, NaN without a clock."""
    waiting = block.beat.waiting
    return waiting[0][1] if waiting else nan
