"""Where the token comes from: made at the start, printed once, kept over crashes, told to nobody else."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.access.start import settle
from app.config import AppConfig, BadSetting
from app.launch.entry import entry
from app.launch.greeting import Greeting
from app.launch.options import parse
from app.launch.programs import Station, programs
from tests.support.dashboard import Dashboard, dashboard
from tests.support.guarded import PASSWORD, ROOT, SECRET, TOKEN, VIEWER_TOKEN, WORDS, Served, bearer, gunicorn
from tests.support.waiting import eventually

pytestmark = pytest.mark.timeout(240)  # servers are started, which may take long beside other tests

MADE = re.compile(r"\?token=([A-Za-z0-9_-]+)")


def told(tmp_path: Path, *arguments: str, **environ: str) -> tuple[str, dict[str, str]]:
    """The line that greets, and what the process of the pages is told."""
    options = parse([str(tmp_path), *arguments], environ)
    way = entry(options, environ, tmp_path.parent / "data", tmp_path)
    return Greeting(options, tmp_path, 8050, way).line(), dict(way.environ)


def test_on_loopback_nothing_is_asked_and_nothing_made(tmp_path: Path) -> None:
    line, environ = told(tmp_path)
    assert line == f"Tidewatch shows {tmp_path} at http://127.0.0.1:8050/ (Ctrl-C stops it)."
    assert "TIDEWATCH_TOKEN" not in environ


def test_elsewhere_a_token_of_192_bits_is_made_each_time(tmp_path: Path) -> None:
    lines = [told(tmp_path, "--host", "0.0.0.0") for _ in range(3)]
    tokens = {MADE.search(line)[1] for line, _environ in lines}  # type: ignore[index]
    assert len(tokens) == 3
    assert {len(one) for one in tokens} == {32}
    assert all(environ["TIDEWATCH_TOKEN"] in line for line, environ in lines)
    assert AppConfig.from_environ(lines[0][1]).is_open is False


@pytest.mark.parametrize("name", WORDS)
def test_a_secret_of_one_s_own_is_never_printed(tmp_path: Path, name: str) -> None:
    line, environ = told(tmp_path, "--host", "0.0.0.0", **{name: WORDS[name]})
    assert WORDS[name] not in line
    assert "log in with your token or password" in line
    assert "TIDEWATCH_TOKEN" not in environ


def test_a_proxy_s_name_asks_for_one_too(tmp_path: Path) -> None:
    line, _environ = told(tmp_path, TIDEWATCH_ALLOWED_HOSTS="dash.example.com")
    assert "?token=" in line


def test_no_auth_asks_nobody_and_says_so(tmp_path: Path) -> None:
    options = parse([str(tmp_path), "--host", "0.0.0.0", "--no-auth"], {})
    way = entry(options, {}, tmp_path / "data", tmp_path / "x")
    assert way.environ["TIDEWATCH_AUTH"] == "none"
    assert not way.token
    assert way.warnings == ("Warning: whoever reaches 0.0.0.0 can see your runs and write: no password is asked for.",)


def test_an_empty_host_is_every_address(tmp_path: Path) -> None:
    assert "?token=" in told(tmp_path, "--host", "")[0]


def test_a_secret_in_a_file_is_looked_at_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="TIDEWATCH_TOKEN_FILE"):
        told(tmp_path, TIDEWATCH_TOKEN_FILE=str(tmp_path / "none"))


def test_only_the_pages_know_the_secrets(tmp_path: Path) -> None:
    environ = {**WORDS, "TIDEWATCH_SECRET": SECRET, "TIDEWATCH_ALERTS": "/a.yaml"}
    options = parse([str(tmp_path), "--host", "0.0.0.0"], environ)
    way = entry(options, environ, tmp_path / "data", tmp_path / "x")
    for one in programs(Station(tmp_path, options, 3, "redis://x", way), environ):
        held = {name for name, text in one.environ.items() if text in (*WORDS.values(), SECRET)}
        assert held == ({*WORDS, "TIDEWATCH_SECRET"} if one.name == "web server" else set())
        assert one.environ["TIDEWATCH_ALERTS"] == "/a.yaml"
        assert not [word for word in one.command if word in (*WORDS.values(), SECRET)]


@pytest.mark.parametrize(
    ("bound", "environ", "host", "asks"),
    [
        ([("127.0.0.1", 8050)], {}, None, False),
        ([], {}, None, False),  # a socket of a file, or one that was handed down
        ([("0.0.0.0", 8050)], {}, "0.0.0.0", True),  # told nothing, and reached from everywhere
        ([("0.0.0.0", 8050)], {"TIDEWATCH_HOST": "127.0.0.1"}, "0.0.0.0", True),
        ([("127.0.0.1", 8050), ("10.1.2.3", 8050)], {}, "10.1.2.3", True),
        ([("::", 8050)], {"TIDEWATCH_TOKEN": TOKEN}, "::", False),
        ([("127.0.0.1", 8050)], {"TIDEWATCH_ALLOWED_HOSTS": "dash.example.com"}, None, True),
        ([("127.0.0.1", 8050)], {"TIDEWATCH_AUTH": "token"}, None, True),
    ],
)
def test_gunicorn_alone_settles_it_before_its_workers(
    bound: list[tuple[str, int]], environ: dict[str, str], host: str | None, asks: bool
) -> None:
    said: list[str] = []
    settle(environ, bound, said.append)
    assert environ.get("TIDEWATCH_HOST") in (host, "127.0.0.1")
    assert bool(said) is asks
    assert not asks or (MADE.search(said[0]) or [""])[1] == environ["TIDEWATCH_TOKEN"]
    settle(environ, bound, said.append)
    assert len(said) == asks  # once


def test_gunicorn_prints_it_once_and_keeps_it_over_a_worker_s_death(redis_url: str) -> None:
    with gunicorn(redis_url) as served:
        (token,) = MADE.findall(served.text)
        assert served.ask("/api/runs", bearer(token))[0] == 200
        worker = children(served.process.pid)[0]
        os.kill(worker, signal.SIGKILL)
        eventually(lambda: children(served.process.pid) not in ([], [worker]), seconds=20)
        eventually(lambda: answers(served, token), seconds=20)
        assert served.text.count(token) == 1


def children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def answers(served: Served, token: str) -> bool:
    try:
        return served.ask("/api/runs", bearer(token))[0] == 200
    except OSError:
        return False


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"TIDEWATCH_TOKEN": "changeme"}, "TIDEWATCH_TOKEN is well known"),
        ({"TIDEWATCH_AUTH": "maybe"}, "TIDEWATCH_AUTH is 'maybe'"),
    ],
)
def test_gunicorn_says_in_a_sentence_what_it_cannot_use(environ: dict[str, str], said: str) -> None:
    command = [sys.executable, "-m", "gunicorn", "-c", "python:app.serving", "--bind", "127.0.0.1:0"]
    found = subprocess.run(
        [*command, "app.factory:create_server()"],
        cwd=ROOT,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert found.returncode == 2
    assert said in found.stderr
    assert "Traceback" not in found.stderr


def test_the_whole_dashboard_keeps_its_token_over_a_crash_and_tells_it_once(tmp_path: Path) -> None:
    job = tmp_path / "job"
    job.mkdir()
    with dashboard(tmp_path, str(job), "--host", "0.0.0.0") as running:
        token = MADE.search(running.url(seconds=50))[1]  # type: ignore[index]
        served = Served(int(running.url().split(":")[2].split("/")[0]), running.output, running.process)
        assert served.ask("/api/runs")[0] == 401
        assert served.ask("/api/runs", bearer(token))[0] == 200
        for pid, command in running.processes().items():
            assert token not in command
            assert (token in environment(pid)) is ("gunicorn" in command), command
        os.kill(running.part("gunicorn"), signal.SIGKILL)
        eventually(lambda: "The web server ended" in running.text, seconds=10)
        eventually(lambda: answers(served, token), seconds=40)
        assert running.text.count(token) == 1
        log_of_server(running, token)


def environment(pid: int) -> str:
    return Path(f"/proc/{pid}/environ").read_text(errors="replace")


def log_of_server(running: Dashboard, token: str) -> None:
    """Nothing that is kept on disk holds it either."""
    kept = [one for one in running.output.parent.rglob("*") if one.is_file() and one != running.output]
    assert [one.name for one in kept if token.encode() in one.read_bytes()] == []


def test_the_help_says_it(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "app", "--help"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=50, check=True).stdout
    assert "--no-auth" in said
    assert "a token is needed" in " ".join(said.split())
    assert PASSWORD not in said
    assert VIEWER_TOKEN not in said
