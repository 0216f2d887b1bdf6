"""Stored series → one curve: attempts, then twins, then sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.series.attempts import Timeline, number
from app.series.curve import SOURCES, Curve, concat
from app.series.recount import aligned
from app.series.splice import splice
from app.series.weave import natural, together
from collector.wire.records import SeriesMeta


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """One series as it lies in the store."""

    meta: SeriesMeta
    curve: Curve


def assemble(series: Sequence[Stored], known: Timeline) -> Curve:
    """One metric (or tag) of one rank: by attempt, and within an attempt in order of arrival."""
    ranked = [_numbered([one for one in series if one.meta.source == source], known) for source in SOURCES]
    found = {int(one) for files in ranked for curve in files.values() for one in np.unique(curve.attempts)}
    return concat([_attempt(ranked, attempt) for attempt in sorted(found)])


def _numbered(series: Sequence[Stored], known: Timeline) -> Mapping[str, Curve]:
    """File → its points with their attempts, generation after generation."""
    parts: dict[tuple[str, int], list[Stored]] = {}
    for one in sorted(series, key=lambda it: (natural(it.meta.file), it.meta.generation)):
        parts.setdefault((one.meta.file, one.meta.generation), []).append(one)
    files: dict[str, list[Curve]] = {}
    for (file, _), tags in parts.items():
        # Two tags of one file with one meaning ("loss" and "loss/auto"): the longer tells, the other completes it.
        longest = sorted(tags, key=lambda it: len(it.curve), reverse=True)
        whole = splice([one.curve for one in longest])
        whole = whole.of_attempts(number(tags[0].meta, whole, known))
        files.setdefault(file, []).append(aligned(tags[0].meta, whole, known.starts))
    return {file: concat(curves) for file, curves in files.items()}


def _attempt(ranked: Sequence[Mapping[str, Curve]], attempt: int) -> Curve:
    files = [[_of(curve, attempt) for curve in curves.values()] for curves in ranked]
    return splice([together(source, mine) for source, mine in zip(SOURCES, files, strict=True)])


def _of(curve: Curve, attempt: int) -> Curve:
    mine = curve.attempts == attempt
    return curve if mine.all() else curve.take(mine)
