"""The words behind ``python -m app`` that are commands."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from app.commands import COMMANDS, known

ROOT = Path(__file__).resolve().parents[2]


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "app", *arguments], capture_output=True, text=True, timeout=50, cwd=ROOT
    )


@pytest.mark.parametrize("word", COMMANDS)
def test_each_word_leads_to_a_module_that_can_be_run(word: str) -> None:
    assert callable(import_module(COMMANDS[word]).run)


def test_the_help_names_every_command_and_how_a_directory_of_its_name_is_given() -> None:
    said = " ".join(python("--help").stdout.split())
    assert all(word in said for word in COMMANDS)
    assert "./status" in said
    assert " ".join(known().split()) in said


def test_what_makes_no_sense_is_one_sentence_and_code_2() -> None:
    done = python("status", "--nonsense")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1


def test_a_dashboard_does_not_wait_for_what_commands_need() -> None:
    code = "import sys, app.__main__; print([m for m in ('rich', 'pyarrow', 'app.status.command') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=50, cwd=ROOT)
    assert done.stdout.strip() == "[]"
