"""How often files are looked at: what notifications tell of seldom, many that grow as often as it may cost."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from collector.effort import FEWER_WALKS, LOOKS_A_SECOND, MANY, Effort
from collector.follow.files import FileStat, Missing
from collector.follow.touched import NOTHING, Touched
from tests.support.growing import line
from tests.support.memory import MemoryFiles
from tests.support.world import World


class CountedFiles(MemoryFiles):
    def __init__(self) -> None:
        super().__init__()
        self.looks = 0

    def stat(self, path: str) -> FileStat | Missing:
        self.looks += 1
        return super().stat(path)


@dataclass
class Growing:
    """So many logs that grow by a line a second, with or without notifications that tell it."""

    count: int
    told: bool

    def __post_init__(self) -> None:
        self.files = CountedFiles()
        self.world = World(self.files)
        self.paths = [f"/job/output/log/rank_{rank}/info.log" for rank in range(self.count)]
        self.step = 0

    def second(self) -> int:
        """One second in ten steps of the collector; how often it looked at a file."""
        self.step += 1
        self.files.looks = 0
        for path in self.paths:
            self.files.append(path, line(self.step))
        for part in range(10):
            self.world.now += 0.1
            heard = Touched(frozenset(self.paths)) if self.told and part == 0 else NOTHING
            self.world.service.step(self.world.now, self.files, self.world.store, heard)
        return self.files.looks


def test_a_file_whose_growth_is_told_is_not_asked_all_the_time() -> None:
    told, asked = Growing(1, told=True), Growing(1, told=False)
    for job in (told, asked):
        for _ in range(10):
            job.second()
    assert told.second() + told.second() <= 4  # one look each time it is told, and one in two seconds
    assert asked.second() >= 5
    assert told.world.store.steps("loss") == list(range(1, 13))


def test_when_notifications_fall_silent_looking_takes_over() -> None:
    job = Growing(1, told=True)
    for _ in range(5):
        job.second()
    job.told = False
    for _ in range(3):
        job.second()
    assert job.second() >= 5
    job.world.settle()
    assert job.world.store.steps("loss") == list(range(1, 10))


def test_many_files_share_what_looking_may_cost() -> None:
    effort = Effort(0.1, 2.0)
    job = Growing(40, told=False)
    for _ in range(3):
        job.second()
    tracked = list(job.world.service.roster)
    for growing, seconds in ((40, 0.1), (LOOKS_A_SECOND // 2, 0.5), (LOOKS_A_SECOND * 9, 2.0)):
        effort.weigh(job.world.now, tracked * (growing // 40))
        assert effort.busy == pytest.approx(seconds, rel=0.05)


def test_trees_are_walked_less_often_where_notifications_prove_to_tell() -> None:
    for told, often in ((True, FEWER_WALKS), (False, 1)):
        job = Growing(20, told=told)
        for _ in range(5):
            job.second()
        effort = Effort(0.1, 2.0)
        effort.weigh(job.world.now, job.world.service.roster)
        assert effort.walks == 2.0 * often


def test_very_many_files_that_grow_are_looked_at_instead_of_being_told_of() -> None:
    job = Growing(20, told=True)
    for _ in range(5):
        job.second()
    (now, told), effort = (job.world.now, list(job.world.service.roster)), Effort(0.1, 2.0)
    effort.weigh(now, told * (MANY // 20))
    assert not effort.looks
    effort.weigh(now, told * (MANY // 20 + 1))
    assert effort.looks
    job.told = False
    for _ in range(3):
        job.second()
    asked = list(job.world.service.roster)
    effort.weigh(job.world.now, asked * (MANY // 20))
    assert effort.looks  # between half as many and as many nothing changes
    assert effort.walks == 2.0 * FEWER_WALKS  # and what was found out of notifications still holds
    effort.weigh(job.world.now, asked)
    assert not effort.looks


def test_where_nothing_is_told_there_is_nothing_to_leave_out() -> None:
    job = Growing(20, told=False)
    for _ in range(5):
        job.second()
    effort = Effort(0.1, 2.0)
    effort.weigh(job.world.now, list(job.world.service.roster) * MANY)
    assert not effort.looks
