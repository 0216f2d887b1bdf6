"""Cases of everything but the loss: every fault and everything that looks like one, in runs of any profile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from tests.diagnosis.simulate import judged, norms, pace
from tests.diagnosis.simulate.cases import Labelled, case
from tests.diagnosis.simulate.healthy import drawn, healthy
from tests.diagnosis.simulate.loss import LATER, Fault

FAULTS: Mapping[str, Fault] = {**norms.FAULTS, **pace.FAULTS, **judged.FAULTS}
SOUND: Mapping[str, Fault] = {**norms.SOUND, **pace.SOUND, **judged.SOUND}
ALLOWED = LATER | {"nan_inf"}  # what may follow from a fault
ALONE = {"resumed": frozenset({"stall"})}  # faults that nothing else may follow from


def faulty(seed: int, count: int) -> Iterator[Labelled]:
    """``count`` cases of every fault, half of them in hard noise."""
    return made(seed, count, FAULTS, 200)


def innocent(seed: int, count: int) -> Iterator[Labelled]:
    """``count`` healthy cases of every kind that looks like a fault."""
    return made(seed, count, SOUND, 300)


def made(seed: int, count: int, kinds: Mapping[str, Fault], base: int) -> Iterator[Labelled]:
    """``count`` cases of each kind."""
    for kind, (name, fault) in enumerate(kinds.items()):
        for number in range(count):
            rng = np.random.default_rng((seed, base + kind, number))
            yield one(rng, name, fault, hard=number % 2 == 1)


def one(rng: np.random.Generator, name: str, fault: Fault, *, hard: bool) -> Labelled:
    """One case of a kind."""
    profile = replace(drawn(rng, hard=hard), blips=0.0)
    if name in judged.FAULTS or name in judged.SOUND or name in norms.FAULTS:
        profile = replace(profile, kind="middle" if name in norms.FAULTS else "finetune")
    run = healthy(rng, profile)
    labels = fault(rng, run)
    found = case(run, f"{name}-{'hard' if hard else 'mild'}")
    return Labelled(found, labels, ALONE.get(name, ALLOWED) if labels else frozenset(), name)
