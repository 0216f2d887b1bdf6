"""Cases of the loss: every fault and everything that looks like one, in runs of any profile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from app.diagnosis.row import Row
from tests.diagnosis.simulate.cases import Labelled, case
from tests.diagnosis.simulate.healthy import Run, drawn, healthy
from tests.diagnosis.simulate.loss import CONFOUNDERS, FAULTS, FROM_SCRATCH, LATER, LOGGED, Fault, plain


def faulty(seed: int, count: int) -> Iterator[Labelled]:
    """``count`` cases of every fault, half of them in hard noise."""
    for kind, (name, fault) in enumerate(FAULTS.items()):
        for number in range(count):
            yield made(np.random.default_rng((seed, kind, number)), name, fault, hard=number % 2 == 1)


def innocent(seed: int, count: int) -> Iterator[Labelled]:
    """``count`` healthy cases of every kind that looks like a fault."""
    kinds = {**CONFOUNDERS, **dict.fromkeys(LOGGED, plain)}
    for kind, (name, change) in enumerate(kinds.items()):
        for number in range(count):
            yield made(np.random.default_rng((seed, 100 + kind, number)), name, change, hard=number % 2 == 1)


def made(rng: np.random.Generator, name: str, fault: Fault, *, hard: bool) -> Labelled:
    """One case; runs that are faulty have no single hard batches beside the fault."""
    profile = drawn(rng, hard=hard)
    if name in FROM_SCRATCH or name == "unigrams":
        profile = replace(profile, kind="scratch", rows=900, schedule="cosine")
    if name == "flat_tail":  # of a run from scratch it would be a plateau
        profile = replace(profile, kind="middle")
    if name in FAULTS:
        profile = replace(profile, blips=0.0)
    run: Run = healthy(rng, profile)
    if name in FROM_SCRATCH:
        run.total = max(run.total, int(run.steps[-1] * 1.5))
    labels = fault(rng, run)
    found = case(run, f"{name}-{'hard' if hard else 'mild'}")
    return Labelled(replace(found, rows=logged(rng, found.rows, name)), labels, LATER if labels else frozenset(), name)


def logged(rng: np.random.Generator, rows: Sequence[Row], name: str) -> list[Row]:
    """What a log makes of the rows."""
    given = list(rows)
    if name == "missing":
        return [replace(one, loss=None) if rng.random() < 0.04 else one for one in given]
    if name == "no_norm":
        return [replace(one, grad_norm=None) for one in given]
    return shuffled(rng, given) if name == "twice" else given


def shuffled(rng: np.random.Generator, rows: list[Row]) -> list[Row]:
    """Some rows twice, some swapped with the next one."""
    found = [two for one in rows for two in ([one, one] if rng.random() < 0.02 else [one])]
    for k in range(len(found) - 1):
        if rng.random() < 0.01:
            found[k], found[k + 1] = found[k + 1], found[k]
    return found
