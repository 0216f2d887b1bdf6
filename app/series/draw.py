"""What is drawn of a line: few enough points for a panel, and nothing hidden that a person would miss.

Of at most ``points`` points, in this order: the first and the last; set flags, where the metric is one; of each
stretch of NaN or infinity its first point (a quarter of the points; of more stretches some, evenly); of the finite
points that have such a stretch on both sides each, then those that have one on one side, so that a line reaches its
gaps (another quarter; of more some, evenly: lone ones that are left out are counted); and with all that is left, the
lowest and the highest finite value of as many buckets of equal count. Counts and spans are of the whole line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from app.series.curve import Curve, Floats, Ints
from app.series.parts import DOWN, LEAF, NAN, UP, Line, Piece, Runs
from app.series.reduce import LEAST
from app.series.spans import Span, runs, spans

SPANS = 300  # stretches that are told one by one; a panel is a thousand pixels wide
FINE = 2  # leaves a bucket; with fewer, every point is looked at, so that buckets are of equal width


@dataclass(frozen=True, slots=True)
class Drawn:
    """What is drawn of ``total`` points. ``nan`` and ``inf`` count all there are; ``hidden_lone`` finite points
    between strange ones that are not drawn; ``hidden_spans`` stretches that are not among ``spans``."""

    curve: Curve
    total: int
    nan: int
    inf: int
    hidden_lone: int
    spans: Sequence[Span]
    hidden_spans: int


def draw(line: Line, points: int, *, flags: bool = False) -> Drawn:
    """At most ``max(points, LEAST)`` points, in their order; 0 means all. ``flags``: values above zero are set."""
    total, found = len(line), runs(line)
    lengths = found.ends - found.starts
    nan = int(lengths[found.kinds == NAN].sum())
    told, more = spans(line, found, SPANS)
    budget = max(points, LEAST)
    lost = 0
    if points == 0 or total <= budget:
        curve = line.curve()
    else:
        kept, lost = _kept(line, found, budget, flags=flags)
        curve = line.take(kept)
    return Drawn(curve, total, nan, int(lengths.sum()) - nan, lost, told, more)


def _kept(line: Line, found: Runs, budget: int, *, flags: bool) -> tuple[Ints, int]:
    """Positions that are drawn, and how many lone points are not."""
    total = len(line)
    room = budget - 2
    kept = [np.array([0, total - 1])]
    if flags:
        kept.append(thinned(_set(line), room))
        room -= len(kept[-1])
    kept.append(_marks(found, min(room, budget // 4)))
    room -= len(kept[-1])
    lone, rims = _beside(found, total)
    kept.append(thinned(lone, min(room, budget // 4)))
    kept.append(thinned(rims, min(room, budget // 4) - len(kept[-1])))
    room -= len(kept[-1]) + len(kept[-2])
    kept.append(_extremes(line, room // 2))
    every = np.sort(np.concatenate(kept))
    every = every[np.concatenate([[True], every[1:] > every[:-1]])]
    return every, len(lone) - int(np.isin(lone, every).sum()) if len(lone) else 0


def thinned(found: Ints, room: int) -> Ints:
    """At most ``room`` of them, evenly, the first and the last among them."""
    if len(found) <= room:
        return found
    return found[np.linspace(0, len(found) - 1, max(0, room)).astype(np.int64)]


def _set(line: Line) -> Ints:
    bases = line.bases().tolist()
    return np.concatenate(
        [np.flatnonzero(one.curve().values > 0) + base for one, base in zip(line.pieces, bases, strict=False)]
    )


def _marks(found: Runs, room: int) -> Ints:
    """The first point of each stretch; where they are too many, each kind has its share."""
    groups = sorted((found.starts[found.kinds == kind] for kind in (NAN, UP, DOWN)), key=len)
    marks = [np.zeros(0, dtype=np.int64)]
    for number, group in enumerate(groups):
        marks.append(thinned(group, room // (len(groups) - number)))
        room -= len(marks[-1])
    return np.concatenate(marks)


def _beside(found: Runs, total: int) -> tuple[Ints, Ints]:
    """Finite points with a strange one before and after, and those with one on one side alone."""
    if not len(found):
        return found.starts, found.starts
    apart = found.starts[1:] > found.ends[:-1]
    before = found.starts[np.concatenate([[bool(found.starts[0] > 0)], apart])] - 1
    after = found.ends[np.concatenate([apart, [bool(found.ends[-1] < total)]])]
    lone = np.intersect1d(before, after, assume_unique=True)
    return lone, np.setxor1d(before, after, assume_unique=True)


def _extremes(line: Line, buckets: int) -> Ints:
    """The lowest and the highest finite value of each of ``buckets`` stretches of equal count."""
    if buckets < 1:
        return np.zeros(0, dtype=np.int64)
    fine = len(line) <= FINE * LEAF * buckets
    bases = line.bases().tolist()
    found = [
        one for piece, base in zip(line.pieces, bases, strict=False) for one in _candidates(piece, base, fine=fine)
    ]
    chosen = []
    for highest in (False, True):
        positions = np.concatenate([one.highs if highest else one.lows for one in found])
        values = np.concatenate([one.high_values if highest else one.low_values for one in found])
        groups = np.concatenate([one.anchors for one in found]) * buckets // len(line)
        chosen.append(positions[_first_best(values, groups, highest=highest)])
    return np.concatenate(chosen)


@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    """Finite points that may be the most extreme of a bucket: positions and values, and where what each of them stands
    for begins."""

    anchors: Ints
    lows: Ints
    low_values: Floats
    highs: Ints
    high_values: Floats


def _candidates(piece: Piece, base: int, *, fine: bool) -> Iterator[_Candidates]:
    """Of a whole leaf its two extremes alone; of one that the piece cuts, and of all that must be fine, each point."""
    whole = len(piece.part)
    first = -(-piece.start // LEAF)
    last = -(-whole // LEAF) if piece.end == whole else piece.end // LEAF
    if fine or first >= last:
        yield _each(piece, piece.start, piece.end, base)
        return
    if piece.start < first * LEAF:
        yield _each(piece, piece.start, first * LEAF, base)
    yield _leaves(piece, first, last, base)
    if last * LEAF < piece.end:
        yield _each(piece, last * LEAF, piece.end, base)


def _leaves(piece: Piece, first: int, last: int, base: int) -> _Candidates:
    lows, highs = piece.part.lows, piece.part.highs
    chosen = np.arange(first, last)
    if len(piece.part.runs):
        chosen = chosen[lows.at[chosen] >= 0]
    shift = base - piece.start
    return _Candidates(
        chosen * LEAF + shift,
        lows.at[chosen].astype(np.int64) + shift,
        lows.values[chosen],
        highs.at[chosen].astype(np.int64) + shift,
        highs.values[chosen],
    )


def _each(piece: Piece, start: int, end: int, base: int) -> _Candidates:
    values = piece.part.curve.values[start:end]
    at = np.flatnonzero(np.isfinite(values)) if len(piece.part.runs) else np.arange(end - start)
    positions = at + (start + base - piece.start)
    return _Candidates(positions, positions, values[at], positions, values[at])


def _first_best(values: Floats, groups: Ints, *, highest: bool) -> Ints:
    """The first lowest (or highest) value of each group; groups rise."""
    if not len(values):
        return np.zeros(0, dtype=np.int64)
    starts = np.flatnonzero(np.concatenate([[True], groups[1:] != groups[:-1]]))
    best = (np.maximum if highest else np.minimum).reduceat(values, starts)
    at = np.flatnonzero(values == np.repeat(best, np.diff(np.concatenate([starts, [len(values)]]))))
    firsts: Ints = at[np.concatenate([[True], groups[at[1:]] != groups[at[:-1]]])]
    return firsts
