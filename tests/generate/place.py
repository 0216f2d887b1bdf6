"""Where the files of a rank lie, and what its clock shows."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.generate.numbers import Numbers
from tests.generate.plan import A_HOST, SKEWS, Attempt, Ints, Plan


def host_of(rank: int) -> int:
    return rank // A_HOST


def host_name(host: int) -> str:
    return f"node{host}"


def skew_of(host: int) -> int:
    """Which of the few clocks that go wrong differently a host has."""
    return host % len(SKEWS)


class Places:
    """The paths of a run below ``root``."""

    def __init__(self, plan: Plan, root: Path) -> None:
        self._plan, self._root = plan, root
        self.events = lru_cache(maxsize=65_536)(self._events)
        self._clock = np.concatenate([[0.0], Numbers(plan).step_ms(np.arange(1, plan.steps + 1)).cumsum() / 1000])

    def walls(self, attempt: Attempt, skew: int, steps: Ints) -> NDArray[np.float64]:
        """When each step was through, by a host's clock."""
        return np.asarray(self._plan.began + attempt.late + SKEWS[skew] + self._clock[steps], np.float64)

    def started(self, attempt: Attempt, skew: int = 0) -> float:
        """A moment before the attempt's first step."""
        return float(self.walls(attempt, skew, np.array([attempt.first - 1]))[0]) - 30.0

    def job(self, rank: int) -> Path:
        """The job's directory as the rank's host sees it."""
        return self._root / host_name(host_of(rank)) / self._root.name if self._plan.apart else self._root

    def _events(self, rank: int, attempt: Attempt) -> Path:
        name = f"events.out.tfevents.{int(self.started(attempt))}.{host_name(host_of(rank))}"
        folder = self.job(rank) / "tensorboard"
        return folder / name if self._plan.pynative else folder / f"rank_{rank}" / name

    def info(self, rank: int) -> Path:
        return self.job(rank) / "output" / "log" / f"rank_{rank}" / "info.log"

    def worker(self, rank: int) -> Path:
        """msrun counts workers on each host where hosts share no directory."""
        number = rank % A_HOST if self._plan.apart else rank
        return self.job(rank) / "msrun_log" / f"worker_{number}.log"
