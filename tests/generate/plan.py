"""What a generated run is to be: so many ranks, their layout, its length, its faults."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tests.generate.fault import Fault, of_kind

Ints = NDArray[np.int64]
Part = Literal["events", "info", "worker"]
PARTS: tuple[Part, ...] = ("events", "info", "worker")

BEGAN = 1_760_000_000.0
A_HOST = 8  # ranks
BATCH = 2  # samples of a data-parallel share
REDONE = 10  # steps that a stopped attempt had gone beyond the checkpoint from which the next goes on
AWAY = 300.0  # seconds between two attempts
SKEWS = 0.11 * (np.arange(7) - 3)  # seconds by which clocks of hosts differ

# dp=16,tp=4
AXES = re.compile(r"(?:dp|tp|pp)=[1-9]\d*(?:,(?:dp|tp|pp)=[1-9]\d*)*")


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the parallel axes. MindSpore counts stage by stage; neighbours within one share a tensor."""

    dp: int = 1
    tp: int = 1
    pp: int = 1

    @classmethod
    def parsed(cls, text: str) -> Shape:
        """As a command line says it; raises ``ValueError``."""
        if not AXES.fullmatch(text):
            raise ValueError(f"{text!r} is no layout: dp=16,tp=4,pp=2")
        return cls(**{axis: int(size) for axis, size in (part.split("=") for part in text.split(","))})

    @property
    def world(self) -> int:
        return self.dp * self.tp * self.pp

    def stage(self, ranks: Ints) -> Ints:
        """The pipeline stage of each rank."""
        return ranks // (self.dp * self.tp)

    def tensor(self, ranks: Ints) -> Ints:
        """Each rank's place among those that share a tensor."""
        return ranks % self.tp


@dataclass(frozen=True, slots=True)
class Attempt:
    """Steps ``first`` to ``last`` of one start of the program, ``late`` seconds behind what the steps took."""

    number: int
    first: int
    last: int
    late: float


@dataclass(frozen=True, slots=True)
class Plan:
    """``every``: seconds a step. ``resumed``: a second attempt goes on behind this step (0: there is one attempt).
    ``apart``: each host has a directory of its own, and counts its workers from 0. ``pynative``: as that mode does.
    ``evaluated``: steps between two evaluations (0: there are none). ``empty``: no scalar in event files came to disk.
    ``told``: the directory that the log says event files go to, "" where it says nothing."""

    shape: Shape
    tags: tuple[str, ...]
    steps: int = 500
    seed: int = 0
    every: float = 1.0
    began: float = BEGAN
    faults: tuple[Fault, ...] = ()
    resumed: int = 0
    apart: bool = False
    pynative: bool = False
    parts: tuple[Part, ...] = PARTS
    evaluated: int = 0
    empty: bool = False
    told: str = ""

    def __post_init__(self) -> None:
        absent = sorted({rank for fault in self.faults for rank in fault.ranks if rank >= self.shape.world})
        if absent:
            raise ValueError(f"there is no rank {absent[0]} among {self.shape.world}")

    @property
    def hosts(self) -> range:
        return range(-(-self.shape.world // A_HOST))

    def ranks(self, host: int) -> Ints:
        """The ranks of a host."""
        return np.arange(host * A_HOST, min((host + 1) * A_HOST, self.shape.world))

    def has_loss(self, rank: int) -> bool:
        """Whether it is in the last stage."""
        return rank >= self.shape.world - self.shape.dp * self.shape.tp

    @property
    def last(self) -> int:
        """The last step, of which a traceback lets none be done."""
        return min([self.steps, *(one.since - 1 for one in of_kind(self.faults, "traceback"))])

    def last_of(self, rank: int) -> int:
        """The last step that a rank writes."""
        silent = [one.since - 1 for one in of_kind(self.faults, "silent") if rank in one.ranks]
        return min([self.last, *silent])

    @property
    def attempts(self) -> list[Attempt]:
        """One, or two that overlap."""
        if not 0 < self.resumed < self.last:
            return [Attempt(1, 1, self.last, 0.0)]
        before = min(self.resumed + REDONE, self.last)
        late = AWAY + (before - self.resumed) * self.every
        return [Attempt(1, 1, before, 0.0), Attempt(2, self.resumed + 1, self.last, late)]
