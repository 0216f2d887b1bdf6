"""The server that comes along: adopted, shared, outliving all users but the last, keeping its data. All real."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from app.demo import place
from app.launch.embedded import (
    Embedded,
    NoServer,
    answers,
    data_directory,
    data_home,
    find_program,
    held,
    private_directory,
)
from app.launch.locks import take
from tests.support.living import is_gone, stat_of
from tests.support.waiting import eventually

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def program() -> str:
    return find_program(os.environ["PATH"])


@contextmanager
def another_user(directory: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process that holds the server of ``directory``, and the URL it was given."""
    command = [sys.executable, "-m", "tests.support.holding", str(directory)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


@contextmanager
def client(url: str) -> Iterator[redis.Redis]:
    connection = redis.Redis.from_url(url)
    try:
        yield connection
    finally:
        connection.close()


def identity(server: Embedded | str) -> tuple[str, int]:
    """The server's run id and process id: the same as long as the same process serves."""
    with client(server if isinstance(server, str) else server.url) as connection:
        told = connection.info("server")
        return told["run_id"], int(told["process_id"])


def keeper_of(server_pid: int) -> int:
    return int(stat_of(server_pid)[1])


def test_data_is_there_again_after_the_server_ended(tmp_path: Path, program: str) -> None:
    with held(tmp_path, program) as server:
        first = identity(server)
        with client(server.url) as connection:
            connection.append("points", b"\x01" * 24)
    assert is_gone(first[1])
    with held(tmp_path, program) as server, client(server.url) as connection:
        assert connection.get("points") == b"\x01" * 24
        assert identity(server) != first


def test_a_second_user_adopts_the_server_and_it_outlives_the_first(tmp_path: Path, program: str) -> None:
    with another_user(tmp_path) as (first, url), held(tmp_path, program) as server:
        assert server.url == url
        known = identity(server)
        first.kill()
        first.wait()
        assert take(tmp_path / "users") is None  # we hold it, whatever became of the first
        assert identity(server) == known
    eventually(lambda: is_gone(known[1]))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_orphan_stays_when_the_only_user_is_killed(tmp_path: Path, number: signal.Signals) -> None:
    with another_user(tmp_path) as (user, url):
        _, pid = identity(url)
        keeper = keeper_of(pid)
        user.send_signal(number)
        user.wait()
        eventually(lambda: is_gone(pid) and is_gone(keeper))


def test_a_killed_server_comes_back_with_its_data(tmp_path: Path, program: str) -> None:
    with held(tmp_path, program) as server, client(server.url) as connection:
        connection.set("kept", "yes")
        _, pid = identity(server)
        os.kill(pid, signal.SIGKILL)
        eventually(lambda: is_gone(pid))
        eventually(lambda: answers(server.address))
        assert connection.get("kept") == b"yes"


def test_a_killed_keeper_takes_its_server_along_and_ensure_starts_both_again(tmp_path: Path, program: str) -> None:
    with held(tmp_path, program) as server, client(server.url) as connection:
        connection.set("kept", "yes")
        _, pid = identity(server)
        os.kill(keeper_of(pid), signal.SIGKILL)
        eventually(lambda: is_gone(pid))
        server.ensure()
        assert connection.get("kept") == b"yes"


def test_a_socket_that_a_dead_server_left_is_recognised(tmp_path: Path, program: str) -> None:
    with held(tmp_path, program) as server:
        address, (_, pid) = server.address, identity(server)
        os.kill(keeper_of(pid), signal.SIGKILL)
        os.kill(pid, signal.SIGKILL)
        eventually(lambda: is_gone(pid))
    assert address.exists()
    assert not answers(address)
    with held(tmp_path, program) as server:
        assert answers(server.address)


def test_a_server_listens_on_a_private_socket_and_no_port(tmp_path: Path, program: str) -> None:
    with held(tmp_path, program) as server, client(server.url) as connection:
        assert connection.config_get("port") == {"port": "0"}
        assert connection.config_get("appendonly") == {"appendonly": "yes"}
        assert server.address.parent.stat().st_mode & 0o777 == 0o700
        assert tmp_path.stat().st_mode & 0o777 == 0o700


def test_a_data_directory_longer_than_a_socket_address_works(tmp_path: Path, program: str) -> None:
    deep = tmp_path / ("deep-" * 30) / ("deeper-" * 20)
    with held(deep, program) as server:
        assert len(str(server.address)) < 100
        assert answers(server.address)


def test_redis_server_of_the_path_serves_where_the_package_is_missing(tmp_path: Path) -> None:
    program = find_program(os.environ["PATH"], package="no_such_package")
    assert Path(program).name == "redis-server"
    with held(tmp_path, program) as server:
        assert answers(server.address)


def test_without_any_server_one_sentence_says_what_to_do() -> None:
    with pytest.raises(NoServer, match=r"^No Redis: set REDIS_URL to a running one, or install redis-server"):
        find_program("", package="no_such_package")


def test_data_that_no_server_can_read_is_named(tmp_path: Path, program: str) -> None:
    (tmp_path / "appendonlydir").mkdir()
    (tmp_path / "appendonlydir" / "appendonly.aof.manifest").write_text("no manifest\n")
    with pytest.raises(NoServer, match=f"did not start .* see {tmp_path}/server.log"), held(tmp_path, program):
        pytest.fail("the server cannot have started")


def test_a_directory_that_somebody_else_laid_out_is_refused(tmp_path: Path) -> None:
    (tmp_path / "trap").symlink_to(tempfile.gettempdir())
    with pytest.raises(NoServer, match="belongs to somebody else"):
        private_directory(tmp_path / "trap")


def test_a_place_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NoServer, match=r"file/data cannot be made .*TIDEWATCH_DATA_DIR"):
        private_directory(tmp_path / "file" / "data")


def test_each_watched_directory_has_data_of_its_own() -> None:
    home = Path("/data")
    first, second = (data_directory(home, Path(root)) for root in ("/a/job/output", "/b/job/output"))
    assert first != second
    assert first.name.startswith("job-output-")
    assert data_directory(home, Path("/a/job/output")) == first
    assert data_directory(home, Path("/")).parent == home


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"TIDEWATCH_DATA_DIR": "/d"}, Path("/d")),
        ({"XDG_DATA_HOME": "/x"}, Path("/x/tidewatch")),
        ({}, Path.home() / ".local/share/tidewatch"),
    ],
    ids=["chosen", "xdg", "default"],
)
def test_the_data_home_is_chosen_or_conventional(environ: dict[str, str], expected: Path) -> None:
    assert data_home(environ) == expected


def test_a_demonstration_leaves_nothing_and_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    left = tmp_path / "demonstration-left"
    left.mkdir()
    (left / "demonstration").touch()
    with place.directory(tmp_path) as first, place.directory(tmp_path) as second:
        assert not left.exists()
        assert first != second
        assert first.is_dir()
        assert second.is_dir()
    assert list(tmp_path.iterdir()) == []
