"""A line by attempts: the stitched one, one attempt alone, and the tails that were abandoned.

The same rules as ``splice.latest``, but where attempts follow each other cleanly no point is copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from app.series.parts import Line, Piece, between, line
from app.series.splice import ends, latest


def stitched(whole: Line, first_steps: Sequence[int]) -> Line:
    """What ``splice.latest`` says: one value a step, each of the newest attempt that has done it."""
    kept = _cut(whole, ends(first_steps).tolist())
    if kept is not None and all(_follows(one, other) for one, other in pairwise(kept.pieces)):
        return kept
    return line(latest(whole.curve(), first_steps))


def _cut(whole: Line, limits: Sequence[int]) -> Line | None:
    """Of each attempt what no later one has done again; None where that takes a look at every single point."""
    if any(one.part.attempt is None or not one.part.climbs for one in whole.pieces):
        return None
    pieces: list[Piece] = []
    for one in whole.pieces:
        attempt = one.part.attempt or 1
        limit = limits[min(max(attempt, 1), len(limits)) - 1] if limits else None
        pieces += between(Line((one,)), None, None if limit is None else limit - 1).pieces
    return Line(tuple(pieces))


def _follows(one: Piece, other: Piece) -> bool:
    return bool(one.part.curve.steps[one.end - 1] < other.part.curve.steps[other.start])


def alone(whole: Line, attempt: int) -> Line:
    """The points of one attempt."""
    pieces: list[Piece] = []
    for one in whole.pieces:
        if one.part.attempt == attempt:
            pieces.append(one)
        elif one.part.attempt is None:
            mine = one.curve()
            pieces += line(mine.take(mine.attempts == attempt)).pieces
    return Line(tuple(pieces))


def abandoned(whole: Line, attempt: int, first_steps: Sequence[int]) -> Line:
    """The points of ``attempt`` from the step on at which a later one began again; nothing of the newest attempt."""
    if not 0 < attempt < len(first_steps):
        return Line(())
    return between(alone(whole, attempt), int(np.min(first_steps[attempt:])), None)
