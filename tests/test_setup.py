"""Setting up: what a machine without the right Python, or without a browser, is told."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A directory of programs: what every machine has, and no Python, no Redis, no browser."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("sh", "tail", "touch", "rm", "dirname"):
        (programs / name).symlink_to(str(shutil.which(name)))
    return programs


def script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def run(script: str, *arguments: str, path: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(ROOT / ".ci" / script), *arguments], cwd=cwd, env={"PATH": str(path)}, capture_output=True, text=True
    )


def test_a_missing_python_is_said_in_one_sentence(bare: Path, tmp_path: Path) -> None:
    ended = run("setup", ".venv/run.stamp", "requirements.txt", path=bare, cwd=tmp_path)
    assert ended.returncode == 2
    assert ended.stderr == (
        "Tidewatch needs Python 3.11 or 3.12 and found no Python: "
        "install one of them, or name it with make PYTHON=/path/to/python3.11.\n"
    )


def test_a_wrong_python_is_named_with_its_version(bare: Path, tmp_path: Path) -> None:
    script(bare / "python3", 'case "$2" in *platform*) echo "Python 3.9.2";; *) exit 1;; esac')
    ended = run("setup", ".venv/run.stamp", "requirements.txt", path=bare, cwd=tmp_path)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert "needs Python 3.11 or 3.12 and found Python 3.9.2" in ended.stderr


def test_a_python_that_makes_no_environments_is_explained(bare: Path, tmp_path: Path) -> None:
    script(bare / "python3", 'case "$1" in -c) exit 0;; *) exit 1;; esac')
    ended = run("setup", ".venv/run.stamp", "requirements.txt", path=bare, cwd=tmp_path)
    assert ended.returncode == 2
    assert "on Debian and Ubuntu install python3-venv" in ended.stderr
    assert not (tmp_path / ".venv").exists()


def test_without_root_the_missing_programs_are_named(bare: Path, tmp_path: Path) -> None:
    script(bare / "id", "echo 1000")
    ended = run("tools", path=bare, cwd=tmp_path)
    assert ended.returncode == 2
    assert ended.stderr == (
        "The tests need redis-server chromium on the PATH: "
        "install them (Debian: apt install redis-server chromium), then run make test again.\n"
    )


def test_with_root_and_apt_only_what_is_missing_is_installed(bare: Path, tmp_path: Path) -> None:
    script(bare / "id", "echo 0")
    script(bare / "redis-server", "exit 0")
    script(bare / "apt-get", f'echo "$@" >>{tmp_path}/asked')
    ended = run("tools", path=bare, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "Installing chromium with apt (once).\n")
    assert (tmp_path / "asked").read_text().splitlines()[1].endswith("--no-install-recommends chromium")


def test_an_apt_that_fails_is_said(bare: Path, tmp_path: Path) -> None:
    script(bare / "id", "echo 0")
    script(bare / "apt-get", "exit 100")
    ended = run("tools", path=bare, cwd=tmp_path)
    assert ended.returncode == 2
    assert "apt could not install redis-server chromium: install them by hand" in ended.stderr
