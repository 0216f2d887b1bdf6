"""What is folded first when a run has too many bytes of points. Pure.

Never folded is what speaks for the run: every canonical metric of files without a rank, of rank 0 and of the highest
rank that has it, since attempts, times and findings are told from these. Other ranks' series go first, then the raw
tags of those ranks, where their file also has a canonical metric that shows how its steps went.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from collector.fold import folded_bytes
from collector.wire.folded import BUCKET_POINTS
from collector.wire.records import POINT_BYTES, SeriesMeta

WINDOW = 256  # newest points of a series that always stay exact
LEAST = 128  # points that are worth a fold
MOST = 2**18  # points of one fold: the server is busy for some 20 ms
LARGEST = 2**26  # bytes of a series that is folded at all: what stays of it is copied
ROOM = 0.1  # of the budget is made free at once, so that not every look has to fold

Sizes = Mapping[str, tuple[int, int]]
"""Of each series the bytes of its exact points, and of what is folded."""
Ints = NDArray[np.int64]


def plan(series: Mapping[str, SeriesMeta], sizes: Sizes, budget: int) -> dict[str, int]:
    """Of which series to fold how many bytes of their oldest points, so that all of them take less than ``budget``."""
    missing = sum(map(sum, sizes.values())) - budget
    if missing <= 0:
        return {}
    missing += int(ROOM * budget)
    found: dict[str, int] = {}
    for sids in tiers(series):
        points = np.array([sizes[sid][0] // POINT_BYTES for sid in sids], dtype=np.int64)
        points[points > LARGEST // POINT_BYTES] = 0
        cuts = _cuts(points, _window(points, missing))
        missing -= int(_freed(cuts).sum())
        found |= {sid: int(cut) * POINT_BYTES for sid, cut in zip(sids, cuts, strict=True) if cut}
        if missing <= 0:
            break
    return found


def tiers(series: Mapping[str, SeriesMeta]) -> tuple[Sequence[str], Sequence[str]]:
    """The series that are folded first, and those that come after them."""
    speak = speaking(series)
    shown = {(meta.file, meta.generation) for meta in series.values() if meta.metric}
    others = [sid for sid, meta in series.items() if meta.rank not in speak]
    raw = [
        sid
        for sid, meta in series.items()
        if meta.rank in speak and not meta.metric and (meta.file, meta.generation) in shown
    ]
    return others, raw


def speaking(series: Mapping[str, SeriesMeta]) -> set[int | None]:
    """The ranks that may speak for the run, whatever its layout: none, 0, and the highest that has a metric."""
    highest: dict[str, int] = {}
    for meta in series.values():
        if meta.rank is not None:
            name = meta.metric or ""  # the highest rank of all tags speaks for a run without any metric
            highest[name] = max(highest.get(name, 0), meta.rank)
    return {None, 0, *highest.values()}


def _window(points: Ints, missing: int) -> int:
    """How many points of each series may stay exact, so that enough is made free: the most, or WINDOW."""
    low, high = WINDOW, max(WINDOW, int(points.max(initial=0)))
    while low < high:
        middle = (low + high + 1) // 2
        if int(_freed(_cuts(points, middle)).sum()) >= missing:
            low = middle
        else:
            high = middle - 1
    return low


def _cuts(points: Ints, window: int) -> Ints:
    """How many points of each series are folded for that, in whole buckets."""
    cuts = np.clip(points - window, 0, MOST) // BUCKET_POINTS * BUCKET_POINTS
    return np.where(cuts < LEAST, 0, cuts)


def _freed(cuts: Ints) -> Ints:
    return cuts * POINT_BYTES - cuts * folded_bytes(BUCKET_POINTS) // BUCKET_POINTS
