"""A healthy run: schedule, loss curve, noise, gradient norm, step time, each of a kind that is drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Schedule = Literal["cosine", "linear", "wsd", "step", "constant", "inverse_sqrt"]
Kind = Literal["scratch", "middle", "finetune"]
SCHEDULES: tuple[Schedule, ...] = ("cosine", "linear", "wsd", "step", "constant", "inverse_sqrt")
INTERVALS = (1, 1, 2, 5, 10, 20, 50)


@dataclass(frozen=True, slots=True)
class Profile:
    """Of a run: ``sigma`` is the loss's relative noise a row, ``rho`` its autocorrelation from row to row, ``tails``
    the degrees of freedom of its distribution, ``blips`` how often a single hard batch comes, ``shared`` how much of a
    hard batch the gradient norm feels; ``norm`` the gradient norm's noise, ``kicks`` how often it jumps for one row."""

    kind: Kind = "middle"
    rows: int = 700
    interval: int = 1
    schedule: Schedule = "cosine"
    sigma: float = 0.015
    rho: float = 0.2
    tails: float = 5.0
    blips: float = 0.0
    shared: float = 0.0
    norm: float = 0.15
    kicks: float = 0.001
    time: float = 0.05
    evaluations: int = 0


def drawn(rng: np.random.Generator, rows: int | None = None, *, hard: bool = False) -> Profile:
    """Any profile; ``hard``: strongly autocorrelated noise with heavy tails."""
    return Profile(
        kind=rng.choice(["scratch", "middle", "middle", "finetune"]),
        rows=rows or int(rng.integers(500, 1000)),
        interval=int(rng.choice(INTERVALS)),
        schedule=rng.choice(SCHEDULES),
        sigma=float(np.exp(rng.uniform(np.log(0.004), np.log(0.035)))),
        rho=float(rng.uniform(0.3, 0.65) if hard else rng.uniform(0.0, 0.5)),
        tails=float(rng.choice([3.5, 4.0, 5.0] if hard else [4.0, 5.0, 8.0, 30.0])),
        blips=float(rng.choice([0.0, 0.001, 0.003])),
        shared=float(rng.choice([0.0, 0.3, 1.0])),
        norm=float(rng.uniform(0.05, 0.3)),
        kicks=float(rng.choice([0.0, 0.001, 0.004])),
        time=float(rng.uniform(0.01, 0.12)),
    )


@dataclass(slots=True)
class Run:
    """Columns of a run, one value a row; a fault writes into them."""

    profile: Profile
    steps: Ints
    t: Floats
    loss: Floats
    lr: Floats
    grad: Floats
    seconds: Floats
    clean: Floats  # the loss without noise
    noise: Floats  # of log loss
    warmup: int
    total: int
    scale: Floats | None = None
    overflow: NDArray[np.bool_] | None = None
    evaluations: list[tuple[int, float, float]] = field(default_factory=list)  # step, t, loss
    declared: list[tuple[int, str]] = field(default_factory=list)
    end: float = 0.0


def noise(rng: np.random.Generator, n: int, rho: float, tails: float) -> Floats:
    """Autocorrelated with heavy tails; its scale is about 1 in the middle of the distribution."""
    raw = rng.standard_t(tails, n)
    found = np.empty(n)
    last = 0.0
    for k in range(n):
        last = rho * last + np.sqrt(1 - rho * rho) * raw[k]
        found[k] = last
    return found


def healthy(rng: np.random.Generator, profile: Profile) -> Run:
    """A run of a profile."""
    n, li = profile.rows, profile.interval
    first = li if profile.kind != "middle" else li * int(rng.integers(1000, 60_000) // li + 1)
    steps = first + li * np.arange(n, dtype=np.int64)
    length = int(steps[-1] * rng.uniform(1.05, 2.5)) if rng.random() < 0.8 else int(steps[-1] + li)
    warmup = int(rng.uniform(0.02, 0.08) * (n * li if profile.kind != "middle" else length))
    lr = schedule(rng, profile.schedule, steps, warmup, length)
    clean = level(rng, profile.kind, steps, first, warmup)
    wave = profile.sigma * noise(rng, n, profile.rho, profile.tails)
    blip = (rng.random(n) < profile.blips) * rng.uniform(0.05, 0.8, n)
    shake = profile.norm * noise(rng, n, float(rng.uniform(0, 0.3)), 6.0)
    kick = np.where(rng.random(n) < profile.kicks, np.log(rng.uniform(3, 8, n)), 0.0)
    shake = shake + kick + profile.shared * blip * 3
    usual = float(np.exp(rng.uniform(np.log(0.05), np.log(20))))
    start = np.exp(-np.arange(n) * li / max(1, warmup)) * (1.5 if profile.kind == "scratch" else 0.0)
    seconds = float(rng.uniform(2, 30)) * np.exp(profile.time * np.abs(noise(rng, n, 0.1, 5.0)) * 0.7)
    pace = np.cumsum(seconds * li) + rng.uniform(30, 3000)
    noisy = wave + blip
    return Run(profile, steps, pace, clean * np.exp(noisy), lr, usual * np.exp(shake + start), seconds, clean, noisy,
               warmup, length, end=float(pace[-1] + seconds[-1] * li))  # fmt: skip


def level(rng: np.random.Generator, kind: Kind, steps: Ints, first: int, warmup: int) -> Floats:
    """The loss without noise, in nats a token."""
    at = (steps - first).astype(float)
    if kind == "scratch":
        top, bottom = float(rng.uniform(9.5, 12)), float(rng.uniform(2, 5))
        tau = max(1.0, warmup * rng.uniform(0.5, 2) + (steps[-1] - first) * rng.uniform(0.03, 0.15))
        return np.asarray(bottom + (top - bottom) / (1 + (at / tau) ** rng.uniform(0.7, 1.4)))
    if kind == "finetune":
        top, fall = float(rng.uniform(0.6, 2.5)), float(rng.uniform(0.1, 0.6))
        return np.asarray(top * (1 - fall * (1 - np.exp(-at / max(1.0, (steps[-1] - first) * rng.uniform(0.1, 0.6))))))
    return np.asarray(float(rng.uniform(1.8, 3.8)) * (steps / steps[0]) ** -float(rng.uniform(0.02, 0.12)))


def schedule(rng: np.random.Generator, kind: Schedule, steps: Ints, warmup: int, total: int) -> Floats:
    """Learning rates."""
    most = float(np.exp(rng.uniform(np.log(1e-5), np.log(1e-3))))
    up = np.minimum(1.0, steps / max(1, warmup))
    part = np.clip((steps - warmup) / max(1, total - warmup), 0, 1)
    least = float(rng.choice([0.0, 0.1]))
    down = {
        "cosine": least + (1 - least) * 0.5 * (1 + np.cos(np.pi * part)),
        "linear": 1 - (1 - least) * part,
        "wsd": np.where(part < 0.85, 1.0, 1 - (1 - least) * (part - 0.85) / 0.15),
        "step": 0.3 ** np.floor(part * 3),
        "constant": np.ones(len(steps)),
        "inverse_sqrt": np.sqrt(max(1, warmup) / np.maximum(steps, max(1, warmup))),
    }[kind]
    return np.asarray(most * up * down)
