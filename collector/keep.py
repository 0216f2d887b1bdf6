"""What is packed, and what is folded first when a run has too many bytes of points. Pure.

Never packed nor folded is what speaks for the run: every canonical metric of files without a rank, of rank 0 and of the
highest rank that has it, since attempts, times and findings are told from these, and pages read them again and again.
Of all others, older points are packed, which loses nothing. Beyond the budget what is packed is folded: other ranks'
series first, then the raw tags of those ranks, where their file also has a canonical metric that shows how its steps
went.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from collector.fold import folded_bytes
from collector.pack import whole_chunks
from collector.wire.packed import CHUNK_POINTS
from collector.wire.records import POINT_BYTES, SeriesMeta

WINDOW = 256  # newest points of a series that always stay exact
MOST = 2**18  # points of one fold: the server is busy for some 20 ms
LARGEST = 2**26  # bytes of a series that is folded at all: what stays of it is copied
ROOM = 0.1  # of the budget is made free at once, so that not every look has to fold
TAIL = 256  # points that are not packed yet, until older ones of them are …
SHARE = 8  # … or an eighth of what is packed, since all of that is written again
BESIDE = 128  # the newest are never packed
LONGEST = (
    350_000  # points of a series that is packed by itself: of a longer one APPEND makes less than an eighth of room
)
PACKED_AT_ONCE = 2**15  # points of one series: the server is busy for some milliseconds


@dataclass(frozen=True, slots=True)
class Size:
    """Of one series the bytes of its exact points, how many are packed, in how many bytes, and those of the folded."""

    exact: int
    packed_points: int = 0
    packed: int = 0
    folded: int = 0

    @property
    def bytes(self) -> int:
        """All of them."""
        return self.exact + self.packed + self.folded

    @property
    def points(self) -> int:
        """Those that are exact, packed or not."""
        return self.exact // POINT_BYTES + self.packed_points

    @property
    def weight(self) -> float:
        """Bytes of each of its oldest exact points."""
        return self.packed / self.packed_points if self.packed_points else POINT_BYTES


Sizes = Mapping[str, Size]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def packs(sids: Iterable[str], sizes: Sizes) -> dict[str, int]:
    """Of which of some series to pack how many of their oldest points that are not packed."""
    return {sid: count for sid in sids if (count := _packed(sizes[sid]))}


def _packed(size: Size) -> int:
    tail = size.exact // POINT_BYTES
    if tail < max(TAIL, size.packed_points // SHARE) or size.points > LONGEST:
        return 0
    return min(whole_chunks(tail - BESIDE), PACKED_AT_ONCE)


def plan(series: Mapping[str, SeriesMeta], sizes: Sizes, budget: int) -> dict[str, int]:
    """Of which series to fold how many of their oldest points, so that all of them take less than ``budget``."""
    missing = float(sum(one.bytes for one in sizes.values()) - budget)
    if missing <= 0:
        return {}
    missing += ROOM * budget
    found: dict[str, int] = {}
    for sids in tiers(series):
        mine = [sizes[sid] for sid in sids]
        points = np.array([0 if one.bytes > LARGEST else one.points for one in mine], dtype=np.int64)
        gains = np.array([one.weight for one in mine]) - folded_bytes(CHUNK_POINTS) / CHUNK_POINTS
        cuts = _cuts(points, _window(points, gains, missing))
        missing -= float((cuts * gains).sum())
        found |= {sid: int(cut) for sid, cut in zip(sids, cuts, strict=True) if cut}
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


def _window(points: Ints, gains: Floats, missing: float) -> int:
    """How many points of each series may stay exact, so that enough is made free: the most, or WINDOW."""
    low, high = WINDOW, max(WINDOW, int(points.max(initial=0)))
    while low < high:
        middle = (low + high + 1) // 2
        if float((_cuts(points, middle) * gains).sum()) >= missing:
            low = middle
        else:
            high = middle - 1
    return low


def _cuts(points: Ints, window: int) -> Ints:
    """How many points of each series are folded for that, in whole chunks."""
    cuts: Ints = np.clip(points - window, 0, MOST) // CHUNK_POINTS * CHUNK_POINTS
    return cuts
