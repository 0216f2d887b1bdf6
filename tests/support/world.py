"""One collector with a clock of its own, on files in memory or on disk, and a store in memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from collector.follow.files import Files
from collector.health import Identity
from collector.runs import Naming
from collector.service import Pace, Service
from tests.support.memory import MemoryStore


@dataclass
class World:
    """``step`` lets ``seconds`` pass and gives the collector its turn."""

    files: Files
    root: str = "/job"
    bound: int = 2**20
    store: MemoryStore = field(default_factory=MemoryStore)
    now: float = 2e9
    host: str = "host"
    naming: Naming = field(default_factory=Naming)

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        """A fresh process with no memory."""
        who = Identity(f"{self.host}:1", self.host, 1)
        self.service = Service([self.root], who, self.naming, Pace(bound=self.bound))

    def step(self, seconds: float = 3.0) -> float:
        self.now += seconds
        return self.service.step(self.now, self.files, self.store)

    def settle(self) -> None:
        """Until there is nothing more to do at once."""
        for _ in range(300):
            if self.step() > 0 and self.step() > 0:
                return
        raise AssertionError("it never rests")

    def state(self, file: str) -> tuple[str, str]:
        states = [tracked.state(self.now) for tracked in self.service.roster]
        return next((one.state, one.reason) for one in states if one.file.endswith(file))
