"""Faults of the loss, injected into healthy runs: numbers that are none, spikes, divergences, jitter, plateaus.

A fault is a function of a random generator and a run: it writes into the run and returns what is to be found. ``at`` is
a row somewhere in the middle, deadlines are in rows after it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.diagnosis.simulate.cases import Label
from tests.diagnosis.simulate.healthy import Floats, Run

Fault = Callable[[np.random.Generator, Run], tuple[Label, ...]]
LATER = frozenset(
    ("loss_spike", "divergence", "jitter", "plateau", "overfit", "grad_explode", "grad_vanish", "loss_scale")
)
SPIKE_DEADLINE = 12
CREEP_DEADLINE = 150  # rows after a drift is at its end


def onset(rng: np.random.Generator, run: Run, before: float = 0.4, after: float = 0.65) -> int:
    """A row past the warm-up."""
    return int(len(run.steps) * rng.uniform(before, after))


def label(run: Run, about: str, at: int, end: int, deadline: int) -> Label:
    """Rows as steps; the end and the deadline are inside the run."""
    last, li = len(run.steps) - 1, run.profile.interval
    start = int(run.steps[at])
    return Label(about, start, int(run.steps[min(end, last)]), start + deadline * li)


def scatter(run: Run) -> float:
    """How far rows scatter in the long run, relative to the loss."""
    return run.profile.sigma


def lead(rng: np.random.Generator, run: Run, at: int, rows: int = 4) -> None:
    """A gradient norm that rises for some rows before ``at``, peaks a little later and comes back."""
    most, back = float(rng.uniform(8, 60)), float(rng.uniform(2, 10))
    for k in range(at - rows, min(len(run.steps), at + 60)):
        part = (k - at + rows + 1) / (rows + 2) if k <= at + 1 else np.exp(-(k - at - 1) / back)
        run.grad[k] *= most ** max(part, 0.0)


# ---- numbers that are none
def nan_from_here(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    at = onset(rng, run)
    run.loss[at:] = np.inf if rng.random() < 0.2 else np.nan
    run.grad[at:] = np.nan
    return (label(run, "nan_inf", at, len(run.steps), 2),)


def nan_after_explosion(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    at = onset(rng, run)
    rows = int(rng.integers(3, 8))
    run.grad[at - rows : at] *= np.geomspace(4, 1e4, rows)
    run.loss[at - 2 : at] *= (1.5, 3.0)
    return nan_at(run, at)


def nan_at(run: Run, at: int) -> tuple[Label, ...]:
    run.loss[at:], run.grad[at:] = np.nan, np.inf
    return (label(run, "nan_inf", at, len(run.steps), 2),)


def nan_of_one_row(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    at = onset(rng, run)
    (run.loss if rng.random() < 0.5 else run.grad)[at] = float(rng.choice([np.nan, np.inf]))
    return (label(run, "nan_inf", at, at + 1, 2),)


def nan_as_zero(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    at = onset(rng, run)
    run.loss[at:], run.grad[at:] = 0.0, np.nan
    return (label(run, "nan_inf", at, len(run.steps), 2),)


# ---- spikes
def bump(rng: np.random.Generator, run: Run, at: int, rise: float, rows: int, rise_rows: int) -> Floats:
    """Log loss of a spike: it rises over some rows, then comes back exponentially, or is flat and ends."""
    k = np.arange(len(run.steps)) - at
    up = np.clip((k + 1) / max(1, rise_rows), 0, 1)
    is_flat = rng.random() < 0.35
    down = (k < rows) * 1.0 if is_flat else np.exp(-np.clip(k - rise_rows, 0, None) / max(1.0, rows / 2))
    return np.asarray(np.log1p(rise) * np.where(k < 0, 0.0, np.minimum(up, down)))


def spiked(rng: np.random.Generator, run: Run, rise: float, rows: int, rise_rows: int) -> tuple[Label, ...]:
    at = onset(rng, run)
    run.loss *= np.exp(bump(rng, run, at, rise, rows, rise_rows))
    return (label(run, "loss_spike", at, at + 3 * rows, SPIKE_DEADLINE),)


def spike_long(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    rows = int(rng.integers(15, 60))
    rise = float(np.exp(rng.uniform(np.log(0.25), np.log(3.0))))
    return spiked(rng, run, max(rise, 8 * scatter(run)), rows, int(rng.integers(1, 7)))


def spike_led(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    found = spike_long(rng, run)
    lead(rng, run, int(np.searchsorted(run.steps, found[0].start)))
    return found


def spike_small(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """+9 to 15 per cent for a dozen rows, no gradient."""
    rise = float(rng.uniform(0.09, 0.15))
    return spiked(rng, run, max(rise, 6 * scatter(run)), int(rng.integers(10, 16)), int(rng.integers(1, 3)))


def spike_short(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Two or three rows at a wide log interval."""
    rise = float(np.exp(rng.uniform(np.log(0.2), np.log(2.0))))
    rise = max(rise, 13 * scatter(run))
    at, rows = onset(rng, run), int(rng.integers(2, 4))
    run.loss[at : at + rows] *= 1 + rise * np.sort(rng.uniform(0.7, 1.0, rows))[::-1]
    return (label(run, "loss_spike", at, at + rows, SPIKE_DEADLINE),)


def spike_of_one_row(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """One row at a wide log interval: the gradient norm had been rising."""
    at = onset(rng, run)
    lead(rng, run, at, 3)
    run.loss[at] *= 1 + max(float(rng.uniform(0.3, 1.5)), 13 * scatter(run))
    return (label(run, "loss_spike", at, at + 1, SPIKE_DEADLINE),)


# ---- divergences
def never_back(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    at = onset(rng, run, 0.3, 0.5)
    k = np.arange(len(run.steps)) - at
    rise = float(rng.uniform(0.4, 1.5))
    stands(run, at)
    stays = rise * float(rng.uniform(0.2, 0.8))
    shape = np.where(k < 0, 0.0, np.minimum(rise * (k + 1) / 8, stays + (rise - stays) * np.exp(-(k - 8) / 12)))
    run.loss *= np.exp(np.log1p(shape))
    if rng.random() < 0.5:
        lead(rng, run, at)
    return (label(run, "divergence", at, len(run.steps), 160),)


def stands(run: Run, at: int) -> None:
    """It learns nothing more from here on: a rise is one above the best that was."""
    run.loss[at:] *= run.clean[at] / run.clean[at:]


def creeping(rng: np.random.Generator, run: Run, rise: float, rows: int) -> tuple[Label, ...]:
    at = onset(rng, run, 0.4, 0.5)
    stands(run, at)
    run.loss *= np.exp(np.log1p(rise) * np.clip((np.arange(len(run.steps)) - at) / rows, 0, 1))
    return (label(run, "divergence", at, len(run.steps), rows + CREEP_DEADLINE),)


def drift(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    rows = int(rng.integers(50, min(400, len(run.steps) // 3)))
    return creeping(rng, run, max(float(rng.uniform(0.10, 0.40)), 5 * scatter(run)), rows)


def drift_small(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    rows = int(rng.integers(50, 150))
    return creeping(rng, run, max(float(rng.uniform(0.06, 0.09)), 4 * scatter(run)), rows)


def runaway(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    at = onset(rng, run, 0.4, 0.6)
    k = np.clip(np.arange(len(run.steps)) - at, 0, None)
    stands(run, at)
    top = np.log(float(rng.uniform(9.5, 12.0)) / run.clean[at])
    run.loss *= np.exp(top * np.minimum(1.0, (k / rng.uniform(30, 80)) ** rng.uniform(1.0, 1.8)))
    run.grad *= np.exp(np.minimum(3.0, k / 40))
    return (label(run, "divergence", at, len(run.steps), 120),)


# ---- jitter
def grown(run: Run, at: int, times: float) -> None:
    run.loss[at:] *= np.exp((times - 1) * run.noise[at:])


def noise_grows(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    at = onset(rng, run, 0.4, 0.55)
    grown(run, at, max(float(rng.uniform(3, 5)), 0.025 / scatter(run)))
    return (label(run, "jitter", at, len(run.steps), 120),)


def noise_doubles(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    at = onset(rng, run, 0.5, 0.6)
    grown(run, at, float(rng.uniform(2.2, 2.8)))
    return (label(run, "jitter", at, len(run.steps), 160),)


def saw_tooth(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    at, period = onset(rng, run, 0.4, 0.6), int(rng.integers(2, 6))
    up = (np.arange(len(run.steps)) % period) < max(1, period // 2)
    size = max(float(rng.uniform(0.06, 0.25)), 5 * scatter(run))
    run.loss[at:] *= np.where(up, 1 + size, 1 - size / 2)[at:]
    return (label(run, "jitter", at, len(run.steps), 120),)


def large_from_start(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    times = float(rng.uniform(0.18, 0.3)) / scatter(run)
    grown(run, 0, times)
    return (label(run, "jitter", 60, len(run.steps), 160),)


# ---- plateaus (of runs from scratch)
def never_learns(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    top = float(rng.uniform(9.8, 12))
    run.loss[:] = top * (1 - rng.uniform(0, 0.03)) * np.exp(run.noise)
    return (label(run, "plateau", 90, len(run.steps), 405),)


def stuck_high(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    top, n = float(rng.uniform(9.8, 12)), len(run.steps)
    stuck = top * float(rng.uniform(0.56, 0.8))
    run.loss[:] = (stuck + (top - stuck) * np.exp(-np.arange(n) / (0.04 * n))) * np.exp(run.noise)
    return (label(run, "plateau", int(0.16 * n), n, 450),)


FAULTS: dict[str, Fault] = {
    one.__name__: one
    for one in (
        nan_from_here, nan_after_explosion, nan_of_one_row, nan_as_zero,
        spike_long, spike_led, spike_small, spike_short, spike_of_one_row,
        never_back, drift, drift_small, runaway,
        noise_grows, noise_doubles, saw_tooth, large_from_start,
        never_learns, stuck_high,
    )
}  # fmt: skip
FROM_SCRATCH = frozenset(("never_learns", "stuck_high"))


# ---- what looks like a fault and is none
def plain(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    return ()


def blips(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """Single hard batches: never two of them side by side."""
    for at in range(int(rng.integers(20, 60)), len(run.steps), int(rng.integers(25, 60))):
        run.loss[at] *= 1 + rng.uniform(0.1, 0.85)
        if rng.random() < 0.3:
            run.grad[at] *= rng.uniform(2, 8)
    return ()


def mix_changed(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    at = onset(rng, run)
    run.loss[at:] *= 1 + rng.uniform(0.04, 0.15)
    run.declared.append((int(run.steps[at]), "data_mix_change"))
    return ()


def steps_down(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    for _ in range(int(rng.integers(1, 4))):
        run.loss[onset(rng, run, 0.2, 0.9) :] *= 1 - rng.uniform(0.05, 0.3)
    return ()


def unigrams(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    """A short level near the entropy of unigrams, then the fall."""
    n = len(run.steps)
    at, top = int(n * rng.uniform(0.05, 0.11)), float(rng.uniform(9.5, 11.5))
    end = float(rng.uniform(2.8, 4.0))
    early = np.maximum(top * rng.uniform(0.65, 0.9), top - np.arange(n) * top / at)
    late = end + 2.0 * np.exp(-np.clip(np.arange(n) - at, 0, None) / (0.1 * n))
    run.loss[:] = np.where(np.arange(n) < at, early, late) * np.exp(run.noise)
    return ()


def flat_tail(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    half = len(run.steps) // 2
    run.loss[half:] = run.clean[half] * np.exp(run.noise[half:])
    return ()


def half_again(rng: np.random.Generator, run: Run) -> tuple[Label, ...]:
    at = onset(rng, run, 0.5, 0.8)
    grown(run, at, 1.6)
    run.grad[at:] *= 1.6
    return ()


CONFOUNDERS: dict[str, Fault] = {
    one.__name__: one for one in (plain, blips, mix_changed, steps_down, unigrams, flat_tail, half_again)
}
# of rows rather than of values: what a log does to them
LOGGED = ("missing", "no_norm", "twice")
