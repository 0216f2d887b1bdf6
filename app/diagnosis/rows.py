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

ANNOUNCED = "start_announced"

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
    """``heads`` are the times of the first rows of blocks, ``late`` those that were met after rows were taken;
    ``speaker`` gave the last row, which was at ``wall`` and ``step``; ``high`` is the highest step; ``begun`` are the
    times of rows with which a block began that may be a new start, and whether they were taken for one."""

    blocks: list[Block] = field(default_factory=list)
    heads: dict[Name, float] = field(default_factory=dict)
    speaker: Name | None = None
    wall: float = float("nan")
    step: int = 0
    high: int = -(2**63)
    late: list[Name] = field(default_factory=list)
    begun: dict[float, bool] = field(default_factory=dict)

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
        if self.speaker is not None:
            self.late.append(name)

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
        first = block.beat.taken == 1
        if self.speaker is not None and name != self.speaker and not self._is_news(block, row):
            if first and name in self.late and self._was_missed(block, row):
                raise Anew
            return None
        starts = self.speaker is not None and self._starts(block if first else None, row)
        self.speaker, self.step = name, row.step
        self.wall = float("nan") if row.t is None else row.t
        self.high = max(self.high, row.step)
        return Taken(row, starts)

    def _starts(self, block: Block | None, row: Row) -> bool:
        """Whether the job began anew with a row: a file says so that begins with it, ``block`` or one that holds the
        same lines. One that was merely replaced says so where steps were done already."""
        mine = {id(block): block} if block is not None else {}
        if row.t is not None:
            mine |= {id(one): one for one in self.blocks if self.heads.get((one.file, one.generation)) == row.t}
        why = {one.reason for one in mine.values()} - {""}
        starts = ANNOUNCED in why or (bool(why) and row.step <= self.high)
        if why and row.t is not None:
            self.begun[row.t] = starts
        return starts

    def _was_missed(self, block: Block, row: Row) -> bool:
        """Whether a file tells of a start at a row that was taken from another one, and for no start."""
        if not block.reason or row.t is None:
            return False
        return not self.begun.get(row.t, False) if block.reason == ANNOUNCED else row.t not in self.begun

    def _is_news(self, block: Block, row: Row) -> bool:
        """Whether a row of another file than the last one's is no copy."""
        if self.speaker is not None and block.file == self.speaker[0]:
            return block.generation > self.speaker[1]
        if row.t is None or isnan(self.wall):
            return row.step > self.high
        return row.t > self.wall
