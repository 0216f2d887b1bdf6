"""Histories of a log and of an event file: written, rotated, replaced, deleted, made again, half there, with restarts,
flushes and a rival. Each point is stored once."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from collector.health import Identity
from collector.runs import Naming
from collector.service import Pace, Service
from tests.support import event_writer
from tests.support.growing import lines
from tests.support.memory import MemoryFiles, MemoryStore

LOG = "/job/output/log/rank_0/info.log"
EVENTS = "/job/tensorboard/events.out.tfevents.1700000000.node0"


class TwoCollectors(RuleBasedStateMachine):
    """Two collectors on one store, which may work, crash and miss an answer at any moment."""

    bound = 2048  # bytes of a file's turn
    patience = 60  # steps in which everything that can be read is read

    def __init__(self) -> None:
        super().__init__()
        self.files, self.store = MemoryFiles(), MemoryStore()
        self.now, self.written = 2e9, 0
        self.services = [self._fresh(), self._fresh()]

    def _fresh(self) -> Service:
        return Service(["/job"], Identity("host:1", "host", 1), Naming(), Pace(bound=self.bound))

    def _next(self, count: int) -> list[int]:
        steps = list(range(self.written + 1, self.written + 1 + count))
        self.written += count
        return steps

    def _work(self, which: int) -> None:
        self.now += 1.5
        self.services[which].step(self.now, self.files, self.store)

    def _settle(self) -> None:
        for _ in range(self.patience):
            self._work(0)

    @rule(which=st.integers(0, 1))
    def work(self, which: int) -> None:
        self._work(which)

    @rule(which=st.integers(0, 1))
    def crash(self, which: int) -> None:
        self.services[which] = self._fresh()

    @rule()
    def lose_an_answer(self) -> None:
        self.store.answers_lost = 1


class LogHistory(TwoCollectors):
    """The model is a list: every step that was written, less those that were overwritten before a flush."""

    @initialize(copies=st.booleans())
    def begin(self, copies: bool) -> None:
        self.copies = copies  # how this job's logs are rotated: renamed, or copied and cut off
        self.expected: list[int] = []
        self.on_disk: dict[str, list[int]] = {}

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
        if self.copies:
            self._settle()  # made again and copied between two looks: as little tells the two apart

    @rule()
    def delete(self) -> None:
        if LOG in self.files.contents:
            self._settle()
            self.files.delete(LOG)
            self.on_disk.pop(LOG, None)

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


class EventHistory(TwoCollectors):
    """One event file. The model: every step that was whole when the collectors had time to read it; what a replaced or
    deleted file held before is kept."""

    bound = 4096
    patience = 40

    @initialize()
    def begin(self) -> None:
        self.kept: list[int] = []  # of former contents
        self.here: list[int] = []  # of the file as it is
        self.late, self.zeros = b"", False  # what is still to be written of a record, and whether zeros stand there

    def _complete(self) -> None:
        """What is there in part arrives: behind the rest, or in the place of zeros."""
        content = self.files.contents.get(EVENTS)
        if content is not None and self.late:
            if self.zeros:
                del content.data[len(content.data) - len(self.late) :]
            self.files.append(EVENTS, self.late)
        self.late = b""

    @rule(count=st.integers(1, 40), cut=st.integers(0, 60), zeros=st.booleans())
    def append(self, count: int, cut: int, zeros: bool) -> None:
        self._complete()
        steps = self._next(count)
        data = event_writer.scalars(steps)
        self.here += steps
        self.late = data[len(data) - min(cut, len(data)) :] if cut else b""
        self.files.append(EVENTS, data[: len(data) - len(self.late)])
        self.zeros = zeros
        if zeros and self.late:
            self.files.append(EVENTS, bytes(len(self.late)))

    @rule(count=st.integers(0, 40))
    def replace_by_longer_copy(self, count: int) -> None:
        if EVENTS in self.files.contents:
            self._complete()
            steps = self._next(count)
            self.here += steps
            self.files.replace(EVENTS, bytes(self.files.contents[EVENTS].data) + event_writer.scalars(steps))

    @rule(count=st.integers(1, 60), new_inode=st.booleans())
    def replace_by_other(self, count: int, new_inode: bool) -> None:
        if EVENTS in self.files.contents:
            self._leave()
            self.here = self._next(count)
            put = self.files.replace if new_inode else self.files.overwrite
            put(EVENTS, event_writer.header(self.written) + event_writer.scalars(self.here))

    @rule(forgotten=st.booleans())
    def delete(self, forgotten: bool) -> None:
        if EVENTS in self.files.contents:
            self._leave()
            self.files.delete(EVENTS)
            for _ in range(2 * forgotten):
                self.now += 100
                self._work(0)

    def _leave(self) -> None:
        self._complete()
        self._settle()
        self.kept, self.here = self.kept + self.here, []

    @rule()
    def flush(self) -> None:
        self.store.flush()
        self.kept = []

    @invariant()
    def what_is_stored_was_written_and_is_there_once(self) -> None:
        stored = self.store.steps("loss")
        assert len(stored) == len(set(stored))
        assert set(stored) <= {*self.kept, *self.here}

    def teardown(self) -> None:
        self._complete()
        self._settle()
        assert self.store.steps("loss") == self.kept + self.here
        assert not any("bad_" in cursor for cursor in self.store.cursors("job").values())


TestLogHistory = LogHistory.TestCase
TestEventHistory = EventHistory.TestCase
TestLogHistory.settings = TestEventHistory.settings = settings(
    max_examples=120, stateful_step_count=30, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
)
