"""One run in one line: how far, how fast, how fresh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.series.cadence import Cadence, cadence, slowness
from app.series.clocks import covers
from app.series.curve import EMPTY, Curve
from app.series.eta import eta, of_points
from app.series.freshness import STATUS, Evidence, Freshness, Status, freshness
from app.series.segments import interval
from app.series.trouble import trouble
from app.series.underway import Doing
from app.stored import StoredRun
from collector.wire.metrics import METRICS
from collector.wire.records import Heartbeat, SeriesMeta

PULSE = "loss"
SPEEDS = ("throughput", "tokens_per_second", "tflops")  # the first that a run has is its throughput
WANTED = (PULSE, "step_time", *SPEEDS)


@dataclass(frozen=True, slots=True, eq=False)
class Tail:
    """The newest points of one series, oldest first, and its very first point's time and step."""

    meta: SeriesMeta
    recent: Curve
    began: float | None
    first_step: int | None = None


@dataclass(frozen=True, slots=True)
class Habits:
    """What a run is used to, learnt from all of it: seconds that works and starts take, the usual milliseconds a step,
    those of its newest stretches, and seconds of evaluations and checkpoints a second of training."""

    usual: Mapping[Doing, float] = field(default_factory=dict)
    step_ms: float | None = None
    newest_ms: Sequence[float] = ()
    overhead: float = 0.0


UNKNOWN = Habits()


@dataclass(frozen=True, slots=True)
class Progress:
    """``step_time_ms`` a step, ``throughput`` in ``throughput_unit``, ``eta`` seconds to the last step; it lies between
    ``eta_low`` and ``eta_high``, which are None while the step time hardly varies."""

    step_time_ms: float | None
    throughput: float | None
    throughput_unit: str | None
    eta: float | None
    eta_low: float | None = None
    eta_high: float | None = None


@dataclass(frozen=True, slots=True)
class Overview:
    """What the table of runs and the head of a run show. Times are Unix seconds."""

    status: Status
    step: int | None
    total_steps: int | None
    started: float | None
    updated: float | None
    loss: float | None
    freshness: Freshness
    progress: Progress
    interval: float = 1.0  # steps between two points


def overview(
    run: StoredRun, tails: Sequence[Tail], beats: Sequence[Heartbeat], now: float, habits: Habits = UNKNOWN
) -> Overview:
    """``tails`` holds the owner's series of WANTED, or, when there are none of them, whatever it has; ``habits`` is
    what more than these newest points has shown."""
    losses = [one for one in tails if one.meta.metric == PULSE]
    pulse = newest(losses or tails)
    times = newest([one for one in tails if one.meta.metric == "step_time"])
    rhythm = cadence(pulse.recent, times.recent.values.tolist(), buffered=_buffered(tails)) if pulse and times else None
    if pulse and rhythm is None:
        rhythm = cadence(pulse.recent, [], buffered=_buffered(tails))
    step = int(pulse.recent.steps[-1]) if pulse else None
    total = whole_number(run.facts.get("total_steps"))
    fresh = freshness(_evidence(run, pulse, rhythm, total, beats, habits), now)
    status = STATUS[fresh.state]
    return Overview(
        status=status,
        step=step,
        total_steps=total,
        started=_started(run, tails),
        updated=fresh.updated,
        loss=float(pulse.recent.values[-1]) if pulse and losses else None,
        freshness=fresh,
        progress=_progress(tails, pulse, rhythm, habits, left=_left(status, step, total)),
        interval=interval(pulse.recent.steps) if pulse else 1.0,
    )


def newest(tails: Sequence[Tail]) -> Tail | None:
    """The series that tells where the run is now: of a log if there is one, else of event files; latest by its clock,
    then the newest generation, then the furthest step."""
    alive = [one for one in tails if len(one.recent)]
    return max(alive, key=_recency, default=None)


def _recency(tail: Tail) -> tuple[bool, float, int, int]:
    wall = float(tail.recent.walls[-1])
    known = wall if np.isfinite(wall) else -np.inf
    return tail.meta.source == "log", known, tail.meta.generation, int(tail.recent.steps[-1])


def whole_number(text: str | None) -> int | None:
    """A fact that should be a count; None when it is not."""
    return int(text) if text is not None and text.strip().isdecimal() else None


def _buffered(tails: Sequence[Tail]) -> bool:
    return all(one.meta.source != "log" for one in tails)


def _evidence(
    run: StoredRun,
    pulse: Tail | None,
    rhythm: Cadence | None,
    total: int | None,
    beats: Sequence[Heartbeat],
    habits: Habits,
) -> Evidence:
    recent = pulse.recent if pulse else EMPTY
    following = [beat for beat in beats if covers(beat, run.record.path)]
    wall = float(recent.walls[-1]) if len(recent) and np.isfinite(recent.walls[-1]) else None
    behind = _behind(run, following)
    return Evidence(
        step=int(recent.steps[-1]) if len(recent) else None,
        wall=wall,
        files=run.cursors,
        total_steps=total,
        cadence=rhythm,
        collected=bool(following),
        events=run.events,
        read=behind[0] / behind[1] if behind else None,
        unread=behind[1] - behind[0] if behind else None,
        slow=slowness(recent, habits.step_ms),
        interval=interval(recent.steps),
        usual=habits.usual,
        trouble=trouble(run, following, wall if pulse and pulse.meta.source != "log" else None),
    )


def _behind(run: StoredRun, following: Sequence[Heartbeat]) -> tuple[int, int] | None:
    """Bytes of the run that are read and that there are, by the collector that is furthest; None when one has read them
    all."""
    shares = [beat.behind.get(run.record.id) for beat in following]
    known = [share for share in shares if share is not None and share[1]]
    return max(known, key=lambda share: share[0] / share[1]) if known and len(known) == len(shares) else None


def _started(run: StoredRun, tails: Sequence[Tail]) -> float | None:
    told = [one.wall for one in run.events if one.kind == "start" and one.wall is not None]
    seen = [one.began for one in tails if one.began is not None]
    return min(told or seen, default=None)


def _left(status: Status, step: int | None, total: int | None) -> int | None:
    if status not in ("running", "quiet") or step is None or total is None or step > total:
        return None
    return total - step


def _progress(
    tails: Sequence[Tail], pulse: Tail | None, rhythm: Cadence | None, habits: Habits, *, left: int | None
) -> Progress:
    seconds = rhythm.step_seconds if rhythm else None
    speeds: Mapping[str, Tail | None] = {
        name: newest([one for one in tails if one.meta.metric == name]) for name in SPEEDS
    }
    name, tail = next(((name, tail) for name, tail in speeds.items() if tail is not None), (None, None))
    times = list(habits.newest_ms) or of_points(pulse.recent if pulse else EMPTY, seconds)
    remaining = eta(left, times, overhead=habits.overhead)
    return Progress(
        step_time_ms=None if seconds is None else seconds * 1000,
        throughput=float(tail.recent.values[-1]) if tail else None,
        throughput_unit=METRICS[name].unit if name else None,
        eta=remaining.seconds if remaining else None,
        eta_low=remaining.low if remaining else None,
        eta_high=remaining.high if remaining else None,
    )
