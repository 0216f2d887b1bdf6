"""Links and odd files below the followed directories: nothing outside of them is read, and nothing stops for them."""

from __future__ import annotations

import io
import json
import os
import time
from pathlib import Path

import pytest
import redis

from collector import handing, read
from collector.follow.files import DiskFiles, Missing, Piece
from collector.follow.yard import TO_FILE, TO_OTHERS, Yard, is_below
from collector.lookup.excerpt import Log, excerpt
from collector.lookup.volume import Part, Volume
from collector.runs import Naming
from collector.service import Pace
from collector.wire.question import LogAsked, LogQuestion
from collector.wire.records import RunId
from tests.support.following import following
from tests.support.waiting import eventually
from tests.support.world import World

SECRET = "root:$6$salt$hash:19000:0:99999:7:::"
LINE = "2026-11-28 10:00:{0:02d},000 - mindformers - INFO - {{ Epoch:[  1/  1], step:[{0:5d}/  100], loss: {1:.3f} }}\n"
ANOTHER_USER = 12_345


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A log-like file that the collector may read and nobody asked it to."""
    place = tmp_path / "outside"
    place.mkdir()
    (place / "shadow").write_text("".join(LINE.format(step, 5.0) for step in range(1, 9)) + SECRET + "\n")
    return place


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A run with one honest log."""
    log = tmp_path / "job" / "log" / "rank_0"
    log.mkdir(parents=True)
    (log / "info.log").write_text("".join(LINE.format(step, 9.0) for step in range(1, 4)))
    return tmp_path / "job"


def world(root: Path) -> World:
    return World(DiskFiles(yard=Yard([str(root)])), root=str(root), now=time.time())


def values(world: World) -> set[float]:
    return {point[2] for points in world.store.points.values() for point in points}


def test_a6_a_link_to_a_file_outside_is_not_followed(job: Path, outside: Path) -> None:
    """A link named like a log leads to a file that only the collector may read."""
    (job / "log" / "rank_1").mkdir()
    (job / "log" / "rank_1" / "info.log").symlink_to(outside / "shadow")
    there = world(job)
    there.settle()
    assert [Path(one).parent.name for one in there.service.snapshot.files] == ["rank_0"]
    assert there.service.news == [f"log/rank_1/info.log: {TO_FILE}."]


def test_a6_a_directory_of_another_user_is_not_followed(job: Path, outside: Path) -> None:
    """A link of one user leads to a directory of another, which the collector may enter."""
    (job / "other").symlink_to(outside)
    yard = Yard([str(job)])
    os.lchown(job / "other", ANOTHER_USER, -1)
    assert yard.refusal(str(job / "other"), str(outside), "directory") == TO_OTHERS
    (outside / "info.log").write_text(LINE.format(1, 5.0))
    there = world(job)
    there.settle()
    assert there.service.news == [f"other: {TO_OTHERS}."]
    os.chown(outside, ANOTHER_USER, -1)  # who made the link owns what it leads to
    there.settle()
    assert len(there.service.snapshot.files) == 2


def test_a6_a_link_behind_a_good_link_leads_no_further(job: Path, outside: Path, tmp_path: Path) -> None:
    """A directory that was rightly linked has a link of its own to a secret, and one within itself."""
    real = tmp_path / "real"
    (real / "rank_2").mkdir(parents=True)
    (real / "rank_2" / "info.log").write_text(LINE.format(1, 7.0))
    (real / "rank_3").mkdir()
    (real / "rank_3" / "info.log").symlink_to(outside / "shadow")
    (real / "rank_4").mkdir()
    (real / "kept").write_text(LINE.format(1, 8.0))
    (real / "rank_4" / "info.log").symlink_to("../kept")
    (job / "more").symlink_to("../real")
    there = world(job)
    there.settle()
    assert sorted(Path(one).parent.name for one in there.service.snapshot.files) == ["rank_0", "rank_2", "rank_4"]
    assert there.service.news == [f"more/rank_3/info.log: {TO_FILE}."]


def test_a6_a_log_that_becomes_a_link_after_it_was_listed_is_not_read(job: Path, outside: Path) -> None:
    """Between listing and reading, a log is exchanged for a link, or its directory for one."""
    log = job / "log" / "rank_0" / "info.log"
    files = DiskFiles(yard=Yard([str(job)]))
    assert isinstance(files.read(str(log), 0, 10), Piece)
    log.unlink()
    log.symlink_to(outside / "shadow")
    found = files.read(str(log), 0, 1000)
    assert isinstance(found, Missing)
    assert found.reason.startswith("outside_link")
    log.unlink()
    log.parent.rmdir()
    log.parent.symlink_to(outside)
    (outside / "info.log").write_text(SECRET)
    assert isinstance(files.read(str(log), 0, 1000), Missing)


def test_a6_the_log_drawer_reads_no_link_either(job: Path, outside: Path) -> None:
    """A page asks for lines of a log that has become a link meanwhile."""
    log = job / "log" / "rank_0" / "info.log"
    log.unlink()
    log.symlink_to(outside / "shadow")
    volume = Volume(DiskFiles(yard=Yard([str(job)])), [Part("log/rank_0/info.log", str(log))])
    question = LogQuestion("q", RunId("job"), (LogAsked("log/rank_0/info.log"),))
    told = excerpt(question, [Log(volume, None)], lambda: False)
    assert SECRET not in json.dumps(told)
    assert told["lines"] == []


def test_a6_read_follows_what_a_person_names_and_no_link_out_of_it(job: Path, outside: Path, tmp_path: Path) -> None:
    """The command that prints is given a directory with a link in it; a link that is named itself is meant."""
    (job / "worker_1.log").symlink_to(outside / "shadow")
    (tmp_path / "named.log").symlink_to(outside / "shadow")
    warned = [(one.code, one.file) for one in read.read(job).warnings]
    assert warned == [("outside_link", "worker_1.log")]
    assert len(read.read(job).runs) == 1
    assert len(read.read(job, follow_links=True).runs) == 2
    assert len(read.read(tmp_path / "named.log").runs) == 1
    assert handing.run(tmp_path / "named.log", io.BytesIO(), Naming(), Pace()) == 0
    out = io.BytesIO()
    handing.run(job, out, Naming(), Pace())
    assert out.getvalue().count(b"worker_1.log") == out.getvalue().count(b"outside_link") == 1  # told, and no more


def test_a6_a_link_can_be_allowed(job: Path, outside: Path, redis_url: str, redis_client: redis.Redis) -> None:
    """Who wants such links says so; the collector says how."""
    (job / "worker_1.log").symlink_to(outside / "shadow")
    with following(job, redis_url) as follower:
        eventually(lambda: "Found 1 files" in follower.said, seconds=15)
        assert "--follow-links" in follower.said
    redis_client.flushall()
    with following(job, redis_url, "--follow-links") as follower:
        eventually(lambda: "Found 2 files" in follower.said, seconds=15)
        assert "outside_link" not in follower.said


def test_a5_a_sibling_with_the_same_beginning_is_outside(tmp_path: Path, outside: Path) -> None:
    """The root is /t/runs, and a link leads to /t/runs-secret."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs-secret").mkdir()
    (tmp_path / "runs-secret" / "info.log").write_text(LINE.format(1, 5.0))
    (tmp_path / "runs" / "info.log").symlink_to("../runs-secret/info.log")
    assert not is_below(str(tmp_path / "runs-secret"), str(tmp_path / "runs"))
    assert is_below(str(tmp_path / "runs" / "a"), str(tmp_path / "runs") + "/")
    there = world(tmp_path / "runs")
    there.settle()
    assert there.service.snapshot.files == {}
    assert there.service.news == [f"info.log: {TO_FILE}."]


def test_a5_the_root_itself_may_be_a_link_that_is_turned(tmp_path: Path, job: Path) -> None:
    """What is guarded is where the root leads now, so that an honest `latest` goes on."""
    (tmp_path / "latest").symlink_to("job")
    there = world(tmp_path / "latest")
    there.settle()
    assert len(there.service.snapshot.files) == 1
    job.rename(tmp_path / "older")
    (tmp_path / "next").mkdir()
    (tmp_path / "next" / "info.log").write_text(LINE.format(1, 6.0))
    (tmp_path / "latest").unlink()
    (tmp_path / "latest").symlink_to("next")
    there.settle()
    assert [Path(one).name for one in there.service.snapshot.files] == ["info.log"]
    assert there.service.news == []


def test_a6_pipes_sockets_and_devices_named_like_logs_stop_nothing(job: Path) -> None:
    """A pipe that nobody writes to would hold its reader for ever."""
    for rank in (1, 2):
        (job / "log" / f"rank_{rank}").mkdir()
    os.mkfifo(job / "log" / "rank_1" / "info.log")
    (job / "log" / "rank_2" / "info.log").symlink_to("/dev/zero")
    there = world(job)
    there.settle()
    assert there.store.steps("loss") == [1, 2, 3]
    assert there.state("rank_1/info.log") == ("broken", "it is not a regular file")
    assert f"log/rank_2/info.log: {TO_FILE}." in there.service.news


ODD = [
    b"a\nb",
    b"\x1b[2J\x1b]0;owned\x07",
    b"\xff\xfe",
    "\u202egnp".encode(),
    b"; rm -rf $(id)",
    b"{{7*7}}",
    b"%0d%0aX: y",
]


def test_a6_names_that_no_terminal_should_see_are_followed_and_spelled_out(
    tmp_path: Path, redis_url: str, redis_client: redis.Redis
) -> None:
    """Names of directories with line ends, escape sequences, bytes that are no text; some of them cannot be read."""
    for name in ODD:
        place = tmp_path / os.fsdecode(name)
        place.mkdir()
        (place / "info.log").write_text(LINE.format(1, 5.0))
        (place / "worker_1.log").symlink_to("/etc/passwd")
    with following(tmp_path, redis_url) as follower:
        eventually(lambda: redis_client.scard("tw:runs") == len(ODD), seconds=20)
        eventually(lambda: follower.said.count("outside_link") == len(ODD), seconds=20)
        said = follower.said
    assert "\x1b" not in said
    assert "\u202e" not in said
    assert all(" INFO " in line or " WARNING " in line for line in said.splitlines())
