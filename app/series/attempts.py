"""Attempts of a run: from one start of the job to the next.

Clocks of different sources are not compared: a log's clock has no time zone, an event file's has. Each source's
segments are put into attempts by their own time, and the attempts are matched by order and by the steps they share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from app.series.curve import SOURCES, Curve, Flags, Floats, Ints
from app.series.recount import NONE, Starts, origin_of, starts
from app.series.segments import INTERVALS_BACK, Segment, cuts
from collector.wire.records import SeriesMeta, Source

Family = tuple[Source, str]
"""Segments whose times can be compared: of all files of a source that carry a clock (""), or of one file without."""

Group = list[Segment]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt, counted from 1. ``reason``: first, start_announced, truncated, replaced or steps_back."""

    attempt: int
    reason: str
    started: float | None  # Unix seconds by the log's own clock
    ended: float | None
    first_step: int
    last_step: int
    steps_redone: int  # steps that an earlier attempt had done already


@dataclass(frozen=True, slots=True, eq=False)
class Boundaries:
    """From ``starts[i]`` (Unix seconds, rising) on, points belong to attempt ``numbers[i]``."""

    starts: Floats
    numbers: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """The attempts of a run, and what is needed to put any other point of it into one of them."""

    attempts: tuple[Attempt, ...]
    boundaries: Mapping[Family, Boundaries]
    numbers: Mapping[tuple[str, int], tuple[int, ...]]  # (file, generation) → the attempt of each of its segments
    untimed: frozenset[str] = frozenset()  # files whose clock is missing or went back
    starts: Starts = NONE

    @property
    def first_steps(self) -> tuple[int, ...]:
        """Where each attempt began."""
        return tuple(one.first_step for one in self.attempts)

    @property
    def newest(self) -> int | None:
        """The last step of the newest attempt, None before there is one."""
        return self.attempts[-1].last_step if self.attempts else None


def timeline(evidence: Sequence[Segment], anew: frozenset[tuple[str, int]] = frozenset()) -> Timeline:
    """The attempts that the segments of the owner's files prove; of ``anew`` (file, generation) the steps are counted
    from each start of the job."""
    groups = {family: _groups(found, timed=not family[1]) for family, found in _families(evidence).items()}
    if not groups:
        return Timeline((), {}, {})
    # The family that saw most restarts tells; of equal ones the log, which is there first.
    leader = max(groups, key=lambda family: (len(groups[family]), not family[1], SOURCES.index(family[0])))
    numbers = {family: _match(groups[leader], found) for family, found in groups.items()}
    return Timeline(
        _attempts(groups[leader]),
        {family: _boundaries(found, numbers[family]) for family, found in groups.items() if not family[1]},
        _numbered(groups, numbers),
        frozenset(file for _, file in groups if file),
        _starts(groups, numbers, _origins(groups[leader], anew), anew),
    )


def number(meta: SeriesMeta, curve: Curve, known: Timeline) -> Ints:
    """The attempt of each point of one stored series."""
    last = max(1, len(known.attempts))
    clocked = np.isfinite(curve.walls)
    edges = known.boundaries.get((meta.source, ""))
    if edges is not None and len(edges.starts) and meta.file not in known.untimed and clocked.all():
        at = np.searchsorted(edges.starts, curve.walls, side="right") - 1
        return edges.numbers[np.maximum(at, 0)]
    ordinal = np.zeros(len(curve), dtype=np.int64)
    ordinal[cuts(curve.steps)] = 1
    mine = known.numbers.get((meta.file, meta.generation)) or tuple(range(min(meta.generation + 1, last), last + 1))
    return np.array(mine, dtype=np.int64)[np.minimum(np.cumsum(ordinal), len(mine) - 1)]


def _families(evidence: Sequence[Segment]) -> dict[Family, list[Segment]]:
    files: dict[tuple[Source, str], list[Segment]] = {}
    for one in evidence:
        files.setdefault((one.source, one.file), []).append(one)
    families: dict[Family, list[Segment]] = {}
    for (source, file), found in files.items():
        # A clock that went back tells as little as none.
        rises = all(it.clocked for it in found) and all(one.first_wall < it.first_wall for one, it in pairwise(found))
        families.setdefault((source, "" if rises else file), []).extend(found)
    return families


def _groups(found: Sequence[Segment], *, timed: bool) -> list[Group]:
    """The segments of one family as attempts."""
    groups: list[Group] = []
    for one in sorted(found, key=lambda it: it.first_wall) if timed else found:
        if groups and not _opens(groups[-1], one, timed=timed):
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


def _opens(group: Group, one: Segment, *, timed: bool) -> bool:
    """Whether ``one``, which starts no earlier than what is in ``group``, is another attempt."""
    high = max(it.last_step for it in group)
    back = one.first_step < high - INTERVALS_BACK * max(one.interval, min(it.interval for it in group))
    # A log that was rotated is "replaced" too: when its steps simply go on, nothing was started anew.
    again = one.reason in ("start_announced", "steps_back") or (one.reason != "" and one.first_step <= high)
    if any(it.file == one.file for it in group):
        return again or back
    if timed and one.first_wall <= max(it.last_wall for it in group):
        return False  # at the same time: the same records in another file
    return again or back


def _match(leader: Sequence[Group], other: Sequence[Group]) -> list[int]:
    """For each group of ``other`` its attempt among the leader's: in order, sharing as many steps as possible."""
    if len(leader) == len(other):
        return list(range(1, len(leader) + 1))
    best = np.full((len(other) + 1, len(leader) + 1), -np.inf)
    best[0, :] = 0
    takes = np.zeros(best.shape, dtype=bool)
    for row, group in enumerate(other, 1):
        for column in range(row, len(leader) - len(other) + row + 1):
            taken = best[row - 1, column - 1] + _shared(leader[column - 1], group)
            takes[row, column] = taken >= best[row, column - 1]  # of equal matches the later attempt
            best[row, column] = max(taken, best[row, column - 1])
    return _way_back(takes)


def _way_back(takes: Flags) -> list[int]:
    column = takes.shape[1] - 1
    found: list[int] = []
    for row in range(takes.shape[0] - 1, 0, -1):
        while not takes[row, column]:
            column -= 1
        found.append(column)
        column -= 1
    return found[::-1]


def _shared(one: Group, other: Group) -> float:
    """The length in steps of what both have."""
    start = max(min(it.first_step for it in one), min(it.first_step for it in other))
    end = min(max(it.last_step for it in one), max(it.last_step for it in other))
    return float(max(0, end - start + 1))


def _attempts(groups: Sequence[Group]) -> tuple[Attempt, ...]:
    made: list[Attempt] = []
    for count, group in enumerate(groups, 1):
        first = min(it.first_step for it in group)
        before = max((it.last_step for it in made), default=first - 1)
        made.append(
            Attempt(
                attempt=count,
                reason="first" if count == 1 else _reason(group),
                started=_finite(min(it.first_wall for it in group)),
                ended=_finite(max(it.last_wall for it in group)),
                first_step=first,
                last_step=max(it.last_step for it in group),
                steps_redone=max(0, before - first + 1),
            )
        )
    return tuple(made)


def _starts(
    groups: Mapping[Family, Sequence[Group]],
    numbers: Mapping[Family, Sequence[int]],
    origins: Sequence[int],
    anew: frozenset[tuple[str, int]],
) -> Starts:
    family: Family = ("tensorboard", "")
    attempts = zip(groups.get(family, ()), numbers.get(family, ()), strict=True)
    return starts([(one, origins[attempt - 1]) for group, attempt in attempts for one in group], anew)


def _origins(groups: Sequence[Group], anew: frozenset[tuple[str, int]]) -> list[int]:
    """After which step each attempt began; 0 where only files tell of it that count from each start."""
    usual = min((it.interval for group in groups for it in group if it.count > 1), default=1.0)
    true = [[it for it in group if (it.file, it.generation) not in anew] for group in groups]
    return [min((origin_of(it, usual) for it in group), default=0) for group in true]


def _reason(group: Group) -> str:
    told = {it.reason for it in group}
    return next((one for one in ("start_announced", "truncated", "replaced") if one in told), "steps_back")


def _finite(wall: float) -> float | None:
    return wall if np.isfinite(wall) else None


def _boundaries(groups: Sequence[Group], numbers: Sequence[int]) -> Boundaries:
    """Each attempt from the middle of the pause before it: other ranks start and stop a little apart. Nothing when time
    does not rise from one attempt to the next; order decides then."""
    first = np.array([min(it.first_wall for it in group) for group in groups])
    last = np.array([max(it.last_wall for it in group) for group in groups])
    if (np.diff(first) <= 0).any():
        return Boundaries(first[:0], np.array([], dtype=np.int64))
    pause = np.maximum(first[1:] - last[:-1], 0)
    return Boundaries(np.r_[first[:1], first[1:] - pause / 2], np.array(numbers, dtype=np.int64))


def _numbered(
    groups: Mapping[Family, Sequence[Group]], numbers: Mapping[Family, Sequence[int]]
) -> dict[tuple[str, int], tuple[int, ...]]:
    found: dict[tuple[str, int], tuple[int, ...]] = {}
    for family, several in groups.items():
        for group, attempt in zip(several, numbers[family], strict=True):
            for one in group:
                key = one.file, one.generation
                found[key] = (*found.get(key, ()), attempt)
    return found
