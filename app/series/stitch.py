"""A line by attempts: the stitched one, one attempt alone, and the tails that were abandoned.

The same rules as ``splice.latest``, but where attempts follow each other cleanly no point is copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from app.series.parts import Line, Piece, between, line
from app.series.splice import NOWHERE, ends, latest


def stitched(whole: Line, first_steps: Sequence[int]) -> Line:
    """What ``splice.latest`` says: one value a step, each of the newest attempt that has done it."""
    limits = ends(first_steps).tolist()
    if all(one.part.attempt is not None for one in whole.pieces):
        kept = [mine for one in whole.pieces for mine in _kept(one, limits)]
        if all(_follows(one, other) for one, other in pairwise(kept)):
            return Line(tuple(kept))
    return line(latest(whole.curve(), first_steps))


def _kept(piece: Piece, limits: Sequence[int]) -> Sequence[Piece]:
    """Of one attempt what no later one has done again, each step once; a part that slipped back is put in order."""
    attempt = max(1, piece.part.attempt or 1)
    limit = limits[min(attempt, len(limits)) - 1] if limits else NOWHERE
    mine = Line((piece,)) if piece.part.climbs else line(latest(piece.curve(), ()))
    return mine.pieces if limit == NOWHERE else between(mine, None, limit - 1).pieces


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
    return between(alone(whole, attempt), min(first_steps[attempt:]), None)
