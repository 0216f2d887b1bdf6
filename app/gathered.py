"""One metric of all ranks of a run, as far as it has been read."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from app.series.curve import POINT, Flags, Ints
from app.series.ranks.filling import Filling
from app.series.ranks.layering import Members, Rules
from app.series.ranks.reading import Packed, Read
from app.stored import START

SMALL = 400  # bytes a series beside its cells


def _none(count: int = 0) -> Packed:
    return np.zeros(count, POINT)


@dataclass(slots=True)
class Gathered:
    """The cells, and what is needed to read on."""

    members: Members | None = None
    rules: Rules | None = None
    filling: Filling = field(default_factory=lambda: Filling(0))
    counts: Ints = field(default_factory=lambda: np.zeros(0, np.int64))  # points of each series, read or passed over
    lasts: Packed = field(default_factory=_none)
    begins: Packed = field(default_factory=_none)  # the first point of each series
    slow: Flags = field(default_factory=lambda: np.zeros(0, np.bool_))  # rows that are read like single curves
    floor: int | None = None
    position: str = START
    whole: bool = False  # not so after an error in the middle

    def weight(self) -> int:
        """Bytes held."""
        return SMALL * len(self.counts) + self.filling.weight

    @property
    def ends(self) -> tuple[int | None, int | None]:
        """The first and the last step of all."""
        steps = self.filling.steps
        if not len(steps):
            return None, None
        older = self.begins["step"][self.counts > 0].min() if self.floor is not None else steps[0]
        return int(min(older, steps[0])), int(steps[-1])

    def goes_on(self, members: Members, rules: Rules) -> bool:
        """Whether what was read stays right: the same ranks, no series less, and every point in the same attempt."""
        if not self.whole or self.members is None or rules != self.rules:
            return False
        return members is self.members or (
            np.array_equal(members.ranks, self.members.ranks) and set(self.members.sids) <= set(members.sids)
        )

    def begin(self, members: Members, rules: Rules) -> None:
        """Nothing is known."""
        size, rows = len(members.sids), len(members.ranks)
        self.members, self.rules, self.floor = members, rules, None
        self.filling, self.slow = Filling(rows), np.zeros(rows, np.bool_)
        self.counts, self.lasts, self.begins = np.zeros(size, np.int64), _none(size), _none(size)

    def follow(self, members: Members) -> None:
        """More series of the same ranks."""
        before, self.members = self.members, members
        if before is None or before is members:
            return
        place = {sid: number for number, sid in enumerate(members.sids)}
        to = np.array([place[sid] for sid in before.sids], dtype=np.int64)
        counts, lasts, begins = self.counts, self.lasts, self.begins
        size = len(members.sids)
        self.counts, self.lasts, self.begins = np.zeros(size, np.int64), _none(size), _none(size)
        self.counts[to], self.lasts[to], self.begins[to] = counts, lasts, begins

    def laid(self, read: Read, members: Members, rules: Rules, shifts: Ints) -> bool:
        """Whether the usual case was at hand and is done: every rank has one series, all of them the same steps."""
        source = int(members.sources[read.which[0]]) if len(read.which) else 0
        plain = len(rules.first_steps) < 2 and not shifts.any() and (members.sources[read.which] == source).all()
        table = read.table() if plain and members.alone[read.which].all() and read.is_fresh else None
        if table is None:
            return False
        rows = members.rows[read.which]
        steps = table["step"][0]
        if rows[-1] - rows[0] + 1 != len(rows) or (table["step"] != steps).any() or (np.diff(steps) <= 0).any():
            return False
        return self.filling.lay(
            slice(int(rows[0]), int(rows[-1]) + 1), steps.copy(), table["wall"], table["value"], 7 - source
        )
