"""One record, two files: ``info.log`` and ``worker_N.log`` of a rank hold the same lines.

Their points are joined as multisets: a point is kept as often as the file that has it most often. A twin adds nothing,
a file that lacks some lines is completed by the other, and a line that one file really holds twice stays twice.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.series.curve import EMPTY, Curve, Flags, Ints, concat


def join(files: Sequence[Curve], sizes: Sequence[tuple[int, int]] | None = None) -> Curve:
    """The union by maximum over (step, wall, value); points without a clock are matched over (step, value) alone.
    ``sizes``: how many points with and without a clock each file has in all, where these are some steps of it."""
    if len(files) == 1:
        return files[0]
    with_clock, without = ([_with_clock(one, clock) for one in files] for clock in (True, False))
    counts = sizes or [(len(one), len(other)) for one, other in zip(with_clock, without, strict=True)]
    clocked = _union(_longest_first(with_clock, [one for one, _ in counts]), clock=True)
    return _union([clocked, *_longest_first(without, [one for _, one in counts])], clock=False)


def _longest_first(files: Sequence[Curve], counts: Sequence[int]) -> list[Curve]:
    return [files[at] for at in sorted(range(len(files)), key=lambda at: counts[at], reverse=True)]


def _with_clock(curve: Curve, clock: bool) -> Curve:
    has = np.isfinite(curve.walls) == clock
    return curve if has.all() else curve.take(has)


def _union(files: Sequence[Curve], *, clock: bool) -> Curve:
    whole, *others = [one for one in files if len(one)] or [EMPTY]
    for other in others:
        more = other.take(_missing(whole, other, clock=clock))
        if len(more):
            whole = _in_time(concat([whole, more]))
    return whole


def _in_time(curve: Curve) -> Curve:
    if not np.isfinite(curve.walls).all():
        return curve
    return curve.take(np.argsort(curve.walls, kind="stable"))


def _missing(whole: Curve, other: Curve, *, clock: bool) -> Flags:
    """Which points of ``other`` exceed their count in ``whole``."""
    if _is_run_of(whole, other):
        return np.zeros(len(other), dtype=bool)
    both = concat([whole, other])
    group = _groups(both, clock=clock)
    mine, theirs = group[: len(whole)], group[len(whole) :]
    held = np.bincount(mine, minlength=int(group.max(initial=0)) + 1)
    return _occurrence(theirs) >= held[theirs]


def _is_run_of(whole: Curve, other: Curve) -> bool:
    """Whether ``other`` is one contiguous piece of ``whole``: the usual case, and a hundred times cheaper to see."""
    at = int(np.searchsorted(whole.walls, other.walls[0])) if np.isfinite(other.walls[0]) else 0
    piece = slice(at, at + len(other))
    return (
        np.array_equal(whole.steps[piece], other.steps)
        and np.array_equal(whole.walls[piece], other.walls, equal_nan=True)
        and np.array_equal(whole.values[piece], other.values, equal_nan=True)
    )


def _groups(curve: Curve, *, clock: bool) -> Ints:
    """A number for each point; equal numbers, equal points (every NaN equals every NaN)."""
    keys = [np.where(np.isnan(curve.values), np.nan, curve.values + 0.0).view(np.int64), curve.steps]
    if clock:
        keys.append(curve.walls.view(np.int64))
    order = np.lexsort(keys)
    ordered = [key[order] for key in keys]
    changed = np.logical_or.reduce([one[1:] != one[:-1] for one in ordered])
    numbers = np.empty(len(curve), dtype=np.int64)
    numbers[order] = np.r_[0, np.cumsum(changed)]
    return numbers


def _occurrence(groups: Ints) -> Ints:
    """How many equal numbers stand before each one."""
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    lengths = np.diff(np.r_[starts, len(ordered)])
    counted = np.empty(len(groups), dtype=np.int64)
    counted[order] = np.arange(len(ordered)) - np.repeat(starts, lengths)
    return counted
