"""Histories of a log: written, rotated, rewritten, with crashes, flushes and a rival: each point is stored once."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from collector.health import Identity
from collector.runs import Naming
from collector.service import Pace, Service
from tests.support.growing import lines
from tests.support.memory import MemoryFiles, MemoryStore

LOG = "/job/output/log/rank_0/info.log"


class LogHistory(RuleBasedStateMachine):
    """The model is a list: every step that was written, less those that were overwritten before a flush."""

    @initialize(copies=st.booleans())
    def begin(self, copies: bool) -> None:
        self.copies = copies  # how this job's logs are rotated: renamed, or copied and cut off
        self.files, self.store = MemoryFiles(), MemoryStore()
        self.now, self.written = 2e9, 0
        self.expected: list[int] = []
        self.on_disk: dict[str, list[int]] = {}
        self.services = [self._fresh(), self._fresh()]

    def _fresh(self) -> Service:
        return Service(["/job"], Identity("host:1", "host", 1), Naming(), Pace(bound=2048))

    def _next(self, count: int) -> list[int]:
        steps = list(range(self.written + 1, self.written + 1 + count))
        self.written += count
        return steps

    def _work(self, which: int) -> None:
        self.now += 1.5
        self.services[which].step(self.now, self.files, self.store)

    def _settle(self) -> None:
        for _ in range(60):
            self._work(0)

    @rule(count=st.integers(1, 12), torn=st.booleans())
    def append(self, count: int, torn: bool) -> None:
        steps = self._next(count)
        data = lines(steps)
        if torn:
            self.files.append(LOG, data[:-20])
            self._work(0)
            data = data[-20:]
        self.files.append(LOG, data)
        self.on_disk.setdefault(LOG, []).extend(steps)
        self.expected += steps

    @rule()
    def rotate(self) -> None:
        parts = [LOG, *(f"{LOG}.{number}" for number in range(1, 30))]
        last = next(index for index, path in enumerate(parts) if path not in self.files.contents)
        for index in range(last, 0, -1):
            if self.copies and index == 1:
                self.files.copy(parts[0], parts[1])
                self._work(0)
                self.files.overwrite(parts[0], b"")
                self._settle()  # two such rotations between two looks leave nothing that tells them apart
            else:
                self.files.rename(parts[index - 1], parts[index])
            self.on_disk[parts[index]] = self.on_disk.pop(parts[index - 1], [])

    @rule(count=st.integers(1, 20), new_inode=st.booleans())
    def begin_again(self, count: int, new_inode: bool) -> None:
        if LOG not in self.files.contents:
            return
        self._settle()  # what is overwritten before anybody looked is lost to every reader
        steps = self._next(count)
        (self.files.replace if new_inode else self.files.overwrite)(LOG, lines(steps))
        self.on_disk[LOG] = steps
        self.expected += steps

    @rule(which=st.integers(0, 1))
    def work(self, which: int) -> None:
        self._work(which)

    @rule(which=st.integers(0, 1))
    def crash(self, which: int) -> None:
        self.services[which] = self._fresh()

    @rule()
    def lose_an_answer(self) -> None:
        self.store.answers_lost = 1

    @rule()
    def flush(self) -> None:
        self.store.flush()
        self.expected = [step for steps in self.on_disk.values() for step in steps]

    @invariant()
    def nothing_is_stored_twice(self) -> None:
        stored = self.store.steps("loss")
        assert len(stored) == len(set(stored))

    def teardown(self) -> None:
        self._settle()
        assert sorted(self.store.steps("loss")) == sorted(self.expected)


TestLogHistory = LogHistory.TestCase
TestLogHistory.settings = settings(
    max_examples=120, stateful_step_count=30, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
)
