"""Finding files on a real file system, and being told about them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from collector.follow.bell import Bell
from collector.follow.discovery import Snapshot, difference, discover
from collector.follow.files import DiskFiles, FileStat, Missing, Piece
from collector.follow.rotation import renamed_to
from collector.follow.watch import Watch
from collector.runs import Naming, select
from collector.wire.records import Cursor
from tests.support.growing import Job
from tests.support.waiting import eventually

FILES = DiskFiles()


def look(*roots: Path) -> Snapshot:
    return discover(FILES, [str(root) for root in roots], select)


def names(snapshot: Snapshot, root: Path) -> list[str]:
    return sorted(os.path.relpath(path, root) for path in snapshot.files)


def touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x")
    return path


def test_known_files_are_found_and_others_are_left_alone(tmp_path: Path) -> None:
    job = Job(tmp_path)
    for path in (job.events, job.log, job.worker):
        touch(path)
    touch(tmp_path / "checkpoint" / "rank_0" / "model.ckpt")
    touch(tmp_path / ".snapshot" / "info.log")
    assert names(look(tmp_path), tmp_path) == [
        "msrun_log/worker_0.log",
        "output/log/rank_0/info.log",
        "tensorboard/rank_0/events.out.tfevents.1700000000.node0",
    ]


def test_two_snapshots_tell_what_appeared_and_what_went(tmp_path: Path) -> None:
    gone = touch(tmp_path / "a" / "info.log")
    before = look(tmp_path)
    gone.unlink()
    new = touch(tmp_path / "b" / "info.log")
    found = difference(before, look(tmp_path))
    assert [one.path for one in found.appeared] == [str(new)]
    assert found.went == (str(gone),)


def test_links_are_followed_once_and_never_in_a_circle(tmp_path: Path) -> None:
    touch(tmp_path / "real" / "r1" / "info.log")
    watched = tmp_path / "watch"
    touch(watched / "own" / "info.log")
    (watched / "first").symlink_to("../real/r1")
    (watched / "again").symlink_to("own")
    (watched / "loop").symlink_to(".")
    (watched / "up").symlink_to("/")
    (watched / "broken").symlink_to("../real/none")
    snapshot = look(watched)
    assert names(snapshot, watched) == ["first/info.log", "own/info.log"]
    assert [(one.file, one.reason.partition(":")[0]) for one in snapshot.problems] == [
        ("broken", "broken_symlink"),
        ("loop", "symlink_loop"),
        ("up", "symlink_loop"),
    ]


def test_a_root_that_is_away_is_a_problem_and_the_other_roots_go_on(tmp_path: Path) -> None:
    touch(tmp_path / "here" / "info.log")
    snapshot = look(tmp_path / "nowhere", tmp_path / "here")
    assert len(snapshot.files) == 1
    assert [(one.file, one.state) for one in snapshot.problems] == [(str(tmp_path / "nowhere"), "gone")]


def test_a_single_file_can_be_a_root(tmp_path: Path) -> None:
    path = touch(tmp_path / "worker_3.log")
    (found,) = look(path).files.values()
    assert (found.path, found.role.rank) == (str(path), 3)


def test_runs_are_named_by_their_path_or_as_told(tmp_path: Path) -> None:
    touch(tmp_path / "job_a" / "output" / "log" / "rank_0" / "info.log")
    (found,) = look(tmp_path).files.values()
    (alone,) = look(tmp_path / "job_a").files.values()
    assert Naming().run_of(found).id == Naming().run_of(alone).id == "job_a"
    assert Naming().run_of(alone).path == str(tmp_path / "job_a")
    assert Naming("pangu", demo=True).run_of(alone).id == "pangu"
    assert Naming("pangu", demo=True).run_of(alone).demo
    assert Naming("pangu").run_of(found).name == "pangu/job_a"


def test_a_name_that_is_no_utf8_can_be_followed_and_stored(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe"))
    touch(folder / "rank_0" / "info.log")
    (found,) = look(tmp_path).files.values()
    assert isinstance(FILES.stat(found.path), FileStat)
    assert Naming().run_of(found).path.encode("utf-8").endswith("/\ufffdff\ufffdfe".encode())


def test_reading_gives_the_bytes_and_the_state_of_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "info.log"
    path.write_bytes(b"0123456789")
    piece = FILES.read(str(path), 3, 4)
    assert isinstance(piece, Piece)
    assert (piece.data, piece.stat) == (b"3456", FILES.stat(str(path)))
    assert DiskFiles(fresh=True).stat(str(path)) == piece.stat


@pytest.mark.parametrize(
    "make", [lambda path: None, os.mkfifo, os.mkdir], ids=["absent", "a named pipe", "a directory"]
)
def test_what_cannot_be_read_is_a_value_with_a_reason(make: object, tmp_path: Path) -> None:
    path = tmp_path / "info.log"
    assert callable(make)
    make(path)
    found = FILES.read(str(path), 0, 10)
    assert isinstance(found, Missing)
    assert found.reason
    assert found.gone is not path.exists()


def test_a_renamed_log_is_found_by_its_inode_and_its_bytes(tmp_path: Path) -> None:
    log = tmp_path / "info.log"
    log.write_bytes(b"some lines")
    stat = FILES.stat(str(log))
    assert isinstance(stat, FileStat)
    cursor = Cursor("info.log", "log", 0, inode=stat.inode)
    log.rename(tmp_path / "info.log.1")
    (tmp_path / "info.log.2").write_bytes(b"older")
    assert renamed_to(FILES, str(log), cursor) == str(tmp_path / "info.log.1")
    assert renamed_to(FILES, str(log), Cursor("info.log", "log", 0, offset=4, marker="x", inode=stat.inode)) is None


@pytest.fixture
def bell() -> Iterator[Bell]:
    with Bell() as one:
        yield one


def test_a_bell_remembers_rings_as_one(bell: Bell) -> None:
    for _ in range(100_000):  # more than a pipe holds
        bell.ring()
    assert bell.wait(0)
    while bell.wait(0):
        pass
    assert not bell.wait(0.001)


def test_a_write_rings_and_names_the_file(tmp_path: Path, bell: Bell) -> None:
    path = touch(tmp_path / "job" / "info.log")
    with Watch([str(tmp_path)], bell, lambda path: path.endswith(".log")) as watch:
        touch(tmp_path / "job" / "model.ckpt")
        path.write_bytes(b"more")
        assert bell.wait(5)
        assert str(path) in eventually(lambda: watch.hints.take().paths)
        assert watch.trouble == ""
        assert not any(one.endswith("ckpt") for one in watch.hints.take().paths)


def test_a_write_behind_a_link_is_told_under_the_path_that_is_followed(tmp_path: Path, bell: Bell) -> None:
    touch(tmp_path / "real" / "r1" / "info.log")
    (tmp_path / "watch").mkdir()
    (tmp_path / "watch" / "first").symlink_to("../real/r1")
    (tmp_path / "root").symlink_to("watch")
    root = tmp_path / "root"
    snapshot = look(root)
    assert names(snapshot, root) == ["first/info.log"]
    with Watch([str(root)], bell, lambda path: path.endswith(".log")) as watch:
        watch.cover(snapshot.directories, snapshot.links)
        assert watch.trouble == ""
        (tmp_path / "real" / "r1" / "info.log").write_bytes(b"more")
        assert list(eventually(lambda: watch.hints.take().paths)) == list(snapshot.files)


def test_a_new_directory_is_told(tmp_path: Path, bell: Bell) -> None:
    with Watch([str(tmp_path)], bell, lambda path: True) as watch:
        (tmp_path / "new").mkdir()
        assert eventually(lambda: watch.hints.take().tree)


def test_growth_can_be_left_out_and_taken_up_again(tmp_path: Path, bell: Bell) -> None:
    path = touch(tmp_path / "job" / "info.log")
    with Watch([str(tmp_path)], bell, lambda path: path.endswith(".log")) as watch:
        watch.tell(growth=False)
        assert watch.hints.take().tree  # something may have been missed meanwhile
        path.write_bytes(b"more")
        new = touch(tmp_path / "job" / "worker_0.log")
        assert str(new) in eventually(lambda: watch.hints.take().paths)
        assert str(path) not in watch.hints.take().paths
        watch.tell(growth=True)
        path.write_bytes(b"and more")
        assert str(path) in eventually(lambda: watch.hints.take().paths)
        assert watch.trouble == ""


def test_a_root_that_cannot_be_watched_is_said_and_nothing_fails(tmp_path: Path, bell: Bell) -> None:
    with Watch([str(tmp_path / "nowhere")], bell, lambda path: True) as watch:
        assert watch.trouble.startswith("inotify_limit: no notifications")


def test_more_directories_than_watches_are_said(tmp_path: Path, bell: Bell) -> None:
    with Watch([str(tmp_path)], bell, lambda path: True) as watch:
        watch.cover(1, {})
        assert watch.trouble == ""
        watch.cover(1_000_000, {})
        assert watch.trouble == ""  # it may merely be behind
        watch.cover(1_000_000, {})
        assert "of 1000000 directories" in watch.trouble
