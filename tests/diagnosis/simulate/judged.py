"""Evaluations of runs that overfit, and of runs that do not."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tests.diagnosis.simulate.cases import Label, evaluated
from tests.diagnosis.simulate.healthy import Run, noise
from tests.diagnosis.simulate.loss import Fault, onset


def overfits(rng: np.random.Generator, run: Run, most: float, evals: int, turn: float) -> tuple[Label, ...]:
    """Evaluations fall with the loss until a part ``turn`` of the run, and are ``most`` above their least at its end,
    while the loss falls on by a fifth."""
    n = len(run.steps)
    at, every = int(n * turn), max(1, n // evals)
    fall = np.exp(-0.25 * np.arange(n) / n)
    run.loss *= fall
    sigma = float(rng.uniform(0.0008, 0.004)) if most < 0.05 else float(rng.uniform(0.001, 0.01))
    for k in range(every - 1, n, every):
        rise = most * max(0.0, (k - at) / (n - at))
        value = run.clean[min(k, at)] * fall[min(k, at)] * (1 + rise) * np.exp(sigma * rng.standard_normal())
        run.evaluations.append((int(run.steps[k]), float(run.t[k]) + 0.1, float(value)))
    start, last = int(run.steps[at]), int(run.steps[-1])
    return (Label("overfit", start, last, last),)


def steep(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    return overfits(rng, run, float(rng.uniform(0.1, 0.5)), int(rng.integers(15, 40)), float(rng.uniform(0.25, 0.5)))


def sparse(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    return overfits(rng, run, float(rng.uniform(0.3, 0.8)), int(rng.integers(6, 9)), float(rng.uniform(0.2, 0.4)))


def slow(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Two or three percent over the rest of the run."""
    return overfits(rng, run, float(rng.uniform(0.02, 0.035)), int(rng.integers(24, 40)), float(rng.uniform(0.3, 0.45)))


def noisy(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Evaluations of few samples, once with a bump over two of them."""
    evaluated(
        rng, run, every=max(5, len(run.steps) // int(rng.integers(10, 40))), sigma=float(rng.uniform(0.003, 0.02))
    )
    k = int(len(run.evaluations) * rng.uniform(0.5, 0.9))
    for j in range(k, min(k + 2, len(run.evaluations))):
        step, t, loss = run.evaluations[j]
        run.evaluations[j] = step, t, loss * float(rng.uniform(1.015, 1.04))
    return ()


def seldom(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    evaluated(rng, run, every=len(run.steps) // int(rng.integers(2, 6)), sigma=0.006)
    return ()


def at_the_end(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """The last evaluation is a percent up."""
    evaluated(rng, run, every=max(5, len(run.steps) // int(rng.integers(10, 30))), sigma=0.002)
    step, t, loss = run.evaluations[-1]
    run.evaluations[-1] = step, t, loss * 1.01
    return ()


def levelled(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Evaluations stop falling while the training loss does not: a gap, and no rise."""
    n, every = len(run.steps), max(5, len(run.steps) // int(rng.integers(12, 40)))
    at, sigma = onset(rng, run, 0.3, 0.5), float(rng.uniform(0.001, 0.006))
    run.loss *= np.exp(-0.2 * np.arange(n) / n)
    for k in range(every - 1, n, every):
        value = run.clean[min(k, at)] * np.exp(sigma * rng.standard_normal())
        run.evaluations.append((int(run.steps[k]), float(run.t[k]) + 0.1, float(value)))
    return ()


def wandering(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Evaluations have stopped falling, and wander by a percent as the weights do."""
    n, every = len(run.steps), max(5, len(run.steps) // int(rng.integers(12, 40)))
    at = onset(rng, run, 0.3, 0.5)
    run.loss *= np.exp(-0.2 * np.arange(n) / n)
    wave = float(rng.uniform(0.002, 0.006)) * noise(rng, n // every + 1, float(rng.uniform(0.3, 0.7)), 8.0)
    for k in range(every - 1, n, every):
        value = run.clean[min(k, at)] * np.exp(wave[k // every])
        run.evaluations.append((int(run.steps[k]), float(run.t[k]) + 0.1, float(value)))
    return ()


FAULTS: Mapping[str, Fault] = {"overfit_steep": steep, "overfit_sparse": sparse, "overfit_slow": slow}
SOUND: Mapping[str, Fault] = {
    "evals_noisy": noisy,
    "evals_seldom": seldom,
    "evals_up_at_the_end": at_the_end,
    "evals_levelled": levelled,
    "evals_wandering": wandering,
}
