"""One curve that grows: what ``assemble`` makes of all its series, without reading a point twice.

Two ways to the same result. ``Grown`` puts each new point into its attempt and weaves on there. ``Whole`` keeps every
series and assembles anew, for the few curves whose attempts can only be told from all points together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from app.series.assemble import Stored, assemble
from app.series.attempts import Boundaries, Timeline
from app.series.curve import Curve, Floats, Ints, concat
from app.series.parts import Line, joined, line, rises
from app.series.recount import shift
from app.series.trail import Anew
from app.series.weave import POINT_BYTES, File, Weave, natural
from collector.wire.records import SeriesMeta

Points = Mapping[SeriesMeta, Sequence[Curve]]
"""New points of each series, in order of arrival; none of them empty."""

Rule = int | Boundaries
"""Which attempt a point belongs to: this one, or what its wall says."""


class Tangled(Exception):
    """A curve whose points cannot be put into attempts one by one."""


class Growing(Protocol):
    """A curve that can be told what is new; not safe to share between threads."""

    @property
    def weight(self) -> int:
        """Bytes held."""
        ...

    def extend(self, new: Points, known: Timeline) -> Line:
        """The whole curve. After Anew or Tangled it is of no more use: begin again with every point."""
        ...


@dataclass(slots=True)
class _Series:
    """What is remembered of one series."""

    rule: Rule
    rises: bool = True
    clocked: bool = True
    step: int | None = None  # the newest
    wall: float = -np.inf  # the highest
    begins: tuple[int, float] | None = None  # step and clock of its first point
    shift: int = 0  # what its steps are too low by

    def note(self, curve: Curve) -> None:
        if self.begins is None:
            self.begins = int(curve.steps[0]), float(curve.walls[0])
        self.rises &= rises(curve) and (self.step is None or int(curve.steps[0]) >= self.step)
        self.step = int(curve.steps[-1])
        self.clocked &= bool(np.isfinite(curve.walls).all())
        self.wall = max(self.wall, float(curve.walls.max()))

    def shifted(self, meta: SeriesMeta, known: Timeline) -> int:
        """By how much its steps are too low, by what is known now."""
        return shift(meta, *self.begins, known.starts) if self.begins else 0


class Grown:
    """Attempt by attempt."""

    def __init__(self) -> None:
        """Of no point yet."""
        self._series: dict[SeriesMeta, _Series] = {}
        self._weaves: dict[int, Weave] = {}
        self._generations: dict[tuple[int, File], int] = {}  # (attempt, file) → the one of its newest point
        self._line = Line(())

    @property
    def weight(self) -> int:
        """See Growing."""
        return sum(one.weight for one in self._weaves.values())

    def extend(self, new: Points, known: Timeline) -> Line:
        """See Growing."""
        for meta, one in self._series.items():
            self._follow(meta, one, new.get(meta, ()), known)
        for meta in new.keys() - self._series.keys():
            self._begin(meta, new[meta], known)
        files = [(meta.source, meta.file, meta.generation) for meta in self._series]
        if len(set(files)) < len(files):
            raise Tangled  # two tags of one file with one meaning: the longer tells, whichever that comes to be
        if new:
            self._weave(new)
        return self._line

    def _follow(self, meta: SeriesMeta, one: _Series, new: Sequence[Curve], known: Timeline) -> None:
        rule, wall = one.rule, one.wall
        for curve in new:
            one.note(curve)
        one.rule = _rule(meta, one, known)
        if _until(rule, wall) != _until(one.rule, wall) or one.shift != one.shifted(meta, known):
            raise Anew

    def _begin(self, meta: SeriesMeta, new: Sequence[Curve], known: Timeline) -> None:
        one = self._series[meta] = _Series(0)
        for curve in new:
            one.note(curve)
        one.rule, one.shift = _rule(meta, one, known), one.shifted(meta, known)

    def _weave(self, new: Points) -> None:
        attempts: dict[int, dict[File, list[Curve]]] = {}
        for meta in sorted(new, key=lambda it: (natural(it.file), it.generation)):
            file = meta.source, meta.file
            for curve in new[meta]:
                for attempt, mine in _numbered(curve, self._series[meta].rule):
                    if self._generations.setdefault((attempt, file), meta.generation) > meta.generation:
                        raise Anew
                    self._generations[attempt, file] = meta.generation
                    moved = replace(mine, steps=mine.steps + by) if (by := self._series[meta].shift) else mine
                    attempts.setdefault(attempt, {}).setdefault(file, []).append(moved)
        for attempt, files in attempts.items():
            self._weaves.setdefault(attempt, Weave()).extend(files)
        self._line = joined([part for _, weave in sorted(self._weaves.items()) for part in weave.parts])


class Whole:
    """Every series kept, and assembled anew."""

    def __init__(self) -> None:
        """Of no point yet."""
        self._held: dict[SeriesMeta, Curve] = {}
        self._line = Line(())

    @property
    def weight(self) -> int:
        """See Growing."""
        return POINT_BYTES * (sum(len(one) for one in self._held.values()) + len(self._line))

    def extend(self, new: Points, known: Timeline) -> Line:
        """See Growing."""
        for meta, curves in new.items():
            held = [self._held[meta]] if meta in self._held else []
            self._held[meta] = concat([*held, *curves])
        self._line = line(assemble([Stored(meta, curve) for meta, curve in self._held.items()], known))
        return self._line


def _rule(meta: SeriesMeta, one: _Series, known: Timeline) -> Rule:
    """What ``attempts.number`` goes by, as far as it holds for points that are still to come."""
    edges = known.boundaries.get((meta.source, ""))
    if edges is not None and len(edges.starts) and meta.file not in known.untimed and one.clocked:
        return edges
    last = max(1, len(known.attempts))
    mine = known.numbers.get((meta.file, meta.generation)) or tuple(range(min(meta.generation + 1, last), last + 1))
    if len(mine) > 1 and not one.rises:
        raise Tangled
    return mine[0]


def _until(rule: Rule, wall: float) -> tuple[list[float], list[int]]:
    """What a rule says of points up to a wall: where the next attempt begins, and their numbers."""
    if isinstance(rule, int):
        return [], [rule]
    count = max(1, int(np.searchsorted(rule.starts, wall, side="right")))
    return rule.starts[1:count].tolist(), rule.numbers[:count].tolist()


def _numbered(curve: Curve, rule: Rule) -> list[tuple[int, Curve]]:
    """The points of each attempt, in order of arrival."""
    if isinstance(rule, int):
        return [(rule, _of(curve, rule))]
    first, last = _at(rule.starts, np.array([curve.walls.min(), curve.walls.max()])).tolist()
    if first == last:
        attempt = int(rule.numbers[first])
        return [(attempt, _of(curve, attempt))]
    attempts = rule.numbers[_at(rule.starts, curve.walls)]
    return [(one, _of(curve.take(attempts == one), one)) for one in np.unique(attempts).tolist()]


def _at(starts: Floats, walls: Floats) -> Ints:
    return np.maximum(np.searchsorted(starts, walls, side="right") - 1, 0)


def _of(curve: Curve, attempt: int) -> Curve:
    return curve.of_attempts(np.broadcast_to(np.int64(attempt), len(curve)))
