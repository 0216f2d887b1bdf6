"""Curves that are too long to be read for one picture: short stretches of points, evenly taken. Raises StoreAway.

What is read bounds what it costs, for ten million points as for a thousand million; the first and the last point are
among it. A single extreme between two stretches is missed, so the picture says that it is a sample.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.diagnosis.notify.excerpt import place, points
from app.reader import Wanted, members
from app.series.curve import POINT, Floats, Ints, Points
from app.series.outline import choose
from app.stored import RunSeries, RunStore
from collector.wire.records import unpack_points

WHOLE = 400_000  # points that are all read
STRETCHES, EACH = 2_400, 64  # two a pixel of a usual picture; points of one
Place = tuple[str, int, int]  # series, first place, count


def length(store: RunStore, run: RunSeries, several: Sequence[Wanted]) -> int:
    """How many points the series of some curves have, twins and all."""
    return sum(store.lengths(run.id, [sid for one in several for sid, _ in members(run, one)]))


def glimpse(
    store: RunStore, run: RunSeries, wanted: Wanted, start: int | None, end: int | None
) -> tuple[Ints, Floats, bool]:
    """Steps and values of the window (inclusive, None = open), one value a step, each of the newest attempt that has
    done it; and whether these are all points that there are."""
    stretches = _inside(store, run, _ordered(store, run, wanted), start, end)
    total = sum(count for _, _, count in stretches)
    wholly = total <= WHOLE
    taken = stretches if wholly else [piece for one in stretches for piece in _spread(one, total)]
    blocks = store.ranges(run.id, taken) if taken else ()
    found = np.concatenate([np.zeros(0, POINT), *map(points, blocks)])
    return *_stitched(found, start, end), wholly


def _ordered(store: RunStore, run: RunSeries, wanted: Wanted) -> list[tuple[str, int]]:
    """The series of one source in the order in which they began, with their lengths."""
    mine = dict(members(run, wanted))
    lengths = dict(zip(mine, store.lengths(run.id, [*mine]), strict=True))
    chosen = [sid for sid in choose(mine, lengths) if lengths[sid]]
    heads = [unpack_points(block) for block in store.heads(run.id, chosen)]
    began = {sid: wall for sid, head in zip(chosen, heads, strict=True) for _, wall, _ in head if wall == wall}
    return [(sid, lengths[sid]) for sid in sorted(chosen, key=lambda sid: began.get(sid, float("-inf")))]


def _inside(
    store: RunStore, run: RunSeries, several: Sequence[tuple[str, int]], start: int | None, end: int | None
) -> list[Place]:
    found = []
    for sid, count in several:
        low = 0 if start is None else place(store, run.id, sid, count, start)
        high = count if end is None else place(store, run.id, sid, count, end + 1)
        if high > low:
            found.append((sid, low, high - low))
    return found


def _spread(stretch: Place, total: int) -> list[Place]:
    """Some short stretches of one, as many as its share of all points is."""
    sid, low, count = stretch
    wanted = max(2, round(STRETCHES * count / total))
    if wanted * EACH >= count:
        return [stretch]
    starts = np.unique(np.linspace(low, low + count - EACH, wanted).astype(np.int64)).tolist()
    return [(sid, one, EACH) for one in starts]


def _stitched(found: Points, start: int | None, end: int | None) -> tuple[Ints, Floats]:
    """Without what was done again later, as ``splice.latest`` has it where steps of a file rise."""
    steps: Ints = found["step"].astype(np.int64)
    later = np.minimum.accumulate(steps[::-1])[::-1] if len(steps) else steps
    kept = np.concatenate([steps[:-1] < later[1:], np.ones(min(1, len(steps)), np.bool_)])
    kept &= (steps >= (steps if start is None else start)) & (steps <= (steps if end is None else end))
    return steps[kept], found["value"][kept].astype(np.float64)
