"""One episode a rank: it opens once, may grow worse, ends, and does not open again at once (see Opening)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from app.diagnosis.opening import COOL, GRAVITY
from app.diagnosis.signal import Act, Severity
from app.series.curve import Flags, Ints

SHUT = -1


class Part(NamedTuple):
    """A part of the rules about ranks, by the name that signals carry."""

    name: str
    severity: Severity


STRANGE, UNLIKE, STUCK, OFF, SLOW = PARTS = (
    Part("K1", "critical"),  # no number
    Part("K2", "warning"),  # not what the others print of a reduced value
    Part("K3", "warning"),  # the same value again and again
    Part("K4", "warning"),  # off those like it
    Part("K5", "warning"),  # slower than those like it
)


class Said(NamedTuple):
    """Of a rank (its row): what, and of which part (its place in PARTS)."""

    act: Act
    row: int
    part: int


@dataclass(slots=True, eq=False)
class Episodes:
    """Of n ranks the ``part`` that is open (SHUT: none), the ``first`` step of the newest, and the number of the row
    until which it stays shut (``cold``)."""

    part: Ints
    first: Ints
    cold: Ints

    @classmethod
    def blank(cls, count: int) -> Episodes:
        return cls(np.full(count, SHUT), np.full(count, -1), np.full(count, -1))


def take(mine: Episodes, at: int, told: Sequence[tuple[int, Flags, Flags]]) -> Iterator[Said]:
    """Take what parts begin and end with the row of number ``at``, the heaviest part first."""
    for part, _, ends in told:
        for row in np.flatnonzero(ends & (mine.part == part)).tolist():
            mine.part[row], mine.cold[row] = SHUT, at + COOL
            yield Said("clear", row, part)
    for part, begins, _ in told:
        for row in np.flatnonzero(begins & (mine.part != part)).tolist():
            yield from _begin(mine, at, part, row)


def _begin(mine: Episodes, at: int, part: int, row: int) -> Iterator[Said]:
    before = int(mine.part[row])
    if before == SHUT:
        if at > mine.cold[row] or PARTS[part].severity == "critical":
            mine.part[row] = part
            yield Said("raise", row, part)
    elif GRAVITY[PARTS[part].severity] > GRAVITY[PARTS[before].severity]:
        mine.part[row] = part
        yield Said("update", row, part)
