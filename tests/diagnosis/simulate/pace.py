"""Faults of the learning rate, of the step time and of the clock, and what looks like them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tests.diagnosis.simulate.cases import Label
from tests.diagnosis.simulate.healthy import Floats, Run
from tests.diagnosis.simulate.loss import Fault, label, onset


# ---- learning rate
def jumped(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    at = high(rng, run)
    run.lr[at:] *= float(np.exp(rng.uniform(np.log(1.8), np.log(15))))
    return (label(run, "lr_anomaly", at, len(run.steps), 12),)


def collapsed(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    at = high(rng, run)
    run.total = max(run.total, int(run.steps[-1] * 1.1))
    run.lr[at:] *= float(rng.choice([0.0, 1e-3, 0.03]))
    return (label(run, "lr_anomaly", at, len(run.steps), 20),)


def rewarmed(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Its warm-up begins again, from nothing or from a part."""
    at, rows = high(rng, run), int(rng.integers(30, 120))
    start = float(rng.choice([0.0, 0.02, 0.3]))
    rows = min(rows, len(run.steps) - at)
    run.lr[at : at + rows] *= start + (1 - start) * (np.arange(rows) + 1) / rows
    slow = int(rows * 0.35) if start > 0.1 else 0
    return (label(run, "lr_anomaly", at, at + rows + 20, 15 + slow),)


def high(rng: np.random.Generator, run: Run) -> int:
    """A row in the middle at which the learning rate is not at its end."""
    at = onset(rng, run, 0.3, 0.55)
    run.warmup = min(run.warmup, int(run.steps[max(1, at // 2)]))
    run.lr[:] = np.maximum(run.lr, run.lr.max() * 0.12)
    return at


def few_digits(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Printed in quanta, of which the highest value has some ten or some hundred."""
    quantum = run.lr.max() / float(rng.choice([12, 60, 600]))
    run.lr[:] = np.round(run.lr / quantum) * quantum
    return ()


def declared(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Warmed up again, as somebody said before."""
    (found,) = rewarmed(rng, run)
    run.declared.append((found.start, "resume_rewarm"))
    return ()


def ended(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Down to 0 at the last planned step, linearly or as a cosine."""
    part = np.linspace(0, 1, len(run.steps))
    peak = float(run.lr.max())
    run.total = int(run.steps[-1])
    run.lr[:] = peak * ((1 - part) if rng.random() < 0.5 else 0.5 * (1 + np.cos(np.pi * part)))
    return ()


# ---- step time
def slowed(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    at = onset(rng, run, 0.3, 0.55)
    steadied(rng, run)
    run.seconds[at:] *= float(rng.uniform(1.06, 1.6))
    return (label(run, "throughput", at, len(run.steps), 150),)


def creeping(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    at = onset(rng, run, 0.25, 0.4)
    steadied(rng, run)
    rows = len(run.steps) - at
    run.seconds[at:] *= np.linspace(1, rng.uniform(1.25, 1.6), rows)
    return (label(run, "throughput", at, len(run.steps), int(0.75 * rows)),)


def steadied(rng: np.random.Generator, run: Run) -> None:
    """Step times whose medians are within a percent, with pauses."""
    n = len(run.steps)
    run.seconds[:] = np.median(run.seconds) * np.exp(rng.uniform(0.003, 0.03) * rng.standard_t(4, n))
    pause = rng.random(n) < 0.02
    run.seconds[pause] *= rng.uniform(1.5, 8, int(pause.sum()))


def two_modes(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Some rows are slower by a fixed part, at random."""
    steadied(rng, run)
    slow = rng.random(len(run.steps)) < rng.uniform(0.1, 0.6)
    run.seconds[slow] *= float(rng.uniform(1.1, 1.5))
    return ()


def regular(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Every so many rows an evaluation is in the step time."""
    steadied(rng, run)
    run.seconds[:: int(rng.integers(5, 60))] *= float(rng.uniform(2, 10))
    return ()


def drifting(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """A percent or two up and down over hundreds of rows."""
    steadied(rng, run)
    at = np.arange(len(run.steps))
    run.seconds *= 1 + rng.uniform(0.003, 0.012) * np.sin(at / rng.uniform(30, 120) + rng.uniform(0, 6))
    return ()


# ---- silence
def hung(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """No row for sixty times as long as usual."""
    at = onset(rng, run)
    gap = usual(run) * float(rng.uniform(45, 90))
    run.t[at:] += gap
    run.end += gap
    start, li = int(run.steps[at - 1]), run.profile.interval
    return (Label("stall", start, start + li, start + li),)


def hung_at_last(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    run.total = int(run.steps[-1] * 2)
    run.end = float(run.t[-1]) + usual(run) * float(rng.uniform(45, 90))
    start, li = int(run.steps[-1]), run.profile.interval
    return (Label("stall", start, start, start + li),)


def paused(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Evaluations and checkpoints, as long as some rows, at regular steps; once one is longer."""
    every, long = int(rng.integers(20, 120)), float(rng.uniform(2, 12))
    for k in range(every, len(run.steps), every):
        wait(run, k, usual(run) * long * float(rng.uniform(0.8, 1.3)))
    wait(run, onset(rng, run), usual(run) * float(rng.uniform(10, 17)))
    return ()


def finished(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """The last step was the last one planned; then nothing."""
    run.total = int(run.steps[-1])
    run.end = float(run.t[-1]) + usual(run) * 500
    return ()


def resumed(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Killed, and started again some rows back: other noise, the same schedule, a first step with compilation."""
    at, n = onset(rng, run), len(run.steps)
    back, down = int(rng.integers(5, min(at - 20, 400))), usual(run) * float(rng.uniform(5, 200))
    again = np.concatenate([np.arange(at), np.arange(at - back, n)])
    t = np.concatenate([run.t[:at], run.t[at - back :] - run.t[at - back] + run.t[at - 1] + down])
    other = run.clean * np.exp(np.roll(run.noise, 37))
    run.loss = np.concatenate([run.loss[:at], other[at - back :]])
    run.grad = np.concatenate([run.grad[:at], np.roll(run.grad[at - back :], 11)])
    run.steps, run.lr, run.seconds, run.t = run.steps[again], run.lr[again], run.seconds[again], t
    run.clean, run.noise, run.end = run.clean[again], run.noise[again], float(t[-1]) + usual(run)
    run.seconds[at] *= float(rng.uniform(2, 30))
    start, li = int(run.steps[at]), run.profile.interval
    return (Label("step_regress", start, start + 5 * li, start + 2 * li),)


def wait(run: Run, at: int, seconds: float) -> None:
    run.t[at:] += seconds
    run.end += seconds


def usual(run: Run) -> float:
    gaps: Floats = np.diff(run.t)
    return float(np.median(gaps))


FAULTS: Mapping[str, Fault] = {
    "jumped": jumped,
    "collapsed": collapsed,
    "rewarmed": rewarmed,
    "slowed": slowed,
    "creeping": creeping,
    "hung": hung,
    "hung_at_last": hung_at_last,
    "resumed": resumed,
}
SOUND: Mapping[str, Fault] = {
    "few_digits": few_digits,
    "declared": declared,
    "ended": ended,
    "two_modes": two_modes,
    "regular": regular,
    "drifting": drifting,
    "paused": paused,
    "finished": finished,
}
