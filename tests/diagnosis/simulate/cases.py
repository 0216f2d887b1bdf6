"""Runs as the cases that the rules are given, and what is to be found in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.diagnosis.cases import Case, RankTable
from app.diagnosis.row import Declared, Evaluation, Plan, Row
from tests.diagnosis.simulate.healthy import Run


@dataclass(frozen=True, slots=True)
class Label:
    """What is to be found: raised in [start - 2 intervals, deadline], naming the rank where there is one. Steps."""

    about: str
    start: int
    end: int
    deadline: int
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Labelled:
    """A case with its labels, and classes that may be said as a consequence, anywhere from the first label on."""

    case: Case
    labels: tuple[Label, ...]
    allowed: frozenset[str]
    kind: str


def rows(run: Run) -> list[Row]:
    """As they would be printed: five digits of the loss and the norm."""
    return [
        Row(
            int(run.steps[k]),
            float(run.t[k]),
            loss=printed(run.loss[k]),
            lr=printed(run.lr[k]),
            grad_norm=printed(run.grad[k]),
            loss_scale=None if run.scale is None else float(run.scale[k]),
            overflow=bool(run.overflow is not None and run.overflow[k]),
            step_time=float(run.seconds[k]),
        )
        for k in range(len(run.steps))
    ]


def printed(value: float) -> float:
    return float(f"{value:.5g}")


def case(run: Run, name: str, losses: RankTable | None = None, times: RankTable | None = None) -> Case:
    """The case of a run."""
    declared = tuple(Declared(step, kind) for step, kind in run.declared)
    plan = Plan(run.total, run.warmup, float(run.profile.interval), declared)
    told = [Evaluation(step, t, loss) for step, t, loss in run.evaluations]
    return Case(name, plan, rows(run), told, losses, times, run.end, expects=False, shown=None)


def evaluated(rng: np.random.Generator, run: Run, every: int, sigma: float = 0.003, excess: float = 0.0) -> None:
    """Give the run an evaluation every so many rows: the clean loss, ``excess`` above it."""
    for k in range(every - 1, len(run.steps), every):
        loss = run.clean[k] * (1 + excess) * np.exp(sigma * rng.standard_normal())
        run.evaluations.append((int(run.steps[k]), float(run.t[k]) + 1.0, float(loss)))
