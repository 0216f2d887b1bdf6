"""Every call that the collector makes fails once: the first, the second, … until a whole history goes through."""

from __future__ import annotations

import errno

import pytest

from tests.support import event_writer
from tests.support.growing import lines
from tests.support.memory import MemoryFiles
from tests.support.troubled import Countdown, FailingFiles, FailingStore, ShortReads
from tests.support.world import World

LOG = "/job/output/log/rank_0/info.log"
EVENTS = "/job/tensorboard/rank_0/events.out.tfevents.1700000000.node0"
LOGGED, SCALARS = list(range(1, 32)), list(range(20))
MOST_CALLS = 2000


def grow(files: MemoryFiles, chapter: int) -> None:
    """A history in five chapters: two files, growth, a rotation, growth, a replaced event file."""
    match chapter:
        case 0:
            files.append(LOG, lines(range(1, 11)))
            files.append(EVENTS, event_writer.scalars(range(10)))
        case 1:
            files.append(LOG, lines(range(11, 16))[:-30])
        case 2:
            files.append(LOG, lines(range(11, 16))[-30:] + lines([16]))
            files.rename(LOG, f"{LOG}.1")
            files.append(LOG, lines(range(17, 21)))
        case 3:
            files.append(LOG, lines(range(21, 31)))
        case 4:
            files.append(LOG, lines([31])[:-1])  # the last line has no end
            files.replace(EVENTS, event_writer.scalars(range(20)))


def live_through(world: World, files: MemoryFiles) -> None:
    for chapter in range(5):
        grow(files, chapter)
        for _ in range(4):
            world.step(1.0)
            stored = world.store.steps("loss", "info"), world.store.steps("loss", "events")
            assert sorted(stored[0]) == LOGGED[: len(stored[0])]
            assert stored[1] == SCALARS[: len(stored[1])]
    world.step(700.0)
    world.settle()
    assert sorted(world.store.steps("loss", "info")) == LOGGED
    assert world.store.steps("loss", "events") == SCALARS


def recovers(world: World) -> bool:
    """Whether the next looks find nothing wrong any more."""
    world.step()
    world.step()
    return {one.state(world.now).state for one in world.service.roster} == {"drained"}


@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.EACCES, errno.EMFILE])
def test_a_call_to_the_file_system_that_fails_costs_no_point(number: int) -> None:
    for nth in range(1, MOST_CALLS):
        files, countdown = MemoryFiles(), Countdown(nth)
        world = World(FailingFiles(files, countdown, number), bound=4096)
        live_through(world, files)
        if countdown.left > 0:
            return
        assert recovers(world)
    raise AssertionError("the history never ended")


@pytest.mark.parametrize("after", [False, True], ids=["the command is lost", "the answer is lost"])
def test_a_call_to_the_store_that_fails_costs_no_point_and_doubles_none(after: bool) -> None:
    for nth in range(1, MOST_CALLS):
        files, countdown = MemoryFiles(), Countdown(nth)
        live_through(World(files, bound=4096, store=FailingStore(countdown, after=after)), files)
        if countdown.left > 0:
            return
    raise AssertionError("the history never ended")


def test_reads_that_give_less_than_was_asked_for_give_every_point() -> None:
    files = MemoryFiles()
    live_through(World(ShortReads(files, 1500), bound=4096), files)
