"""What grows now is read before gigabytes of history, in every step, and the history is not forgotten over it."""

from __future__ import annotations

import io

import pytest

from collector.backlog import Backlog, backlog_of
from collector.budget import FIRST, LEAST, MOST, Budget
from collector.progress import Progress, sentence
from collector.service import BEHIND_SECONDS
from tests.support import event_writer
from tests.support.growing import line, lines
from tests.support.memory import MemoryFiles
from tests.support.world import World

LIVE = "/job/live/log/rank_0/info.log"
OLD = [f"/job/old{number:02d}/log/rank_0/info.log" for number in range(40)]
HISTORY = b"".join(
    line(step) + b"a line that says nothing of a metric, as most lines of a log do\n" * 90 for step in range(1, 101)
)


@pytest.fixture
def world() -> World:
    """Old files of several megabytes, of which a step can read a part only, since steps are said to take long."""
    world = World(MemoryFiles(), bound=64 * 1024)
    for path in OLD:
        world.files.append(path, HISTORY)
        world.files.contents[path].mtime = 1.9e9
    return world


def slow_step(world: World) -> float:
    return world.step(0.4)


def test_a_line_of_a_run_that_is_read_comes_within_one_step(world: World) -> None:
    world.files.append(LIVE, lines([1]))
    while _steps(world, LIVE) != [1]:
        slow_step(world)
    for step in range(2, 12):
        world.files.append(LIVE, lines([step]))
        assert slow_step(world) == 0  # there is history left
        assert _steps(world, LIVE)[-1] == step


def _steps(world: World, path: str) -> list[int]:
    """The stored steps of the run that the path belongs to."""
    return world.store.steps("loss", run=path.split("/")[2])


def test_a_run_that_begins_amid_the_catching_up_is_read_as_soon_as_it_is_found(world: World) -> None:
    slow_step(world)
    slow_step(world)
    world.files.append(LIVE, lines(range(1, 4)))
    world.step(2.0)
    assert slow_step(world) == 0
    assert _steps(world, LIVE) == [1, 2, 3]


def test_history_goes_on_although_what_is_new_would_fill_every_step(world: World) -> None:
    news = [f"/job/live{number:02d}/log/rank_0/info.log" for number in range(40)]
    for path in news:
        world.files.append(path, lines([1]))
    for _ in range(3):
        slow_step(world)
    before = backlog_of(world.service.roster)
    for step in range(2, 8):
        for path in news:
            world.files.append(path, lines(range(step * 1000, step * 1000 + 80)))
        slow_step(world)
    assert backlog_of(path for path in world.service.roster if path.path in OLD).read > 0
    world.settle()
    assert backlog_of(world.service.roster).share == 1.0
    assert before.share < 1.0
    for path in OLD:
        assert _steps(world, path) == list(range(1, 101))


def test_the_old_files_share_the_time(world: World) -> None:
    for _ in range(8):
        slow_step(world)
    offsets = [world.service.roster.paths[path].cursor.offset for path in OLD]
    assert max(offsets) - min(offsets) <= 64 * 1024
    assert 0 < max(offsets) < len(HISTORY)


def test_a_step_reads_less_when_steps_take_long_and_more_when_they_are_short() -> None:
    budget, now = Budget(), 0.0
    seen = []
    for took in (0.5, 0.5, 0.5, 0.2, *[0.05] * 12):
        budget.begin(now)
        budget.more(now)
        now += took
        seen.append(budget.bytes)
    assert seen[0] == FIRST
    assert min(seen) == LEAST
    assert seen[-1] > FIRST
    assert max(seen) <= MOST
    before = budget.bytes
    budget.begin(now + 100)
    budget.begin(now + 200)  # rests between two steps say nothing
    assert budget.bytes in (before // 2, before)


def test_the_sign_of_life_tells_how_far_each_run_is_after_three_seconds(world: World) -> None:
    slow_step(world)
    assert world.service.backlog(world.now) is None
    for _ in range(int(BEHIND_SECONDS / 0.4) + 6):
        slow_step(world)
    told = world.store.beats[-1].behind
    assert told.keys() == {f"old{number:02d}" for number in range(40)}
    assert all(0 < read < total == len(HISTORY) for read, total in told.values())
    world.settle()
    assert world.store.beats[-1].behind == {}
    assert world.service.backlog(world.now) is None


def test_a_file_that_cannot_be_read_to_its_end_is_no_backlog_for_ever() -> None:
    world = World(MemoryFiles())
    world.files.append("/job/tensorboard/events.out.tfevents.1", event_writer.scalars([1]) + b"\x07" * 40)
    world.files.append(LIVE, lines([1])[:-5])
    world.settle()
    assert backlog_of(world.service.roster).share == 1.0


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def told(progress: Progress, seconds: int) -> None:
    """Ten megabytes a second of 400 MB, looked at twice a second; afterwards there is no backlog."""
    for half in range(2 * seconds):
        progress.show(half / 2, lambda now: Backlog(int(now * 10e6), 400_000_000, 12))
    progress.show(float(seconds), lambda now: None)


def test_on_a_terminal_one_line_is_written_over() -> None:
    out, kept = Terminal(), []
    told(Progress(kept.append, out), 4)
    shown = out.getvalue().split("\r\x1b[K")
    assert shown[3] == ("Catching up: 2 % of 400.0 MB read, 390.0 MB in 12 files to go, 10.0 MB/s, about 39 s left.")
    assert shown[-1] == ""
    assert kept == ["Caught up: 35.0 MB more were read in 4 s."]


def test_elsewhere_a_line_comes_every_ten_seconds() -> None:
    kept: list[str] = []
    told(Progress(kept.append, io.StringIO()), 35)
    assert [one.partition(" of ")[0] for one in kept] == [
        "Catching up: 0 %",
        "Catching up: 25 %",
        "Catching up: 50 %",
        "Catching up: 75 %",
        "Caught up: 345.0 MB more were read in 35 s.",
    ]


def test_no_rate_is_told_before_it_is_known() -> None:
    assert sentence(Backlog(10, 2000, 1), 0.0) == "Catching up: 0 % of 2.0 kB read, 2.0 kB in 1 file to go."
