"""How well ranks that are off are told from ranks that are not: ``python -m tests.measure.peers [SEED] [ROWS]``.

Three tables: of one faulty rank among many, how often it is found within 60 rows and how soon, by kind and size of
fault; how many ranks are accused of nothing under autocorrelated noise with heavy tails, and in how many values; how
long a row takes. ROWS is how many values of the second table, in millions.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from app.diagnosis.peers import Peers
from app.diagnosis.signal import Signal
from tests.diagnosis.simulate.ranks import Fault, Profile, Ranks, drawn, harm, healthy, noise, timed

METRIC, TIME = "local_loss", "own_compute_time"
IN_TIME = 60  # rows
RUNS = 60
FAULTS: tuple[tuple[Fault, float], ...] = (
    *(("offset", size) for size in (0.05, -0.05, 0.07, -0.07, 0.1, -0.1, 0.2, -0.2, 0.3, -0.3)),
    *(("drift", size) for size in (0.1, 0.2, 0.3)),
    ("nan", 0.0),
    ("frozen", 0.0),
    *(("slow", size) for size in (0.15, 0.2, 0.3, 0.5)),
)
NOISES = (
    Profile(size=8, rho=0.5, tails=4.0, hard=0.0, digits=6),
    Profile(size=4, rho=0.5, tails=4.0, hard=0.0, digits=6),
    Profile(size=8, groups=64, rho=0.5, tails=4.0, hard=0.0, digits=6),
    Profile(size=4, groups=64, rho=0.5, tails=4.0, hard=0.002, digits=6),
    Profile(size=16, groups=32, rho=0.5, tails=4.0, hard=0.0, digits=4, sigma=0.01),
    Profile(size=64, groups=8, rho=0.5, tails=4.0, hard=0.01, digits=3, sigma=0.05),
    Profile(size=1024, groups=8, rho=0.5, tails=4.0, hard=0.0, digits=6),
    Profile(size=16, groups=32, rho=0.3, tails=4.0, hard=0.002, offsets=0.05, digits=4),
    Profile(size=8, groups=32, rho=0.5, tails=4.0, hard=0.002, offsets=0.03, digits=4, sigma=0.01),
)


def said(ranks: Ranks, metric: str = METRIC) -> Iterator[Signal]:
    peers = Peers(metric, ranks.numbers)
    for step, values, there in zip(ranks.steps.tolist(), ranks.values, ranks.there, strict=True):
        yield from peers.take(step, None, values, there)


def found(rng: np.random.Generator, fault: Fault, size: float, profile: Profile) -> tuple[int | None, int]:
    """After how many rows the faulty rank was named, None: not in time; and how many others were."""
    ranks = healthy(rng, profile)
    row, rank = int(rng.integers(30, 70)), int(rng.integers(profile.count))
    harm(rng, ranks, fault, size, row, rank)
    raised = [one for one in said(ranks, TIME if profile.is_time else METRIC) if one.act == "raise"]
    rows = [int(np.searchsorted(ranks.steps, one.step)) - row for one in raised if one.rank == rank]
    mine = [one for one in rows if 0 <= one <= IN_TIME]
    return (mine[0] if mine else None), sum(one.rank != rank for one in raised) + sum(one < 0 for one in rows)


def recall(rng: np.random.Generator, fault: Fault, part: float, runs: int = RUNS, **fixed: object) -> str:
    """One line: of all noises, and of those in which the fault is at least two of its sigmas."""
    delays: list[int] = []
    clear, clear_found, wrong = 0, 0, 0
    for _ in range(runs):
        profile = timed(rng, 140) if fault == "slow" else drawn(rng, 140)
        profile = replace(profile, **fixed)  # type: ignore[arg-type] # fields by their names
        delay, others = found(rng, fault, part, profile)
        is_clear = fault in ("nan", "frozen") or abs(part) >= 2 * profile.sigma
        clear, wrong = clear + is_clear, wrong + others
        if delay is not None:
            delays.append(delay)
            clear_found += is_clear
    late = f"{np.median(delays):.0f} / {max(delays)}" if delays else "-"
    return (
        f"{fault:<7} {part:>+6.0%} {len(delays) / runs:>7.2f} {clear_found / max(clear, 1):>7.2f} "
        f"{late:>9} rows   others accused {wrong}"
    )


def accused(rng: np.random.Generator, profile: Profile, values: float) -> tuple[int, int]:
    """How many ranks of healthy runs were, in how many values."""
    count = int(values / profile.count)
    told, rows = 0, 0
    peers, last, level = Peers(METRIC, np.repeat(np.arange(profile.groups), profile.size)), None, None
    level = np.repeat(rng.uniform(1.5, 7, profile.groups), profile.size) * (
        1 + profile.offsets * rng.standard_normal(profile.count)
    )
    while rows < count:
        part = replace(profile, rows=min(2_000, count - rows))
        wave = noise(rng, part, last)
        last = wave[-1]
        hard = np.where(rng.random(wave.shape) < part.hard, rng.uniform(0.1, 0.8, wave.shape), 0.0)
        for values_now in np.round(level * np.exp(part.sigma * wave + hard), part.digits):
            rows += 1
            told += sum(one.act == "raise" for one in peers.take(rows, None, values_now))
    return told, rows * profile.count


def pace(rng: np.random.Generator, ranks: int) -> str:
    """Milliseconds of CPU a row, and of saving and restoring."""
    peers = Peers(METRIC, np.repeat(np.arange(8), ranks // 8))
    rows = 2.5 * np.exp(0.03 * rng.standard_t(4, (300, ranks)))
    took = []
    for step, values in enumerate(rows):
        began = time.process_time()
        peers.take(step, None, values)
        took.append((time.process_time() - began) * 1000)
    began = time.process_time()
    text = json.dumps(peers.save())
    Peers.restore(METRIC, np.repeat(np.arange(8), ranks // 8), json.loads(text))
    saving = (time.process_time() - began) * 1000
    return (
        f"{ranks:>6} ranks: {np.median(took):.2f} ms a row (99 of 100 below {np.quantile(took, 0.99):.2f}); "
        f"state {len(text) / 2**20:.1f} MiB, {saving:.0f} ms to save and restore"
    )


def main() -> None:
    """The tables."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else int(time.time())
    values = float(sys.argv[2]) * 1e6 if len(sys.argv) > 2 else 2e7
    rng = np.random.default_rng(seed)
    print(f"seed {seed}\n\nfault   size    found  if ≥ 2σ  delay median / most")
    for fault, size in FAULTS:
        print(recall(rng, fault, size), flush=True)
    print("\nof 8 ranks, sigma ≤ 3 %:", recall(rng, "offset", -0.07, size=8, groups=1, sigma=0.025), sep="\n")
    print("\nhealthy noise: ranks accused / values")
    for profile in NOISES:
        told, many = accused(rng, profile, values / len(NOISES))
        print(f"{told} / {many:.2g}   {profile}", flush=True)
    print()
    for ranks in (1_024, 8_192):
        print(pace(rng, ranks), flush=True)


if __name__ == "__main__":
    main()
