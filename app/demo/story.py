"""What happens to the demonstration run, moment by moment: steps, checkpoints, evaluations, one stop and its restart.
Pure; no clock, only how long each thing takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from app.demo import curves

# start: the program comes up · step: a step ends · saving, saved: a checkpoint · evaluated: an evaluation ends
# stopped: the gradient norm ends the attempt · over: the last step is done
Kind = Literal["start", "step", "saving", "saved", "evaluated", "stopped", "over"]


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that is written, ``after`` seconds after the moment before it; ``step`` is the newest one then."""

    after: float
    kind: Kind
    step: int
    attempt: int


def story(steps: int) -> Iterator[Moment]:
    """Everything until step ``steps`` is done."""
    attempt = 1
    yield Moment(0.0, "start", 0, attempt)
    yield from _steps(attempt, 1, min(steps, curves.STOP))
    if steps >= curves.STOP:
        yield Moment(0.0, "stopped", curves.STOP, attempt)
        attempt = 2
        yield Moment(curves.DOWN_SECONDS, "start", curves.RESUMED, attempt)
        yield from _steps(attempt, curves.RESUMED + 1, steps)
    yield Moment(0.0, "over", steps, attempt)


def until(step: int) -> Iterator[Moment]:
    """What is over before step ``step + 1`` ends for the first time."""
    for moment in story(max(step, curves.STOP) + 1):
        if moment.step > step:
            return
        yield moment


def length(step: int) -> float:
    """Seconds that ``until(step)`` takes."""
    return sum(moment.after for moment in until(step))


def _steps(attempt: int, first: int, last: int) -> Iterator[Moment]:
    for step in range(first, last + 1):
        yield Moment(curves.step_ms(step, compiles=step == first) / 1000, "step", step, attempt)
        if step % curves.CHECKPOINT_EVERY == 0:
            yield Moment(0.0, "saving", step, attempt)
            yield Moment(curves.CHECKPOINT_SECONDS, "saved", step, attempt)
        if step % curves.EVAL_EVERY == 0:
            yield Moment(curves.EVAL_SECONDS, "evaluated", step, attempt)
