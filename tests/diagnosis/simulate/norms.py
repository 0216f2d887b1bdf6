"""Faults of the gradient norm and of the loss scale, and what looks like them, injected into healthy runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tests.diagnosis.simulate.cases import Label
from tests.diagnosis.simulate.healthy import Run
from tests.diagnosis.simulate.loss import Fault, label, onset


# ---- explosions
def exponential(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """It doubles every few rows, and the loss follows."""
    at = onset(rng, run)
    rest = np.arange(len(run.steps) - at)
    times = np.minimum(2 ** (rest / rng.uniform(2, 12)), 10 ** rng.uniform(2, 4))
    run.grad[at:] *= times
    run.loss[at:] *= 1 + 0.3 * np.log10(times)
    return (label(run, "grad_explode", at, len(run.steps), 60),)


def risen(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """A new level in one row."""
    at = onset(rng, run)
    run.grad[at:] *= float(rng.uniform(7, 40))
    return (label(run, "grad_explode", at, len(run.steps), 20),)


def burst(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Some rows that are far too large, among them sound ones."""
    at, rows = onset(rng, run), int(rng.integers(8, 20))
    large = rng.uniform(8, 60, rows)
    large[rng.random(rows) < 0.15] = 1.0
    large[0] = 12.0
    run.grad[at : at + rows] *= large
    run.loss[at + 1 : at + rows + 20] *= 1.15
    return (label(run, "grad_explode", at, at + rows, 14),)


def crept(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Twenty and more times in some hundred rows, slowly enough for every baseline."""
    at = onset(rng, run, 0.3, 0.4)
    rows = int(rng.uniform(120, 200))
    rest = np.arange(len(run.steps) - at)
    run.grad[at:] *= np.exp(np.minimum(rest / rows, 1.0) * np.log(rng.uniform(25, 100)))
    return (label(run, "grad_explode", at, len(run.steps), rows + 40),)


# ---- vanishing
def vanished(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    at = stalled(rng, run)
    run.grad[at:] *= 10 ** -rng.uniform(4, 7)
    return (label(run, "grad_vanish", at, len(run.steps), 80),)


def dwindled(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """To nothing, a little with every row."""
    at = stalled(rng, run)
    rest = np.arange(len(run.steps) - at)
    run.grad[at:] *= 10 ** -np.minimum(rest / rng.uniform(10, 25), 7)
    return (label(run, "grad_vanish", at, len(run.steps), 190),)


def faint(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """A small part is left, and the loss has stalled."""
    at = stalled(rng, run)
    run.grad[at:] /= float(rng.uniform(30, 100))
    return (label(run, "grad_vanish", at, len(run.steps), 150),)


def faint_early(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """The same while the loss still falls steeply: its first rows are much higher, and so is their norm."""
    part = np.arange(len(run.steps)) / len(run.steps)
    run.clean = 2.5 + 8.0 / (1 + part * rng.uniform(15, 40)) ** 0.6
    run.loss = run.clean * np.exp(run.noise)
    run.grad *= 1 + 10 * np.exp(-part * rng.uniform(15, 30))
    return faint(rng, run)


def zero(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    at = stalled(rng, run)
    run.grad[at:] = 0.0
    return (label(run, "grad_vanish", at, len(run.steps), 80),)


def stalled(rng: np.random.Generator, run: Run) -> int:
    """The loss of a run stays where it is from a row on."""
    at = onset(rng, run, 0.35, 0.55)
    run.loss[at:] = run.clean[at] * np.exp(run.noise[at:])
    return at


# ---- loss scale
def scaled(rng: np.random.Generator, run: Run, *, rate: float = 0.0, every: int = 200) -> None:
    """A saw-tooth: doubled after ``every`` sound rows, halved soon after; ``rate`` more overflows at random."""
    n = len(run.steps)
    run.scale, run.overflow = np.empty(n), np.zeros(n, dtype=bool)
    scale, sound = float(2.0 ** rng.integers(12, 17)), int(rng.integers(0, every))
    top = scale * 1.5
    for k in range(n):
        run.scale[k] = scale
        run.overflow[k] = (scale > top and rng.random() < 0.1) or rng.random() < rate
        sound = 0 if run.overflow[k] else sound + 1
        scale = scale / 2 if run.overflow[k] else scale * 2 if sound and sound % every == 0 else scale
    run.grad[run.overflow] = rng.choice([0.0, np.inf])


def floored(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Halved all the way down."""
    scaled(rng, run)
    assert run.scale is not None and run.overflow is not None
    at, every = onset(rng, run), int(rng.integers(1, 5))
    rest = np.arange(len(run.steps) - at)
    run.scale[at:] = np.maximum(1.0, run.scale[at] * 0.5 ** (rest // every))
    run.overflow[at:] = (rest % every == 0) & (run.scale[at:] > 1)
    return (label(run, "loss_scale", at, len(run.steps), 60),)


def shaken(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Many overflows among sound rows."""
    scaled(rng, run)
    assert run.scale is not None and run.overflow is not None
    at, rate = onset(rng, run), float(rng.uniform(0.12, 0.3))
    scale = float(run.scale[at])
    for k in range(at, len(run.steps)):
        run.scale[k], run.overflow[k] = scale, rng.random() < rate
        scale = max(1.0, scale / 2) if run.overflow[k] else scale * (2 if rng.random() < rate / 2 else 1)
    run.grad[run.overflow] = 0.0
    return (label(run, "loss_scale", at, len(run.steps), 130),)


# ---- what is sound
def grown(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Slowly, three or four times over the whole run."""
    run.grad *= np.geomspace(1, rng.uniform(2, 4.5), len(run.steps))
    return ()


def kicked(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Single rows at four to ten times the baseline."""
    for k in range(60, len(run.steps), int(rng.integers(25, 60))):
        run.grad[k] *= float(rng.uniform(4, 10))
    return ()


def kicked_often(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """The same wherever they fall: now and then two are side by side."""
    is_kicked = rng.random(len(run.steps)) < 0.03
    is_kicked[:60] = False
    late = int(0.8 * len(run.steps))
    is_kicked[late : late + 2] = True
    run.grad[is_kicked] *= rng.uniform(4, 10, int(is_kicked.sum()))
    return ()


def louder(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Loss noise and norm are higher late in the run."""
    at, times = onset(rng, run), float(rng.uniform(1.3, 2.2))
    run.grad[at:] *= times
    run.loss[at:] *= np.exp((min(times, 1.6) - 1) * run.noise[at:])
    return ()


def unusual(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Of any magnitude."""
    run.grad *= 10 ** float(rng.uniform(-5, 5))
    return ()


def decayed(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Down to a fortieth while the loss falls by half and more: a run from scratch."""
    part = np.arange(len(run.steps)) / len(run.steps)
    fall = np.exp(-3.7 * (1 - np.exp(-part * rng.uniform(4, 20))))
    run.loss *= (10.5 * fall**0.18 * (1 - 0.5 * part)) / run.clean
    run.grad *= fall
    return ()


def by_heart(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Loss and norm go to 0 together: the data are learnt by heart."""
    part = np.arange(len(run.steps)) / len(run.steps)
    fall = 10 ** -(part * rng.uniform(2, 3.5))
    run.loss *= 0.5 * fall / run.clean
    run.grad *= fall ** rng.uniform(0.7, 1.2)
    return ()


def sawtooth(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    scaled(rng, run, rate=float(rng.choice([0.0, 0.001])), every=int(rng.choice([50, 100, 200])))
    return ()


def searched(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """The first scale is found by halving one that is far too high."""
    scaled(rng, run)
    assert run.scale is not None and run.overflow is not None
    rows = int(rng.integers(8, 20))
    run.scale[:rows] = run.scale[rows] * 2.0 ** np.arange(rows, 0, -1)
    run.overflow[:rows] = True
    run.grad[:rows] = 0.0
    return ()


def unmoved(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    run.scale = np.full(len(run.steps), float(rng.choice([1.0, 1024.0])))
    return ()


FAULTS: Mapping[str, Fault] = {
    "exponential": exponential,
    "risen": risen,
    "burst": burst,
    "crept": crept,
    "vanished": vanished,
    "dwindled": dwindled,
    "faint": faint,
    "faint_early": faint_early,
    "zero": zero,
    "floored": floored,
    "shaken": shaken,
}
SOUND: Mapping[str, Fault] = {
    "grown": grown,
    "kicked": kicked,
    "kicked_often": kicked_often,
    "louder": louder,
    "unusual": unusual,
    "decayed": decayed,
    "by_heart": by_heart,
    "sawtooth": sawtooth,
    "searched": searched,
    "unmoved": unmoved,
}
