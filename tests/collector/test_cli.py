"""The command line: exit codes, and one sentence for whatever is wrong with the input."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from collector.config import SETTINGS, from_env, masked
from collector.errors import InputError
from tests.support.growing import PROJECT, Job
from tests.support.redis_server import RedisServer
from tests.support.waiting import eventually


def run(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "collector", *arguments]
    environment = {**os.environ, **environ}
    return subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=30)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["follow", "/no/such/place"], "/no/such/place does not exist: name the directory"),
        (["read", "/no/such/place"], "/no/such/place"),
        (["follow", ".", "--redis", "http://host"], "The Redis URL http://host is not understood"),
        (["dump", "--redis", "redis://me:pw@127.0.0.1:1/0"], "Redis at redis://me:***@127.0.0.1:1/0 does not take"),
        (["dump", "--redis", "redis://127.0.0.1:1/0"], "): start it, or name another with --redis."),
        (["read", "--format", "commits", "--tag", "loss", "."], "--format commits tells all of one PATH: name one"),
        (["read", "--format", "commits", "/no/such/place"], "/no/such/place does not exist: name the directory"),
        (["dump", "--redis", "redis://host:port"], "is not understood: use redis://"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_wrong_input_is_one_sentence_and_exit_code_2(arguments: list[str], sentence: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    said = [line for line in done.stderr.splitlines() if line]
    assert len(said) == 1
    assert sentence in said[0]
    assert "pw@" not in said[0]


def test_a_wrong_setting_names_variable_value_and_expectation() -> None:
    done = run("dump", TIDEWATCH_POLL_SECONDS="soon")
    assert done.returncode == 2
    assert done.stderr == "collector: TIDEWATCH_POLL_SECONDS='soon' is not a number from 0.01 to 60.\n"


def test_help_names_every_command_and_setting() -> None:
    done = run("--help")
    assert done.returncode == 0
    for word in ("follow", "read", "dump", *(setting.name for setting in SETTINGS)):
        assert word in done.stdout


def test_read_and_dump_end_quietly_when_nobody_reads_on(tmp_path: Path) -> None:
    job = Job(tmp_path).prepare()
    for step in range(1, 3000):
        job.append(step)
    command = f"{sys.executable} -m collector read {tmp_path} | head -c 10"
    done = subprocess.run(command, shell=True, cwd=PROJECT, capture_output=True, text=True, timeout=30)
    assert (len(done.stdout), done.stderr) == (10, "")


def test_an_empty_directory_is_watched_and_what_is_looked_for_is_said(tmp_path: Path, redis_url: str) -> None:
    command = [sys.executable, "-m", "collector", "follow", str(tmp_path), "--redis", redis_url, "--demo"]
    with subprocess.Popen(command, cwd=PROJECT, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.readline() + process.stderr.readline()
        Job(tmp_path / "late").prepare().append(1)
        eventually(lambda: "late" in run("dump", "--redis", redis_url).stdout, seconds=10)
        process.terminate()
        assert process.wait(timeout=10) == 0
    assert "Nothing to follow there yet. Looked for MindFormers logs (info.log, worker_N.log" in said


def test_a_store_of_a_newer_layout_ends_the_collector_with_a_sentence(
    tmp_path: Path, redis_server: RedisServer, redis_client: object
) -> None:
    import redis

    with redis.Redis.from_url(redis_server.url) as client:
        client.set("tw:schema", "99")
    done = run("follow", str(tmp_path), "--redis", redis_server.url)
    assert done.returncode == 2
    assert "holds layout 99 and this collector writes layout 1" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://host:6379/0", "redis://host:6379/0"),
        ("redis://:secret@host/0", "redis://:***@host/0"),
        ("rediss://user:se%40cret@host/0?ssl_cert_reqs=none", "rediss://user:***@host/0?ssl_cert_reqs=none"),
        ("unix:///run/s?db=0&password=secret", "unix:///run/s?db=0&password=***"),
        ("redis://[bad", "(unreadable URL)"),
    ],
)
def test_a_url_is_shown_without_its_password(url: str, shown: str) -> None:
    assert masked(url) == shown


def test_settings_come_from_the_environment_that_is_given() -> None:
    config = from_env({"REDIS_URL": "unix:///s", "TIDEWATCH_POLL_ONLY": "yes"})
    assert (config.redis_url, config.poll_only, config.idle_seconds) == ("unix:///s", True, 2.0)
    assert from_env({}).redis_url == "redis://127.0.0.1:6379/0"
    with pytest.raises(InputError, match="TIDEWATCH_POLL_ONLY='maybe' is neither 1 nor 0"):
        from_env({"TIDEWATCH_POLL_ONLY": "maybe"})
