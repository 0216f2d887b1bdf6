"""What the rules are given: one logged row of a run, one evaluation, and what is known of the run beforehand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One logged row, in the order in which the job wrote them: steps may go back. ``t`` is in Unix seconds,
    ``step_time`` in seconds a step, ``gbs`` the global batch in samples where rows say it. None is a value that the row
    does not have; NaN and infinities are values."""

    step: int
    t: float | None
    loss: float | None = None
    lr: float | None = None
    grad_norm: float | None = None
    loss_scale: float | None = None
    overflow: bool = False
    step_time: float | None = None
    gbs: float | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One evaluation: a loss at a step, told at ``t`` (Unix seconds)."""

    step: int
    t: float | None
    loss: float


@dataclass(frozen=True, slots=True)
class Declared:
    """Something that people did on purpose at a step: ``data_mix_change``, ``resume_rewarm``, ``lr_change``."""

    step: int
    kind: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What is known of a run beside its rows; 0 and "" where nothing is. ``total_steps`` and ``warmup`` are in steps,
    ``interval`` in steps between two rows, until the rows themselves have told."""

    total_steps: int = 0
    warmup: int = 0
    interval: float = 1.0
    declared: tuple[Declared, ...] = ()
