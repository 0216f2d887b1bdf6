"""One command, all of it or nothing: started, restarted, ended in every way, with real processes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from app.launch.processes import Program, Running, clean, next_start
from app.launch.supervisor import Ending, ending_on_signals, obituary, stop, supervise, turn
from tests.support.dashboard import ROOT, dashboard
from tests.support.living import is_gone
from tests.support.waiting import eventually


def program(code: str, *, name: str = "part", ends_well: bool = False) -> Program:
    return Program(name, (sys.executable, "-S", "-c", code), dict(os.environ), ends_well=ends_well)


FIXTURE = ROOT / "tests" / "data" / "fixtures" / "logs" / "mf2.1.0_graph_moe_nan_crash"

# One program


@pytest.mark.parametrize(
    ("crashes", "expected"),
    [
        ([100.0], 100.5),
        ([100.0, 101.0], 102.0),
        ([100.0, 101.0, 103.0], 105.0),
        ([100.0, 101.0, 103.0, 106.0, 110.0], None),
        ([10.0, 11.0, 12.0, 13.0, 100.0], 100.5),
    ],
    ids=["first", "second", "third", "given up", "long ago"],
)
def test_a_crash_is_answered_by_a_start_that_comes_later_each_time(
    crashes: list[float], expected: float | None
) -> None:
    assert next_start(crashes) == expected


def test_settings_that_surprise_a_child_are_not_passed_on() -> None:
    given = {"PATH": "/bin", "GUNICORN_CMD_ARGS": "-w 9", "WEB_CONCURRENCY": "9", "DASH_DEBUG": "1", "PORT": "1"}
    assert clean(given) == {"PATH": "/bin", "PYTHONUNBUFFERED": "1"}


def test_the_end_of_output_without_newline_is_not_lost() -> None:
    said: list[str] = []
    one = Running(program("print('first'); print('last', end='')"))
    one.start()
    eventually(lambda: one.ended)
    turn(one, 1.0, said.append)
    stop([one], said.append)
    assert said[:2] == ["part: first", "part: last"]


def test_what_a_program_left_running_ends_with_it(tmp_path: Path) -> None:
    note = str(tmp_path / "pid")
    child = f"import subprocess as s; p = s.Popen(['sleep', '600']); open({note!r}, 'w').write(str(p.pid))"
    one = Running(program(child, ends_well=True))
    one.start()
    eventually(lambda: one.ended)
    one.bury(1.0)
    left = int((tmp_path / "pid").read_text())
    assert one.over
    assert not one.failed
    eventually(lambda: is_gone(left))


def test_a_program_that_will_not_listen_is_killed() -> None:
    one = Running(
        program("import signal; signal.signal(15, signal.SIG_IGN); print('deaf', flush=True); signal.pause()")
    )
    one.start()
    assert one.output
    process = one.process
    assert eventually(one.lines) == ["deaf"]
    stop([one], print, patience=0.1)
    assert process
    assert process.returncode == -signal.SIGKILL


# Several


def test_a_crashed_program_is_started_again_and_said(tmp_path: Path) -> None:
    marks, said, ending = tmp_path / "marks", [], Ending()
    crash = f"open({str(marks)!r}, 'a').write('x'); raise SystemExit(7)"

    def until_the_second_start() -> None:
        if marks.exists() and len(marks.read_text()) == 2:
            ending.ask()

    assert supervise([program(crash)], ending, every_turn=until_the_second_start, say=said.append) == 0
    assert any("ended (exit code 7) and is started again in 0." in line for line in said)


def test_a_program_that_cannot_work_ends_all_with_its_code() -> None:
    said: list[str] = []
    refusing = program("import sys; print('/nowhere does not exist.'); sys.exit(2)", name="collector")
    waiting = program("import signal; signal.pause()", name="web server")
    assert supervise([waiting, refusing], Ending(), every_turn=lambda: None, say=said.append) == 2
    assert said == [
        "collector: /nowhere does not exist.",
        "The collector cannot work, as it says above; Tidewatch stops.",
    ]


def test_the_fifth_crash_within_a_minute_is_the_last() -> None:
    one = Running(program("raise SystemExit(9)", name="web server"), crashes=[95.0, 96.0, 97.0, 98.0])
    one.start()
    eventually(lambda: one.ended)
    one.bury(99.0)
    assert one.failed
    assert obituary(one) == "The web server ended 5 times (exit code 9); Tidewatch stops, its lines are above."


def test_a_program_that_is_done_ends_nothing() -> None:
    said: list[str] = []
    ending = Ending()
    turns = iter(range(3))
    done = program("", ends_well=True)
    code = supervise(
        [done], ending, every_turn=lambda: None if next(turns, None) is not None else ending.ask(), say=said.append
    )
    assert (code, said) == (0, [])


def test_signals_ask_for_the_end_and_their_handlers_come_back() -> None:
    before = signal.getsignal(signal.SIGHUP)
    with ending_on_signals() as ending:
        signal.raise_signal(signal.SIGHUP)
        assert ending.asked
    assert signal.getsignal(signal.SIGHUP) is before


# The command


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """Two hundred and twenty steps of one rank, in a directory called job."""
    source = FIXTURE / "output" / "log" / "rank_0" / "info.log"
    target = tmp_path / "job" / "output" / "log" / "rank_0" / "info.log"
    target.parent.mkdir(parents=True)
    shutil.copy(source, target)
    return tmp_path / "job"


def ask(url: str) -> object:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return json.load(answer)


def run_of(url: str) -> str:
    """The id of the only run, when it is there."""
    runs = eventually(lambda: ask(f"{url}/api/runs"), seconds=15)
    assert isinstance(runs, list)
    return str(runs[0]["id"])


def points_of(url: str) -> int:
    """How many loss points the API gives for the only run."""
    series = ask(f"{url}/api/runs/{run_of(url)}/series?metric=loss&points=0")
    assert isinstance(series, dict)
    return len(series["points"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_nothing_is_left_however_the_command_ends(tmp_path: Path, job: Path, number: signal.Signals) -> None:
    with dashboard(tmp_path, str(job)) as running:
        url = running.url()
        with urllib.request.urlopen(f"{url}/", timeout=10) as page:
            assert page.status == 200
        stream = urllib.request.urlopen(f"{url}/api/runs/{run_of(url)}/stream", timeout=10)  # an open page
        for word in ("collector follow", "gunicorn", "app.launch.keeper", "valkey-server"):
            assert running.part(word)
        code = running.end(number)
        eventually(lambda: not running.processes(), seconds=10)
        stream.close()
        assert code == (-signal.SIGKILL if number == signal.SIGKILL else 0)
        assert "Traceback" not in running.text


def test_points_are_there_again_when_the_files_are_gone(tmp_path: Path, job: Path) -> None:
    with dashboard(tmp_path, str(job)) as running:
        url = running.url()
        eventually(lambda: points_of(url) == 220, seconds=15)
        running.end()
    shutil.rmtree(job / "output")
    with dashboard(tmp_path, str(job)) as running:
        assert points_of(running.url()) == 220


def test_a_second_dashboard_shares_the_server_and_outlives_the_first(tmp_path: Path, job: Path) -> None:
    with dashboard(tmp_path, str(job)) as first:
        first.url()
        with dashboard(tmp_path, str(job)) as second:
            url = second.url()
            assert not any("valkey-server" in command for command in second.processes().values())
            first.end(signal.SIGKILL)
            eventually(lambda: points_of(url) == 220, seconds=15)
            second.end()
        eventually(lambda: not first.processes(), seconds=10)


def test_a_killed_collector_is_started_again_and_goes_on(tmp_path: Path, job: Path) -> None:
    with dashboard(tmp_path, str(job)) as running:
        url = running.url()
        eventually(lambda: points_of(url) == 220, seconds=15)
        killed = running.part("collector follow")
        os.kill(killed, signal.SIGKILL)
        eventually(lambda: "The collector ended (signal SIGKILL) and is started again" in running.text)
        eventually(lambda: any("collector follow" in one for pid, one in running.processes().items() if pid != killed))
        assert points_of(url) == 220


def test_without_a_directory_a_demonstration_is_shown_and_marked(tmp_path: Path) -> None:
    with dashboard(tmp_path) as running:
        url = running.url()
        assert "Tidewatch shows a demonstration run at " in running.text
        assert run_of(url) == "demo"
        told = eventually(lambda: all_ranks(url), seconds=20)
        assert told["demo"] is True
        running.end()
    assert [one.name for one in (tmp_path / "data").iterdir()] == ["signing-key"]  # for the next one too


def all_ranks(url: str) -> dict[str, object] | None:
    """What the API tells of the demonstration once it knows eight ranks."""
    told = ask(f"{url}/api/runs/demo")
    assert isinstance(told, dict)
    return told if told["ranks"] == list(range(8)) else None


def test_a_directory_with_nothing_known_is_shown_and_says_what_is_looked_for(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with dashboard(tmp_path, str(tmp_path / "empty")) as running:
        assert ask(f"{running.url()}/api/runs") == []
        eventually(lambda: "Nothing to follow there yet. Looked for MindFormers logs" in running.text)


def test_redis_url_is_used_instead_of_a_server_of_our_own(tmp_path: Path, job: Path, redis_url: str) -> None:
    with dashboard(tmp_path, str(job), REDIS_URL=redis_url) as running:
        url = running.url()
        eventually(lambda: points_of(url) == 220, seconds=15)
        assert not any("valkey-server" in command for command in running.processes().values())


def test_a_prefix_is_part_of_the_address_that_is_printed(tmp_path: Path, job: Path) -> None:
    with dashboard(tmp_path, str(job), TIDEWATCH_PREFIX="/monitor") as running:
        url = running.url()
        assert url.endswith("/monitor")
        assert run_of(url) == "job"


def refused(tmp_path: Path, *arguments: str, **environ: str) -> tuple[int, list[str]]:
    """Exit code and printed lines of a command that cannot be obeyed."""
    settings = {**os.environ, "TIDEWATCH_DATA_DIR": str(tmp_path / "data"), "REDIS_URL": "", **environ}
    ended = subprocess.run(
        [sys.executable, "-m", "app", *arguments], cwd=ROOT, env=settings, capture_output=True, text=True, timeout=20
    )
    return ended.returncode, (ended.stdout + ended.stderr).splitlines()


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        expected = f"Port {port} on 127.0.0.1 is in use; choose another with --port (make run PORT={port + 1})."
        assert refused(tmp_path, "--port", str(port), str(tmp_path)) == (2, [expected])


@pytest.mark.parametrize(
    ("arguments", "environ", "sentence"),
    [
        (["{tmp}/nowhere"], {}, "{tmp}/nowhere does not exist: give the directory into which the training job writes."),
        (["{tmp}/file"], {}, "{tmp}/file is not a directory: give the directory into which the training job writes."),
        (["{tmp}", "--logdir", "/"], {}, "One directory can be followed, and these were given: /, {tmp}."),
        (["--port", "70000"], {}, "--port 70000 is no port: give a number from 1 to 65535."),
        (["--prot", "1"], {}, "Unrecognized arguments: --prot (python -m app --help shows what can be given)."),
        (["--host", "203.0.113.9"], {}, "--host 203.0.113.9 is no address of this machine: give one, or 127.0.0.1."),
        ([], {"REDIS_URL": "localhost:6379"}, "REDIS_URL must begin with redis://, rediss://, unix://"),
        ([], {"TIDEWATCH_PREFIX": "x"}, "TIDEWATCH_PREFIX is 'x'; a path such as /tidewatch/ is expected."),
        ([], {"TIDEWATCH_DATA_DIR": "{tmp}/file"}, "{tmp}/file"),
    ],
    ids=["missing", "file", "two", "port", "option", "host", "redis", "prefix", "data"],
)
def test_what_cannot_be_done_gets_one_sentence(
    tmp_path: Path, arguments: list[str], environ: dict[str, str], sentence: str
) -> None:
    (tmp_path / "file").touch()
    filled = [one.format(tmp=tmp_path) for one in arguments]
    code, lines = refused(tmp_path, *filled, **{name: text.format(tmp=tmp_path) for name, text in environ.items()})
    lines = [line for line in lines if not line.startswith("Warning: ")]
    assert code == 2
    assert len(lines) == 1
    assert lines[0].startswith(sentence.format(tmp=tmp_path))


def test_without_a_password_another_host_is_warned_about(tmp_path: Path, job: Path) -> None:
    with dashboard(tmp_path, str(job), "--host", "0.0.0.0", "--no-auth") as running:
        url = running.url()
        assert "Warning: whoever reaches 0.0.0.0 can see your runs and write: no password is asked for." in running.text
        assert ask(f"{url}/api/runs") is not None  # asked under the name that was printed


def test_make_run_ends_with_make() -> None:
    """The recipe ties the command to make, which may be killed without a chance to pass anything on."""
    assert "exec $(PY) -S app/launch/tether.py $$PPID $(PY) -m app" in (ROOT / "Makefile").read_text()
    recipe = f"sh -c 'exec {sys.executable} -S app/launch/tether.py $PPID sleep 600' & echo $!; wait"
    with subprocess.Popen(["sh", "-c", recipe], cwd=ROOT, stdout=subprocess.PIPE, text=True) as shell:
        assert shell.stdout
        child = int(shell.stdout.readline())
        eventually(lambda: "sleep" in Path(f"/proc/{child}/cmdline").read_text().split("\0")[0])
        shell.kill()
        eventually(lambda: is_gone(child))
