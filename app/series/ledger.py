"""Where the time of a run went: training that counts, work thrown away, and everything that is no training.

Which copy of a step that was done twice is lost? The older one: the newer attempt began from a checkpoint before it,
so nothing of it is in the model. It is also the copy that the curve leaves out and draws as a ghost. So the ratio falls
once, when a job goes back, and a running attempt's own time is never taken back from it.

The time between two points counts as training at whatever speed it goes, up to twice the usual pause hereabouts; what
is longer goes to the evaluations and checkpoints that the log tells of, and else is a stall. Slow training is the
freshness line's and the step-time curve's affair.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Literal, get_args

import numpy as np

from app.series.attempts import Attempt
from app.series.curve import Curve, Floats
from app.series.interlude import Interlude, after, before, between
from app.series.marks import Mark, Spans, Work, spans
from app.series.pauses import FEWEST, OFTEN, Pace, Split, split
from app.series.stretches import CHUNK, FORGETFUL, RECENT, Remember, Soundness, Stretch, soundness, stretches_of

Cause = Literal["productive", "redone", "evaluation", "checkpoint", "startup", "stalled", "down"]
Unknown = Literal["no_log", "no_start", "clock_back"]
HABIT = 16  # chunks of the newest attempt whose paces are kept: a quarter of a million pauses
Activity = Literal["evaluation", "checkpoint", "startup"]

CAUSES: tuple[Cause, ...] = get_args(Cause)


@dataclass(frozen=True, slots=True)
class Ledger:
    """Milliseconds by cause, whole, so that their sum is the total exactly. ``steps_lost``: steps that were done and
    thrown away. ``usual_ms``: the usual length of each work and of a start, as far as this run has shown it. ``paces``:
    the usual step time of the newest attempt, stretch by stretch. ``unknown``: what the files do not let one tell."""

    parts: Mapping[Cause, int]
    steps_lost: int = 0
    attempts: int = 0
    stalls: int = 0
    longest_stall_ms: int = 0
    stall_step: int | None = None
    usual_ms: Mapping[Activity, int] = field(default_factory=dict)
    paces: Sequence[Pace] = ()
    unknown: tuple[Unknown, ...] = ()

    @property
    def total(self) -> int:
        """All of it."""
        return sum(self.parts.values())

    @property
    def ratio(self) -> float | None:
        """The effective-training-time ratio: productive time over all of it; None while there is none."""
        return self.parts["productive"] / self.total if self.total else None

    @property
    def lost(self) -> int:
        """What was no training that counts."""
        return self.total - self.parts["productive"]

    @property
    def overhead(self) -> float:
        """Time a second of training that evaluations and checkpoints take."""
        trained = self.parts["productive"] + self.parts["redone"]
        return (self.parts["evaluation"] + self.parts["checkpoint"]) / trained if trained else 0.0


def ledger(
    curve: Curve,
    attempts: Sequence[Attempt],
    told: Sequence[Mark],
    *,
    printed_ms: float | None = None,
    remember: Remember = FORGETFUL,
) -> Ledger | None:
    """The ledger of the run whose points ``curve`` holds, of one source, by attempt; None when no clock tells time.
    ``told``: what the log's lines tell by the same clock (none: only what points can tell is told); ``printed_ms`` is
    the step time that the run prints; ``remember`` may keep what is asked for by a key, so that only new points are
    looked at again."""
    sound = soundness(curve, remember)
    stretches = stretches_of(curve, attempts, sound)
    if not stretches and not told:
        return None
    works: dict[Work, Spans] = {work: spans(told, work) for work in ("evaluation", "checkpoint")}
    usual = _usual(stretches, printed_ms)
    found = [_split(one, works, usual, printed_ms, remember, is_rising=sound.rising) for one in stretches]
    gaps = list(_gaps(stretches, told, works, usual))
    return _summed(stretches, found, gaps, works, _unknown(stretches, gaps, told, sound))


def _usual(stretches: Sequence[Stretch], printed_ms: float | None) -> float:
    """Milliseconds a step of the newest pauses of the run; 0 when nothing tells."""
    rates: list[Floats] = []
    for one in reversed(stretches):
        pause, done = np.diff(one.walls[-RECENT:]) * 1000, np.diff(one.steps[-RECENT:].astype(np.float64))
        usable = (pause > 0) & (done > 0)
        rates.append(pause[usable] / done[usable])
        if sum(map(len, rates)) >= RECENT:
            break
    every = np.concatenate([*rates, np.zeros(0)])
    middle = float(np.median(every)) if len(every) else None
    if printed_ms is not None and (middle is None or (len(every) < FEWEST and printed_ms < middle)):
        return printed_ms
    return middle or 0.0


def _split(
    one: Stretch,
    works: Mapping[Work, Spans],
    usual: float,
    printed_ms: float | None,
    remember: Remember,
    *,
    is_rising: bool,
) -> list[Split]:
    """What the pauses of one attempt went to, chunk by chunk."""
    found = []
    for start in range(0, len(one.steps) - 1, CHUNK):
        steps, walls = one.steps[start : start + CHUNK + 1], one.walls[start : start + CHUNK + 1]
        first, last = (walls[0], walls[-1]) if is_rising else (walls.min(), walls.max())
        mine = {work: _within(it, float(first) * 1000, float(last) * 1000) for work, it in works.items()}
        whole = len(steps) == CHUNK + 1
        often = sum(len(it.at) + len(it.starts) for it in mine.values()) > OFTEN * len(steps)
        asked = partial(
            split,
            steps,
            walls,
            mine,
            usual=0.0 if whole else usual,
            lost_from=one.lost_from if one.lost_from <= steps[-1] else np.inf,
            printed=printed_ms if often else None,
        )
        ends = (int(steps[0]), float(walls[0]), int(steps[-1]), float(walls[-1]))
        told = tuple(part.tobytes() for it in mine.values() for part in (it.starts, it.ends, it.at))
        key = ("split", one.attempt.attempt, start, ends, *sorted(asked.keywords.items()), told)
        found.append(remember(key, asked) if whole else asked())
    return found


def _within(one: Spans, first: float, last: float) -> Spans:
    """The spans that touch the time from ``first`` to ``last``."""
    low, high = np.searchsorted(one.ends, first), np.searchsorted(one.starts, last, side="right")
    lone = slice(*np.searchsorted(one.at, [first, last + 1]))
    return Spans(one.starts[low:high], one.ends[low:high], one.at[lone])


def _gaps(
    stretches: Sequence[Stretch], told: Sequence[Mark], works: Mapping[Work, Spans], usual: float
) -> Iterable[Interlude]:
    """What lies before, between and after the attempts' points."""
    for place, one in enumerate(stretches):
        first, step_ms = one.first_ms, one.interval * usual
        if place == 0:
            yield before(first, [mark for mark in told if mark.at <= first], step_ms)
            continue
        last = stretches[place - 1]
        since = last.last_ms
        inside = [mark for mark in told if since <= mark.at <= first]
        lost = bool(last.steps[-1] >= last.lost_from)
        yield between(since, first, inside, works, step_ms=step_ms, tail_ms=last.interval * usual, lost=lost)
    if stretches:
        last = stretches[-1]
        since = last.last_ms
        yield after(since, [mark for mark in told if mark.at >= since], works, tail_ms=last.interval * usual)
    else:
        yield before(None, told, 0.0)


def _unknown(
    stretches: Sequence[Stretch], gaps: Sequence[Interlude], told: Sequence[Mark], sound: Soundness
) -> tuple[Unknown, ...]:
    found: list[Unknown] = []
    if not told:
        found.append("no_log")
    elif any(not one.started for one in gaps[: len(stretches)]):
        found.append("no_start")
    if sound.clocked and not sound.rising:
        found.append("clock_back")
    return tuple(found)


def _summed(
    stretches: Sequence[Stretch],
    parts: Sequence[Sequence[Split]],
    gaps: Sequence[Interlude],
    works: Mapping[Work, Spans],
    unknown: tuple[Unknown, ...],
) -> Ledger:
    every = [*(part for several in parts for part in several), *(one.tail for one in gaps)]
    sums: dict[Cause, int] = dict.fromkeys(CAUSES, 0)
    for cause in CAUSES:
        if any(one.name == cause for one in fields(Split)):
            sums[cause] = sum(int(getattr(one, cause)) for one in every)
    sums["startup"] = sum(one.startup for one in gaps)
    sums["down"] = sum(one.down for one in gaps)
    worst = max(every, key=lambda one: one.longest_stall, default=Split())
    return Ledger(
        parts=sums,
        steps_lost=sum(_steps_lost(one) for one in stretches),
        attempts=len(stretches),
        stalls=sum(one.stalls for one in every),
        longest_stall_ms=worst.longest_stall,
        stall_step=worst.stall_step,
        usual_ms=_usual_lengths(parts, gaps, works, stretches[-1].last_ms if stretches else None),
        paces=[pace for part in parts[-1][-HABIT:] for pace in part.paces] if parts else (),
        unknown=unknown,
    )


def _steps_lost(one: Stretch) -> int:
    """Steps of an attempt that a later one did again, as far as its points tell."""
    last, first = float(one.steps[-1]), max(one.lost_from, float(one.steps[0]))
    return max(0, int(last - first) + 1) if np.isfinite(first) and last >= first else 0


def _usual_lengths(
    parts: Sequence[Sequence[Split]], gaps: Sequence[Interlude], works: Mapping[Work, Spans], last: int | None
) -> Mapping[Activity, int]:
    """How long works and starts usually take, as far as this run has shown it: of works whose lines tell no length by
    what they took between points, so that one which is under way after the ``last`` point tells nothing yet."""
    found: dict[Activity, int] = {}
    for work, one in works.items():
        over = int(np.count_nonzero(one.at < last)) if last is not None else 0
        spent = sum(int(getattr(part, work)) for several in parts for part in several)
        if one.lengths:
            found[work] = round(float(np.median(one.lengths)))
        elif over and spent:
            found[work] = spent // over
    starts = [one.start_ms for one in gaps if one.start_ms is not None]
    return {**found, "startup": round(float(np.median(starts)))} if starts else found
