"""People's own rules of one run, with the series that each of them watches. Pure.

A rule is told of the points of the rank that speaks for the run, of one source, in the order of their clocks. Two files
of one rank may hold the same lines: what is not newer than the last is a copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from math import isnan

from app.diagnosis.column import Column, is_older
from app.diagnosis.memory import Saved, restore, save
from app.diagnosis.row import Row
from app.diagnosis.rules.custom import Custom, UserRule
from app.diagnosis.signal import Signal
from app.diagnosis.speaking import ORDER
from app.series.owner import holders, run_owner, speaker
from app.stored import RunSeries
from collector.wire.records import RunId

Watched = Mapping[str, Sequence[str]]
"""A rule's name → the series that it watches."""


@dataclass(slots=True)
class Wish:
    """``reached`` is when the newest point was written (Unix seconds or, without a clock, its step)."""

    custom: Custom
    columns: list[Column] = field(default_factory=list)
    reached: float = float("-inf")

    def take(self, row: Row | None) -> Iterator[Signal]:
        """Use the points that are no newer than a row; all that wait where no row is to come."""
        for column in self.columns:
            while column.waiting and (row is None or not is_newer(column.waiting[0], row)):
                step, wall, value = column.take()
                place = float(step) if isnan(wall) else wall
                if place > self.reached:
                    self.reached = place
                    yield from self.custom.take(step, None if isnan(wall) else wall, value)

    def at(self, now: float) -> Sequence[Signal]:
        """It is ``now`` by the run's clock; nothing is missing while points wait to be read."""
        if any(one.waiting or not one.whole for one in self.columns):
            return ()
        return self.custom.at(now)


def is_newer(point: tuple[int, float, float], row: Row) -> bool:
    """Whether a point was written after a row."""
    wall = float("nan") if row.t is None else row.t
    return point[0] != row.step and not is_older(point, row.step, wall)


def wishes(rules: Sequence[UserRule]) -> list[Wish]:
    """Of a run of which no point was used."""
    return [Wish(Custom.of(one)) for one in rules]


def of_run(rules: Sequence[UserRule], run: RunId) -> tuple[UserRule, ...]:
    """Those that are meant for a run."""
    return tuple(one for one in rules if not one.runs or any(fnmatchcase(run, pattern) for pattern in one.runs))


def watched(rules: Sequence[UserRule], run: RunSeries) -> Watched:
    """What each rule watches in a run as it is stored now."""
    return {one.name: _series(one, run) for one in rules}


def _series(rule: UserRule, run: RunSeries) -> Sequence[str]:
    by_tag = bool(rule.tag)
    named = {
        sid: one for sid, one in run.series.items() if (one.tag if by_tag else one.metric) == (rule.tag or rule.metric)
    }
    first = run_owner(holders(run.series.values()), run.facts)
    rank = speaker(rule.tag or rule.metric, holders(named.values(), tag=by_tag), run.facts, first=first)
    for source in ORDER:
        if mine := [sid for sid, one in named.items() if one.source == source and one.rank in (rank, None)]:
            return sorted(mine)
    return ()


def told(several: Sequence[Wish], row: Row | None) -> Iterator[Signal]:
    """What all of them say of the points up to a row."""
    for one in several:
        yield from one.take(row)


def at(several: Sequence[Wish], now: float) -> Iterator[Signal]:
    """What all of them say of its being ``now``."""
    for one in several:
        yield from one.at(now)


def saved(several: Sequence[Wish]) -> list[Saved]:
    """As JSON values; points that were read and not used are read again."""
    return [
        {
            "custom": save(one.custom),
            "columns": [{"sid": column.sid, "taken": column.taken, "last": column.last} for column in one.columns],
            "reached": one.reached,
        }
        for one in several
    ]


def restored(several: Sequence[Saved]) -> list[Wish]:
    """What ``saved`` was called of."""
    return [
        Wish(restore(Custom, one["custom"]), [_column(it) for it in one["columns"]], one["reached"]) for one in several
    ]


def _column(one: Saved) -> Column:
    last = one["last"]
    return Column(one["sid"], one["taken"], tuple(last) if last else None)
