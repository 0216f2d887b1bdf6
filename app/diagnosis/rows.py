"""Rows of a run in the order in which the job wrote them, out of the files of the rank that speaks for it. Pure.

Files follow one another by the clock of their first row. Two logs of one rank hold the same lines, so a row that is not
newer than the last is a copy, unless it comes from the file that spoke last: there steps and clocks may go back. The
rows are a function of what the files hold: a file that turns out to have begun earlier has everything begin anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import isnan

from app.diagnosis.block import Block, began
from app.diagnosis.row import Row

Name = tuple[str, int]
"""file, generation"""


class Anew(Exception):
    """What was taken so far was not the beginning; everything has to be taken again."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A row, and whether the job announced a new start before it."""

    row: Row
    starts: bool


@dataclass(slots=True)
class Rows:
    """``heads`` are the times of the first rows of blocks that were begun; ``speaker`` gave the last row, which was at
    ``wall`` and ``step``; ``high`` is the highest step."""

    blocks: list[Block] = field(default_factory=list)
    heads: dict[Name, float] = field(default_factory=dict)
    speaker: Name | None = None
    wall: float = float("nan")
    step: int = 0
    high: int = -(2**63)

    def rows(self, *, final: bool = False) -> Iterator[Taken]:
        """Every complete row that is there; ``final``: nothing will be added to the last ones. Raises Anew."""
        ordered = self.ordered()
        for place, block in enumerate(ordered):
            over = final or any(self._is_later(one, block) for one in ordered[place + 1 :])
            for row in block.rows(final=over):
                if (taken := self._taken(block, row)) is not None:
                    yield taken
            if not block.is_drained:
                return  # what follows in time must wait

    def ordered(self) -> Sequence[Block]:
        """The blocks that have points, in order of their beginnings, those of one file by generations. Raises Anew."""
        for block in self.blocks:
            name = block.file, block.generation
            if name not in self.heads and block.beat.waiting:
                self._meet(block, name)
        known = [one for one in self.blocks if (one.file, one.generation) in self.heads]
        return sorted(known, key=self._place)

    def _meet(self, block: Block, name: Name) -> None:
        head = began(block)
        begun = [self.heads[one.file, one.generation] for one in self.blocks if one.begun]
        if any(head < one for one in begun):
            raise Anew
        self.heads[name] = head

    def _place(self, block: Block) -> tuple[float, str, int]:
        earlier = [
            wall
            for (file, generation), wall in self.heads.items()
            if file == block.file and generation <= block.generation and not isnan(wall)
        ]
        return max(earlier, default=float("-inf")), block.file, block.generation

    def _is_later(self, one: Block, other: Block) -> bool:
        """Whether a block begins where another has ended: in a later generation of its file, or later by the clock."""
        if one.file == other.file:
            return one.generation > other.generation
        newest = other.beat.newest
        return newest is not None and other.beat.whole and self.heads[one.file, one.generation] > newest[1]

    def _taken(self, block: Block, row: Row) -> Taken | None:
        name = block.file, block.generation
        if self.speaker is not None and name != self.speaker and not self._is_news(block, row):
            return None
        first = block.beat.taken == 1
        again = block.reason == "start_announced" or row.step <= self.high
        starts = first and self.speaker is not None and block.reason != "" and again
        self.speaker, self.step = name, row.step
        self.wall = float("nan") if row.t is None else row.t
        self.high = max(self.high, row.step)
        return Taken(row, starts)

    def _is_news(self, block: Block, row: Row) -> bool:
        """Whether a row of another file than the last one's is no copy."""
        if self.speaker is not None and block.file == self.speaker[0]:
            return block.generation > self.speaker[1]
        if row.t is None or isnan(self.wall):
            return row.step > self.high
        return row.t > self.wall
