"""Rows A7 and A10: what a run is called neither says where a file is written nor opens a device."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path, PurePosixPath, PureWindowsPath
from urllib.parse import quote, unquote

import pytest
import redis
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from app.export.filename import disposition, filename
from app.export.saving import NotSaved, saving
from collector.wire.records import RunId
from tests.support.growing import PROJECT
from tests.support.seed import RUN, Seed, straight

NAMES = (
    "../../evil",
    "..\\..\\evil",
    "/etc/cron.d/evil",
    "C:\\evil",
    "\\\\host\\share\\evil",
    "~root/.ssh/authorized_keys",
    "-rf",
    ".bashrc",
    "..",
    "a\r\nSet-Cookie: evil=1",
    'a"; filename="evil.exe',
    "a\0b",
    "a%2F..%2Fb",
    "预训练 7b",
    "\u202egpj.exe",
    "x" * 5000,
    "训" * 300,
    " ",
    "a:b",
    "a?b#c",
)
DEVICES = ("CON", "con", "PRN", "AUX", "NUL", "COM1", "LPT9", "COM¹", "CONIN$", "aux.txt", "nul.tar.gz", "CON .x")


def is_a_plain_name(name: str) -> bool:
    """Whether it is one component of a path, in this directory, on every system, and no device of one."""
    return (
        name == PurePosixPath(name).name == PureWindowsPath(name).name
        and name not in ("", ".", "..")
        and not PureWindowsPath(name).is_reserved()
        and not name.startswith((".", "~", "-", " "))
        and len(name.encode()) <= 255
        and not re.search(r'[\x00-\x1f\x7f<>:"/\\|?*\u202a-\u202e]', name)
    )


@pytest.mark.parametrize("run", [*NAMES, *DEVICES], ids=ascii)
def test_a7_the_name_of_a_download_is_only_a_name(client: FlaskClient, redis_client: redis.Redis, run: str) -> None:
    Seed(redis_client, RunId(run)).points(straight(range(3)))
    answer = client.get(f"/api/runs/{quote(run, safe='')}/export.csv")
    if "/" in run or run in ("..", " "):
        assert answer.status_code in (200, 308, 404)  # no address leads there
    else:
        assert answer.status_code == 200
    told = answer.headers.get("Content-Disposition", "")
    assert answer.status_code != 200 or told.startswith('attachment; filename="')
    assert "Set-Cookie" not in answer.headers or "evil" not in answer.headers["Set-Cookie"]
    for name in re.findall(r'filename="([^"]*)"', told) + [unquote(it) for it in re.findall(r"UTF-8''(\S+)", told)]:
        assert is_a_plain_name(name), name
        assert name.endswith(".csv")


@given(st.text(max_size=300) | st.sampled_from([*NAMES, *DEVICES]))
def test_a7_whatever_a_run_is_called_its_file_has_a_plain_name(run: str) -> None:
    for window in ("", "10-20"):
        name = filename(run, window, "csv")
        assert is_a_plain_name(name), name
        header = disposition(name)
        assert header.isascii()
        assert header.isprintable()
        assert header.count('"') == 2


@pytest.mark.parametrize("run", DEVICES)
def test_a10_a_device_of_windows_is_no_file_name(run: str) -> None:
    assert not PureWindowsPath(filename(run, "", "csv")).is_reserved()
    assert filename(run, "", "csv").startswith("_")


@pytest.mark.parametrize("run", NAMES[:9], ids=ascii)
def test_a7_the_command_writes_into_this_directory_alone(
    redis_client: redis.Redis, redis_url: str, tmp_path: Path, run: str
) -> None:
    Seed(redis_client, RunId(run)).points(straight(range(3)))
    here = tmp_path / "a" / "b"
    here.mkdir(parents=True)
    environ = {**os.environ, "PYTHONPATH": str(PROJECT), "LC_ALL": "C.UTF-8"}
    command = [sys.executable, "-m", "app", "export", "--redis", redis_url, "--", run]
    done = subprocess.run(command, cwd=here, env=environ, capture_output=True, text=True, timeout=50)
    assert done.returncode == 0, done.stderr
    written = [one for one in tmp_path.rglob("*") if one.is_file()]
    assert [one.parent for one in written] == [here]


def test_a7_a_link_at_the_target_is_not_followed(tmp_path: Path) -> None:
    victim, target = tmp_path / "victim", tmp_path / "out.csv"
    victim.write_text("mine")
    target.symlink_to(victim)
    with pytest.raises(NotSaved), saving(target, force=False) as file:
        file.write(b"theirs")
    assert victim.read_text() == "mine"
    with saving(target, force=True) as file:
        file.write(b"theirs")
    assert (victim.read_text(), target.read_text(), target.is_symlink()) == ("mine", "theirs", False)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["out.csv", "victim"]


def test_a7_a_link_to_nowhere_is_not_filled(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(NotSaved), saving(target, force=False):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_a7_what_comes_in_the_meantime_is_not_overwritten(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    with pytest.raises(NotSaved), saving(target, force=False) as file:
        file.write(b"theirs")
        target.write_text("mine")
    assert target.read_text() == "mine"
    assert [one.name for one in tmp_path.iterdir()] == ["out.csv"]


def test_a7_a_file_is_not_more_open_than_others(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        with saving(tmp_path / "out.csv", force=False) as file:
            file.write(b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.csv").stat().st_mode) == 0o600


@pytest.mark.parametrize("run", ["../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e/x", "*", "[a-z]pt", "gp?"])
@pytest.mark.parametrize("form", ["export", "export.csv", "export.jsonl", "export.parquet"])
def test_a7_a_run_is_only_what_is_called_exactly_so(client: FlaskClient, seed: Seed, run: str, form: str) -> None:
    seed.points(straight(range(3)))
    answer = client.get(f"/api/runs/{quote(run)}/{form}")
    assert answer.status_code == 404
    assert client.get(f"/api/runs/{RUN}/{form}").status_code == 200
