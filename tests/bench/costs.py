"""What a program took that did its work in a process of its own, measured in turn with others."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tests.support.dashboard import ROOT

# One thread each: the spinning threads of a linear algebra library that nobody uses would count as work.
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "TZ": "UTC"}


@dataclass(frozen=True, slots=True)
class Cost:
    """``cpu``: processor seconds of all threads; ``count``: what was read; ``peak``: bytes beyond the start."""

    cpu: float
    count: int
    peak: int

    @property
    def rate(self) -> float:
        """Items a processor second."""
        return self.count / self.cpu


Side = Callable[[], Cost]


def child(command: Sequence[str]) -> Cost:
    """The cost that a program prints as its last line; raises ``CalledProcessError`` with what it said."""
    done = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    return Cost(**json.loads(done.stdout.splitlines()[-1]))


def in_turn(sides: Mapping[str, Side], rounds: int) -> dict[str, Cost]:
    """A B A B …: the median of each side, so that what else the machine does falls on all alike."""
    found: dict[str, list[Cost]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, side in sides.items():
            found[name].append(side())
    return {name: _median(costs) for name, costs in found.items()}


def _median(costs: Sequence[Cost]) -> Cost:
    cpu = statistics.median(one.cpu for one in costs)
    return Cost(cpu, costs[0].count, int(statistics.median(one.peak for one in costs)))
