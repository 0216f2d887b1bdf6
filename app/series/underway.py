"""What a run is doing while it writes no point: an evaluation, a checkpoint, a start. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.series.marks import ENDS, STARTS, Mark, Work, marks, spans
from collector.wire.records import RunEvent

Doing = Literal["evaluation", "checkpoint", "startup"]
FAR = 3.0  # so many usual lengths are far more than usual
FEWEST_DONE = 2  # works after which it can be said when the next is due


@dataclass(frozen=True, slots=True)
class Underway:
    """``told``: a line says that it began; else it is due at this step. ``elapsed``: seconds of the log's clock from
    its line to the newest sign of life; what came since must be added. ``usual``: seconds that it takes in this run."""

    doing: Doing
    told: bool
    elapsed: float
    usual: float | None

    def is_overdue(self, silent: float, patience: float) -> bool | None:
        """Whether ``silent`` seconds after the newest sign of life it has taken far longer than usual; None when this
        run has not shown yet how long it takes."""
        if self.usual is None:
            return None
        return self.elapsed + silent > FAR * self.usual + patience


def underway(
    later: Sequence[RunEvent],
    every: Sequence[RunEvent],
    *,
    step: int | None,
    interval: float,
    wall: float | None,
    usual: Mapping[Doing, float],
) -> Underway | None:
    """``later``: what the newest attempt's lines told after its last point, which stands at ``step`` and ``wall``;
    ``every``: all events. ``interval``: steps between two points. ``usual``: seconds, as far as they are known."""
    told = marks(later, None)
    begun = _begun(told)
    if begun is not None:
        newest = max([one.at for one in told] + ([] if wall is None else [round(wall * 1000)]))
        doing: Doing = begun.work or "startup"
        return Underway(doing, True, max(0, newest - begun.at) / 1000, usual.get(doing))
    if told and any(one.work or one.kind in ENDS for one in told):
        return None  # it was done, and is over
    return _due(every, step, interval, usual)


def lengths(events: Sequence[RunEvent]) -> dict[Doing, float]:
    """Seconds that works usually take, by what their lines say alone."""
    told = marks(events, None)
    works: tuple[Work, ...] = ("evaluation", "checkpoint")
    found = {work: spans(told, work).lengths for work in works}
    return {work: float(np.median(one)) / 1000 for work, one in found.items() if one}


def _begun(told: Sequence[Mark]) -> Mark | None:
    """The newest line that something begins, unless a later one says that it is over. Of several lines of one start
    the first."""
    begun: Mark | None = None
    for mark in told:
        if mark.kind in STARTS:
            begun = begun if begun is not None and begun.kind in STARTS else mark
        elif mark.work is not None:
            begun = mark if mark.begins else None
        elif mark.kind in ENDS:
            begun = None
    return begun


def _due(every: Sequence[RunEvent], step: int | None, interval: float, usual: Mapping[Doing, float]) -> Underway | None:
    """The longest work of those that come at regular steps and are due between the last point and the next."""
    if step is None:
        return None
    works: tuple[tuple[str, Doing], ...] = (("eval", "evaluation"), ("checkpoint", "checkpoint"))
    due = [work for kind, work in works if work in usual and _comes(every, kind, step, interval)]
    longest = max(due, key=lambda work: usual[work], default=None)
    return None if longest is None else Underway(longest, False, 0.0, usual[longest])


def _comes(every: Sequence[RunEvent], kind: str, step: int, interval: float) -> bool:
    done = sorted({one.step for one in every if one.kind == kind and one.step is not None and one.step <= step})
    if len(done) < FEWEST_DONE:
        return False
    period = float(np.median(np.diff(done)))
    return step <= done[-1] + period < step + interval
