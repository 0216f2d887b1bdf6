"""A curve at some steps, out of the stored series that tell of it there: what ``assemble`` says of all steps. Pure.

Every rule of it holds step by step, except which of several files is the longer and whether all of a file's points
have a clock; both are known from the first look (``survey.Surveyed``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from app.export.survey import Surveyed
from app.series.curve import EMPTY, Curve, concat
from app.series.splice import splice
from app.series.twins import join
from app.series.weave import natural

Key = TypeVar("Key", int, tuple[tuple[int, str], ...])


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Points of one attempt of one stored series, in order of arrival."""

    of: Surveyed
    curve: Curve


@dataclass(frozen=True, slots=True, eq=False)
class _File:
    curve: Curve
    clocked: int
    clockless: int


def woven(pieces: Sequence[Piece], attempt: int) -> Curve:
    """The curve of one attempt and one source, by step, and within a step as it came. There is a piece of every series
    that has points of the attempt, empty where it has none at these steps."""
    if len(pieces) == 1:
        return by_step(pieces[0].curve)
    files = [_file(several, attempt) for several in _grouped(pieces, _file_of)]
    if not any(len(one.curve) for one in files):
        return EMPTY
    if pieces[0].of.meta.source == "log":
        return by_step(join([one.curve for one in files], [(one.clocked, one.clockless) for one in files]))
    whole = concat([one.curve for one in files])
    if len(files) > 1 and not any(one.clockless for one in files):
        whole = whole.take(np.argsort(whole.walls, kind="stable"))
    return by_step(whole)


def by_step(curve: Curve) -> Curve:
    """The same points in order of steps; of equal ones in the order in which they are."""
    if (curve.steps[1:] >= curve.steps[:-1]).all():
        return curve
    return curve.take(np.argsort(curve.steps, kind="stable"))


def _file_of(piece: Piece) -> tuple[tuple[int, str], ...]:
    return tuple(natural(piece.of.meta.file))


def _generation_of(piece: Piece) -> int:
    return piece.of.meta.generation


def _file(pieces: Sequence[Piece], attempt: int) -> _File:
    """One file, generation after generation; of two tags with one meaning the longer tells, the other completes it."""
    curves = [
        splice([one.curve for one in sorted(tags, key=lambda one: one.of.length, reverse=True)])
        for tags in _grouped(pieces, _generation_of)
    ]
    clocked = sum(one.of.clocked.get(attempt, 0) for one in pieces)
    return _File(concat(curves), clocked, sum(one.of.clockless.get(attempt, 0) for one in pieces))


def _grouped(pieces: Sequence[Piece], key: Callable[[Piece], Key]) -> list[list[Piece]]:
    """The pieces of equal keys together, in order of keys."""
    found: dict[Key, list[Piece]] = {}
    for one in pieces:
        found.setdefault(key(one), []).append(one)
    return [found[one] for one in sorted(found)]
