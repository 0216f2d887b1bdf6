"""What is to be exported of a run: values alone, whoever asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.series.curve import Curve
from app.series.splice import stands
from collector.wire.records import Source

Attempts = int | Literal["all", "latest"]
Layout = Literal["wide", "long"]


@dataclass(frozen=True, slots=True)
class Question:
    """``metrics`` and ``tags`` as they are asked for, none of both for every standard metric of the run, ``every`` for
    every name. ``ranks``: none for those that speak for the run. ``start`` and ``end`` are steps, ``since`` and
    ``until`` Unix seconds, all inclusive."""

    metrics: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    ranks: tuple[int, ...] = ()
    every: bool = False
    source: Source | None = None
    attempt: Attempts = "all"
    start: int | None = None
    end: int | None = None
    since: float | None = None
    until: float | None = None
    layout: Layout = "wide"


@dataclass(frozen=True, slots=True)
class View:
    """Which points of a run are wanted; ``first_steps`` say where its attempts began."""

    question: Question
    first_steps: tuple[int, ...]

    @property
    def latest(self) -> bool:
        """Whether each step is wanted once, of the newest attempt that has done it."""
        return self.question.attempt == "latest"

    def of(self, curve: Curve) -> Curve:
        """The points of the curve that are wanted; it knows their attempts."""
        asked = self.question
        keep = np.ones(len(curve), dtype=np.bool_)
        if asked.start is not None:
            keep &= curve.steps >= asked.start
        if asked.end is not None:
            keep &= curve.steps <= asked.end
        if asked.since is not None:
            keep &= curve.walls >= asked.since
        if asked.until is not None:
            keep &= curve.walls <= asked.until
        if asked.attempt == "latest":
            keep &= stands(curve, self.first_steps)
        elif asked.attempt != "all":
            keep &= curve.attempts == asked.attempt
        return curve if keep.all() else curve.take(keep)
