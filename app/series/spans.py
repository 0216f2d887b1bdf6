"""Stretches of NaN and of infinities, with their exact lengths, whatever is drawn of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.series.curve import Flags, Ints
from app.series.parts import DOWN, NAN, NO_RUNS, UP, Line, Piece, Runs

Kind = Literal["nan", "up", "down"]
KINDS: dict[int, Kind] = {NAN: "nan", UP: "up", DOWN: "down"}


@dataclass(frozen=True, slots=True)
class Span:
    """One stretch of one attempt: NaN, +infinity (up) or -infinity (down). Walls are Unix seconds, None = no clock."""

    kind: Kind
    first_step: int
    last_step: int
    first_wall: float | None
    last_wall: float | None


def runs(line: Line) -> Runs:
    """Every stretch of the line, by position; what goes on from one piece to the next is one stretch."""
    found = [_of(piece, base) for piece, base in zip(line.pieces, line.bases().tolist(), strict=False)]
    found = [one for one in found if len(one)]
    if not found:
        return NO_RUNS
    starts = np.concatenate([one.starts for one in found])
    ends = np.concatenate([one.ends for one in found])
    kinds = np.concatenate([one.kinds for one in found])
    begins = np.concatenate([[True], ~_continues(line, starts, ends, kinds)])
    return Runs(starts[begins], ends[np.concatenate([begins[1:], [True]])], kinds[begins])


def _of(piece: Piece, base: int) -> Runs:
    mine = piece.part.runs
    if not len(mine):
        return mine
    chosen = slice(
        int(np.searchsorted(mine.ends, piece.start, side="right")), int(np.searchsorted(mine.starts, piece.end))
    )
    starts = np.maximum(mine.starts[chosen], piece.start) + (base - piece.start)
    ends = np.minimum(mine.ends[chosen], piece.end) + (base - piece.start)
    return Runs(starts, ends, mine.kinds[chosen])


def _continues(line: Line, starts: Ints, ends: Ints, kinds: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> Flags:
    """Of each run but the first whether it goes on with the one before: same kind, same attempt, nothing between."""
    goes: Flags = (starts[1:] == ends[:-1]) & (kinds[1:] == kinds[:-1])
    at = np.flatnonzero(goes)
    if len(at):
        before, after = line.take(ends[at] - 1), line.take(starts[at + 1])
        goes[at] = before.attempts == after.attempts
    return goes


def spans(line: Line, found: Runs, most: int) -> tuple[list[Span], int]:
    """At most ``most`` (at least 2) of the stretches, and how many others there are: first, last and longest ones."""
    if not len(found):
        return [], 0
    kept = _worth(found, most)
    first, last = line.take(found.starts[kept]), line.take(found.ends[kept] - 1)
    told = [
        Span(KINDS[kind], start, end, _wall(began), _wall(ended))
        for kind, start, end, began, ended in zip(
            found.kinds[kept].tolist(),
            first.steps.tolist(),
            last.steps.tolist(),
            first.walls.tolist(),
            last.walls.tolist(),
            strict=True,
        )
    ]
    return told, len(found) - len(kept)


def _worth(found: Runs, most: int) -> Ints:
    if len(found) <= most:
        return np.arange(len(found))
    lengths = found.ends - found.starts
    lengths[[0, -1]] = np.iinfo(np.int64).max
    return np.sort(np.argsort(-lengths, kind="stable")[:most])


def _wall(wall: float) -> float | None:
    return wall if np.isfinite(wall) else None
