"""One attempt of one curve, out of all files that tell of it, growing at its end.

The result is that of ``woven`` over whole files, always. But where every file only goes forward, what lies below the
lowest new step cannot change, so that the points from there on are woven anew and no others; and those that cannot
change any more are held as the result alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from app.series.curve import EMPTY, SOURCES, Curve, concat
from app.series.parts import PART, Part, part, rises, timed
from app.series.splice import splice
from app.series.trail import Anew
from app.series.twins import join
from collector.wire.records import Source

LITTLE = PART // 8  # points of a part at the growing end, which is made anew with every point that is appended
POINT_BYTES = 26  # three numbers and a source, and a point's share of what its part knows

File = tuple[Source, str]


def natural(file: str) -> list[tuple[int, str]]:
    """Files as a person counts: ``info.log.2`` before ``info.log.10``."""
    # rank_0/info.log.10 → rank_ · 0 · /info.log. · 10
    parts = re.findall(r"\d+|\D+", file)
    return [(int(one), "") if one.isdecimal() else (-1, one) for one in parts]


def together(source: Source, files: Sequence[Curve]) -> Curve:
    """One source in one attempt: logs repeat each other; event files of one writer follow each other in time."""
    present = [one for one in files if len(one)]
    if source == "log":
        return join(present) if present else EMPTY
    whole = concat(present)
    if len(present) < 2 or not np.isfinite(whole.walls).all():
        return whole
    return whole.take(np.argsort(whole.walls, kind="stable"))


@dataclass(slots=True)
class _Strand:
    """One file: what is held of its points, whether its steps and its clock only go forward, and where it ends."""

    held: list[Curve] = field(default_factory=list)
    rises: bool = True
    timed: bool = True
    step: int | None = None  # the newest
    wall: float = -np.inf
    dropped: bool = False  # not everything is held any more

    def note(self, curve: Curve) -> None:
        self.rises &= rises(curve) and (self.step is None or int(curve.steps[0]) >= self.step)
        self.timed &= timed(curve) and float(curve.walls[0]) >= self.wall
        self.step, self.wall = int(curve.steps[-1]), float(curve.walls[-1])

    def hold(self, curve: Curve) -> None:
        if self.held and len(self.held[-1]) < LITTLE:
            curve = concat([self.held.pop(), curve])
        self.held.append(curve)

    def since(self, step: int) -> Curve:
        """What is held from ``step`` on; steps rise."""
        found: list[Curve] = []
        for one in reversed(self.held):
            at = int(np.searchsorted(one.steps, step))
            found.append(one.take(slice(at, None)))
            if at:
                break
        return concat(found[::-1])

    def step_at(self, wall: float) -> float:
        """The step of the first point that is not before ``wall``; clocks rise. -inf when it may not be held."""
        found = np.inf
        for one in reversed(self.held):
            at = int(np.searchsorted(one.walls, wall))
            if at == len(one):
                return found
            found = float(one.steps[at])
            if at:
                return found
        return -np.inf if self.dropped else found

    def drop(self, below: int) -> None:
        """Forget chunks that lie below a step altogether."""
        kept = [one for one in self.held if int(one.steps[-1]) >= below]
        if len(kept) < len(self.held):
            self.dropped = True
            self.held = [one.alone() for one in kept]


class Weave:
    """The points of one attempt as parts; not safe to share between threads."""

    def __init__(self) -> None:
        """Of no file yet."""
        self.parts: list[Part] = []
        self._strands: dict[File, _Strand] = {}
        self._held_from: int | None = None  # points of lower steps are in the result alone
        self._rises = False  # the result, and each source's share of it

    @property
    def weight(self) -> int:
        """Bytes held."""
        held = sum(len(one) for strand in self._strands.values() for one in strand.held)
        return POINT_BYTES * (held + sum(len(one) for one in self.parts))

    def extend(self, files: Mapping[File, Sequence[Curve]]) -> None:
        """Points that each file has more, none of them empty. Raises Anew when points are needed that are not held."""
        before = len(self._strands)
        alone = len(self._strands.keys() | files.keys()) == 1
        if before == 1 and not alone:  # until now the result was all there is of the one file
            next(iter(self._strands.values())).held = [one.curve for one in self.parts]
        for file, curves in files.items():
            self._grow(self._strands.setdefault(file, _Strand()), curves, hold=not alone)
        if alone:
            new = (part(one) for curves in files.values() for one in curves)
            self.parts = settled([*self.parts, *new])
        elif before < 2 or not self._is_clean() or not self._rewoven(self._lowest(files)):
            self._wholly()

    def _grow(self, strand: _Strand, curves: Sequence[Curve], *, hold: bool) -> None:
        for one in curves:
            strand.note(one)
            if hold:
                strand.hold(one)

    def _wholly(self) -> None:
        if self._held_from is not None:
            raise Anew
        shares = self._shares(None)
        self.parts = cut(splice(shares))
        self._rises = all(rises(one) for one in shares)
        self._forget()

    def _lowest(self, files: Mapping[File, Sequence[Curve]]) -> float:
        """The step below which nothing changes: no new point has such a step, nor stands between such ones in time."""
        steps = [float(one.steps.min()) for curves in files.values() for one in curves]
        for source in self._several():
            walls = [float(one.walls.min()) for file, curves in files.items() if file[0] == source for one in curves]
            mine = [strand for file, strand in self._strands.items() if file[0] == source]
            steps += [strand.step_at(min(walls)) for strand in mine if walls]
        return min(steps)

    def _rewoven(self, since: float) -> bool:
        """Everything from a step on; False when more than that may have changed."""
        if self._held_from is not None and since < self._held_from:
            raise Anew
        lowest = int(since)
        shares = self._shares(lowest)
        if not all(rises(one) for one in shares):
            return False
        kept = len(self.parts)
        while kept and int(self.parts[kept - 1].curve.steps[-1]) >= lowest:
            kept -= 1
        edge = [one.curve for one in self.parts[kept : kept + 1]]
        edge = [one.take(slice(0, int(np.searchsorted(one.steps, lowest)))) for one in edge]
        self.parts = settled([*self.parts[:kept], *cut(concat([*edge, splice(shares)]))])
        self._forget()
        return True

    def _shares(self, since: int | None) -> list[Curve]:
        """What each source has of the attempt."""
        files = sorted(self._strands, key=lambda file: natural(file[1]))
        held = {one: self._strands[one] for one in files}
        curves = {file: concat(one.held) if since is None else one.since(since) for file, one in held.items()}
        return [together(source, [one for file, one in curves.items() if file[0] == source]) for source in SOURCES]

    def _several(self) -> set[Source]:
        """The sources that have more than one file."""
        sources = [source for source, _ in self._strands]
        return {one for one in sources if sources.count(one) > 1}

    def _is_clean(self) -> bool:
        """Whether what is known stays as it is when points of higher steps come."""
        several = self._several()
        strands = self._strands.items()
        return self._rises and all(one.rises and (one.timed or source not in several) for (source, _), one in strands)

    def _forget(self) -> None:
        """Let go of points that the result has, unless a source that is behind may yet have its own of their steps."""
        if not self._is_clean():
            return
        ends: dict[Source, int] = {}
        for (source, _), strand in self._strands.items():
            ends[source] = max(ends.get(source, strand.step or 0), strand.step or 0)
        limit = min(min(ends.values()), self._step_before(PART))
        for one in self._strands.values():
            one.drop(limit)
        if any(one.dropped for one in self._strands.values()):
            self._held_from = limit

    def _step_before(self, count: int) -> int:
        """The lowest step of the part at least ``count`` points before the end."""
        behind = 0
        for one in reversed(self.parts):
            behind += len(one)
            if behind >= count:
                break
        return int(one.curve.steps[0])


def cut(curve: Curve) -> list[Part]:
    """A curve as parts, little ones at its end."""
    large = max(0, len(curve) // PART - 1) * PART
    edges = [*range(0, large, PART), *range(large, len(curve), LITTLE), len(curve)]
    return [part(curve.take(slice(start, end))) for start, end in pairwise(edges)]


def settled(parts: list[Part]) -> list[Part]:
    """The same points; little parts at the end made into fewer where they have become many."""
    while len(parts) > 1 and len(parts[-1]) + len(parts[-2]) <= LITTLE:
        parts = [*parts[:-2], part(concat([one.curve for one in parts[-2:]]))]
    first = len(parts)
    while first and len(parts[first - 1]) < PART // 2:
        first -= 1
    if sum(len(one) for one in parts[first:]) < 2 * PART:
        return parts
    whole = concat([one.curve for one in parts[first:]])
    return [*parts[:first], *cut(whole)]
