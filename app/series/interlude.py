"""What lies between the points of two attempts: the end of one, the time when no job ran, the start of the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.series.marks import ENDS, STARTS, Mark, Spans, Work
from app.series.pauses import Split, split

NOTHING = Split()


@dataclass(frozen=True, slots=True)
class Interlude:
    """Milliseconds. ``tail``: what an attempt did after its last point and the next one before its first. ``started``:
    whether a line tells when the job that follows began; ``start_ms``: how long it took to its first point."""

    tail: Split = NOTHING
    down: int = 0
    startup: int = 0
    started: bool = False
    start_ms: int | None = None


def before(first: int | None, told: Sequence[Mark], step_ms: float) -> Interlude:
    """Before the very first point at ``first`` (None: there is none yet): from the first start that a line tells of.
    ``step_ms``: what the steps of that point took."""
    starts = [one.at for one in told if one.kind in STARTS]
    if not starts:
        return Interlude()
    end = first if first is not None else told[-1].at
    return _from_start(starts[0], end, told, step_ms, reached=first is not None)


def between(
    since: int,
    first: int,
    told: Sequence[Mark],
    works: Mapping[Work, Spans],
    *,
    step_ms: float,
    tail_ms: float,
    lost: bool,
) -> Interlude:
    """From the last point of one attempt to the first of the next. ``tail_ms``: what the steps up to a point that did
    not come any more would have taken; ``lost``: whether they were done again."""
    if first <= since:  # the clock went back
        return Interlude(started=any(one.kind in STARTS for one in told))
    begun = next((one.at for one in told if one.kind in STARTS), None)
    sign = _last_sign(since, first if begun is None else begun, told)
    tail = _tail(since, sign, works, tail_ms, lost=lost)
    if begun is None:
        trained = min(first - sign, round(step_ms))
        return Interlude(_joined(tail, Split(productive=trained)), down=first - sign - trained)
    rest = _from_start(begun, first, told, step_ms, reached=True)
    return Interlude(_joined(tail, rest.tail), begun - sign + rest.down, rest.startup, True, rest.start_ms)


def after(since: int, told: Sequence[Mark], works: Mapping[Work, Spans], *, tail_ms: float) -> Interlude:
    """After the very last point: as far as lines reach. What comes then is not known yet."""
    if not told:
        return Interlude()
    begun = next((one.at for one in told if one.kind in STARTS and one.at > since), None)
    sign = _last_sign(since, told[-1].at if begun is None else begun, told)
    tail = _tail(since, sign, works, tail_ms, lost=False)
    if begun is None:
        return Interlude(tail)
    rest = _from_start(begun, told[-1].at, told, 0.0, reached=False)
    return Interlude(tail, begun - sign + rest.down, rest.startup, True)


def _last_sign(since: int, until: int, told: Sequence[Mark]) -> int:
    """When the job that had done the last point still said something."""
    return max((one.at for one in told if one.kind not in STARTS and since <= one.at <= until), default=since)


def _tail(since: int, sign: int, works: Mapping[Work, Spans], tail_ms: float, *, lost: bool) -> Split:
    """One pause without a point at its end: steps that were not printed any more, works, and the wait for an end."""
    # a work that the last sign itself tells of was done before it
    inside = {work: replace(one, at=np.where(one.at == sign, sign - 1, one.at)) for work, one in works.items()}
    clock = np.array([since, sign]) / 1000
    return split(np.arange(2.0), clock, inside, usual=tail_ms, lost_from=0 if lost else np.inf, printed=None)


def _from_start(begun: int, end: int, told: Sequence[Mark], step_ms: float, *, reached: bool) -> Interlude:
    """From a start to ``end``; starts that came to nothing are followed by time when no job ran. When the end is a
    point (``reached``), its steps were training."""
    startup = down = 0
    at, is_up = begun, True
    for mark in [one for one in told if begun < one.at < end]:
        if is_up and mark.kind in ENDS:
            startup, at, is_up = startup + mark.at - at, mark.at, False
        elif not is_up and mark.kind in STARTS:
            down, at, is_up = down + mark.at - at, mark.at, True
    last = max(0, end - at)
    trained = min(last, round(step_ms)) if reached else 0
    if not is_up:
        return Interlude(Split(productive=trained), down + last - trained, startup, True)
    length = last - trained
    return Interlude(Split(productive=trained), down, startup + length, True, length if reached else None)


def _joined(one: Split, other: Split) -> Split:
    """Both; stalls are those of ``one``."""
    return Split(
        one.productive + other.productive,
        one.redone + other.redone,
        one.evaluation + other.evaluation,
        one.checkpoint + other.checkpoint,
        one.stalled + other.stalled,
        one.stalls,
        one.longest_stall,
        one.stall_step,
    )
