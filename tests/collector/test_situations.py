"""What happens to files on real disks: renamed, copied, replaced, deleted, linked, half there, not readable."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from collector.follow.files import DiskFiles, Entry, Missing, Piece
from tests.support import event_writer
from tests.support.growing import line, lines
from tests.support.world import World

HEAD = event_writer.header()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "job" / "output" / "log" / "rank_0" / "info.log"
    path.parent.mkdir(parents=True)
    return path


@pytest.fixture
def events(tmp_path: Path) -> Path:
    path = tmp_path / "job" / "tensorboard" / "rank_0" / "events.out.tfevents.1700000000.node0"
    path.parent.mkdir(parents=True)
    return path


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(DiskFiles(), root=str(tmp_path), now=time.time())


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def overwrite(path: Path, data: bytes, at: int = 0) -> None:
    """In place, as a page that arrives late."""
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


def warnings(world: World) -> str:
    return "".join(cursor for run in ("job", ".") for cursor in world.store.cursors(run).values())


def test_a_log_rotated_by_renaming_twice_is_read_through(world: World, log: Path) -> None:
    append(log, lines(range(1, 5)))
    world.settle()
    append(log, lines([5]))
    log.rename(f"{log}.1")
    append(log, lines([6]))
    world.settle()
    append(log, lines([7]))
    Path(f"{log}.1").rename(f"{log}.2")
    log.rename(f"{log}.1")
    append(log, lines([8]))
    world.settle()
    assert world.store.steps("loss") == list(range(1, 9))


def test_a_log_copied_and_cut_off_that_outgrew_itself_is_read_through(world: World, log: Path) -> None:
    append(log, lines(range(1, 5)))
    world.settle()
    append(log, lines([5]))
    shutil.copy(log, f"{log}.1")
    os.truncate(log, 0)
    append(log, lines(range(6, 20)))  # longer than what was read before
    world.settle()
    append(log, lines([20]))
    world.settle()
    assert world.store.steps("loss") == list(range(1, 21))
    assert {one[2] for one in world.store.generations} == {"first"}


def test_a_log_cut_off_without_a_copy_that_outgrew_itself_begins_again(world: World, log: Path) -> None:
    append(log, lines(range(1, 5)))
    world.settle()
    os.truncate(log, 0)
    append(log, lines(range(101, 120)))
    world.settle()
    assert world.store.steps("loss") == [*range(1, 5), *range(101, 120)]
    assert [one[2] for one in world.store.generations] == ["first", "replaced"]


def test_a_backup_copy_of_a_log_is_no_log_of_its_own(world: World, log: Path) -> None:
    append(log, lines(range(1, 5)))
    world.settle()
    shutil.copy(log, f"{log}.1")
    append(log, lines([5]))
    world.settle()
    assert world.store.steps("loss") == list(range(1, 6))


def test_a_file_replaced_by_rsync_goes_on_where_it_is_the_same(world: World, events: Path) -> None:
    events.write_bytes(HEAD + event_writer.scalars(range(5)))
    world.settle()
    for last in (9, 12):
        temporary = events.with_name(f".{events.name}.Xy12ab")
        temporary.write_bytes(HEAD + event_writer.scalars(range(last)))
        world.step()
        temporary.replace(events)
        world.settle()
    assert world.store.steps("loss") == list(range(12))
    assert [one[2] for one in world.store.generations] == ["first"]


@pytest.mark.parametrize("pause", [0.0, 3.0, 200.0], ids=["between two looks", "seen to be away", "forgotten"])
def test_a_file_deleted_and_made_again_opens_a_generation(world: World, events: Path, pause: float) -> None:
    events.write_bytes(HEAD + event_writer.scalars(range(5)))
    world.settle()
    events.unlink()
    if pause:
        world.step(pause)
        world.settle()
        world.step(pause)
    events.write_bytes(HEAD + event_writer.scalars(range(100, 108)))
    world.settle()
    assert world.store.steps("loss") == [*range(5), *range(100, 108)]
    assert [one[2] for one in world.store.generations] == ["first", "replaced"]


def test_a_file_that_comes_back_unchanged_is_not_read_again(world: World, events: Path) -> None:
    events.write_bytes(HEAD + event_writer.scalars(range(5)))
    world.settle()
    away = events.rename(events.parent.parent.parent.parent / "away")
    for _ in range(4):
        world.step(100.0)
    assert list(world.service.roster) == []
    away.rename(events)
    world.settle()
    assert world.store.steps("loss") == list(range(5))


def test_a_link_to_the_latest_run_that_is_turned_to_another_is_followed(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / "runs" / f"r{number}").mkdir(parents=True)
        (tmp_path / "runs" / f"r{number}" / "events.out.tfevents.1").write_bytes(
            event_writer.scalars(range(number * 10, number * 10 + 3))
        )
    root = tmp_path / "watched"
    root.mkdir()
    (root / "latest").symlink_to("../runs/r1")
    (root / "loop").symlink_to(".")
    world = World(DiskFiles(), root=str(root), now=time.time())
    world.settle()
    (root / "latest").unlink()
    (root / "latest").symlink_to("../runs/r2")
    world.settle()
    assert world.store.steps("loss") == [10, 11, 12, 20, 21, 22]
    assert world.service.news == ["loop: symlink_loop: the link leads to a directory above it."]


class Filling(DiskFiles):
    """Each time that the root is listed, one more run appears behind the listing's back."""

    made: list[int] = []  # noqa: RUF012 (DiskFiles has slots; the test empties it)

    def entries(self, path: str) -> Sequence[Entry] | Missing:
        listing = DiskFiles.entries(self, path)
        if path.endswith("filling") and len(self.made) < 20:
            self.made.append(len(self.made))
            run = Path(path) / f"run{len(self.made):02d}"
            run.mkdir()
            (run / "events.out.tfevents.1").write_bytes(event_writer.scalars([len(self.made)]))
        return listing


def test_a_directory_that_fills_while_it_is_listed_is_found_whole(tmp_path: Path) -> None:
    root = tmp_path / "filling"
    root.mkdir()
    Filling.made.clear()
    world = World(Filling(), root=str(root), now=time.time())
    for _ in range(25):
        world.step()
    assert sorted(world.store.steps("loss")) == list(range(1, 21))


@pytest.mark.parametrize(
    "ahead", [-3e9, -86_400.0, 86_400.0, 1e9], ids=["before 1970", "yesterday", "tomorrow", "2058"]
)
def test_a_file_servers_wrong_clock_costs_nothing(world: World, log: Path, ahead: float) -> None:
    for step in range(1, 6):
        append(log, lines([step]))
        os.utime(log, (world.now + ahead, world.now + ahead))
        world.step(2.1)
        assert world.store.steps("loss") == list(range(1, step + 1))
    append(log, line(6)[:-1])
    os.utime(log, (world.now + ahead, world.now + ahead))
    for _ in range(40):
        world.step()
    assert world.store.steps("loss") == list(range(1, 7))
    assert world.store.beats[-1].lag_bytes == 0


def test_zeros_that_begin_in_the_middle_of_a_record_are_waited_for(world: World, events: Path) -> None:
    data = HEAD + event_writer.scalars(range(50))
    for cut in range(len(data) - 60, len(data) - 1, 7):
        events.write_bytes(data[:cut] + bytes(len(data) - cut))
        world.settle()
        overwrite(events, data)
        world.settle()
        assert world.store.steps("loss") == list(range(50)), cut
        events.unlink()
        world.step()
        world.store.flush()
    assert "bad_data_crc" not in warnings(world)


def test_a_page_that_arrives_after_the_next_one_is_waited_for(world: World, events: Path) -> None:
    data = HEAD + event_writer.scalars(range(400))
    start = 4096
    assert len(data) > 3 * start
    append(events, data[:start] + bytes(start) + data[2 * start : 3 * start])
    world.settle()
    before = world.store.steps("loss")
    assert before == list(range(len(before)))
    overwrite(events, data[start : 2 * start], at=start)
    world.settle()
    append(events, data[3 * start :])
    world.settle()
    assert world.store.steps("loss") == list(range(400))
    assert "bad_" not in warnings(world)


class Stale(DiskFiles):
    """A handle of network storage that went stale: every read fails, and nothing else does."""

    broken: list[int] = []  # noqa: RUF012 (one error number; the test empties it)

    def read(self, path: str, offset: int, size: int) -> Piece | Missing:
        if self.broken and path.endswith("info.log"):
            return Missing(os.strerror(self.broken[0]).lower(), gone=False)
        return DiskFiles.read(self, path, offset, size)


@pytest.mark.parametrize("number", [errno.ESTALE, errno.EIO], ids=["ESTALE", "EIO"])
def test_a_file_that_cannot_be_read_for_a_while_is_told_and_read_later(
    tmp_path: Path, log: Path, events: Path, number: int
) -> None:
    world = World(Stale(), root=str(tmp_path), now=time.time())
    append(log, lines(range(1, 4)))
    events.write_bytes(event_writer.scalars(range(3)))
    Stale.broken[:] = [number]
    world.settle()
    assert world.state("info.log") == ("broken", os.strerror(number).lower())
    assert world.store.steps("loss") == [0, 1, 2]
    Stale.broken.clear()
    world.settle()
    assert world.state("info.log") == ("following", "")
    assert world.store.steps("loss", "info") == [1, 2, 3]
