"""What the lines of a log say about where time went: spans of evaluations and checkpoints, starts, signs of life.

Times are whole milliseconds of the log's own clock, so that sums of them are exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.series.curve import Ints
from collector.wire.records import RunEvent

Work = Literal["evaluation", "checkpoint"]

WORKS: dict[str, Work] = {"eval": "evaluation", "checkpoint": "checkpoint"}
STARTS = ("start", "resume", "compile", "train")
ENDS = ("end", "traceback", "nan_stop", "norm_stop")  # after these a job does not go on
LATEST = 1e11  # Unix seconds; a clock beyond the year 5000 is none

# Eval result: {'PerplexityMetric': {'loss': 4.2}}, eval time is 1.500000 s.   … epoch 1 step 500 using 2.123 seconds
_TOOK = re.compile(r"(?:eval time is|using) (\d{1,9}(?:\.\d{1,9})?) s")
# Starting Evaluate Model   Saving ckpt
_BEGINS = re.compile(r"Starting Evaluate|Saving ckpt")


@dataclass(frozen=True, slots=True)
class Mark:
    """One line: what it tells, when, and how long the work took that ended there (0 = it does not say).
    ``begins``: the work begins there. ``step``: the newest one by then."""

    at: int
    kind: str
    begins: bool
    took: int
    step: int | None

    @property
    def work(self) -> Work | None:
        """What the line is about, if it is one of WORKS."""
        return WORKS.get(self.kind)


@dataclass(frozen=True, slots=True)
class Spans:
    """Times of one kind of work: spans whose ends are known, sorted and apart, and lines of unknown length."""

    starts: Ints
    ends: Ints
    at: Ints

    @property
    def lengths(self) -> list[int]:
        """Milliseconds of each known span."""
        return [int(one) for one in self.ends - self.starts]


def milliseconds(wall: float | None) -> int | None:
    """Whole milliseconds of a clock; None when it is missing or none."""
    return round(wall * 1000) if wall is not None and 0 < wall < LATEST else None


def took(text: str) -> int:
    """The milliseconds that a line says its work took; 0 when it does not."""
    said = _TOOK.search(text)
    return round(float(said[1]) * 1000) if said else 0


def marks(events: Iterable[RunEvent], rank: int | None) -> list[Mark]:
    """Lines whose time is known, each once though two files of a rank hold it, in order of time. Of a rank that tells
    of starts, checkpoints and evaluations itself, only its own: others do the same at the same time."""
    timed = list(_stamped(events))
    own = [(at, one) for at, one in timed if one.rank in (rank, None)]
    chosen = own if any(one.kind in (*STARTS, *WORKS) for _, one in own) else timed
    found = {_mark(at, one): None for at, one in chosen}
    return sorted(found, key=lambda mark: mark.at)


def _stamped(events: Iterable[RunEvent]) -> Iterator[tuple[int, RunEvent]]:
    """Each line with its time. One that ends a job may have no clock (a traceback never has one): its job died after
    the line before it in its file."""
    last: dict[tuple[str, int], int] = {}
    for one in events:
        key = one.file, one.generation
        at = milliseconds(one.wall)
        if at is None and one.wall is None and one.kind in ENDS and key in last:
            at = last[key] + 1
        if at is not None:
            last[key] = at
            yield at, one


def _mark(at: int, event: RunEvent) -> Mark:
    if event.kind not in WORKS:
        return Mark(at, event.kind, False, 0, event.step)
    return Mark(at, event.kind, bool(_BEGINS.search(event.text)), took(event.text), event.step)


def spans(told: Sequence[Mark], work: Work) -> Spans:
    """When one kind of work was done, as far as its lines say."""
    known: list[tuple[int, int]] = []
    lone: list[int] = []
    begun: int | None = None
    for mark in (one for one in told if one.work == work):
        if mark.begins:
            lone += [] if begun is None else [begun]
            begun = mark.at
            continue
        since = mark.at - mark.took if mark.took else begun
        if since is None or since == mark.at:
            lone.append(mark.at)
        else:
            known.append((since, mark.at))
        begun = None
    lone += [] if begun is None else [begun]
    starts, ends = _apart(known)
    return Spans(starts, ends, np.array(sorted(lone), dtype=np.int64))


def _apart(known: list[tuple[int, int]]) -> tuple[Ints, Ints]:
    """Spans joined where they overlap."""
    joined: list[list[int]] = []
    for start, end in sorted(known):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    pairs = np.array(joined, dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0].copy(), pairs[:, 1].copy()
