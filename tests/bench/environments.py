"""Virtual environments for what others have written: made when first asked for, then kept; never for the tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from tests.support.dashboard import ROOT


class Unavailable(Exception):
    """An environment that cannot be made here; says why in one sentence."""


@cache
def python_of(name: str) -> str:
    """The interpreter of ``.venv-bench-NAME`` with the packages of requirements-NAME.txt; raises ``Unavailable``."""
    folder, wanted = ROOT / f".venv-bench-{name}", Path(__file__).parent / f"requirements-{name}.txt"
    python, stamp = folder / "bin" / "python", folder / "requirements"
    if not (stamp.is_file() and stamp.read_text() == wanted.read_text()):
        print(f"Making {folder.name} (once).", file=sys.stderr, flush=True)
        _run(f"{folder.name} could not be made", interpreter(name), "-m", "venv", "--clear", str(folder))
        _run(f"{wanted.name} could not be installed", str(python), "-m", "pip", "install", "--quiet", "-r", str(wanted))
        stamp.write_text(wanted.read_text())
    return str(python)


def interpreter(name: str) -> str:
    """Python for an environment: MindInsight's protobuf has compiled code up to 3.10, and is slower without."""
    if name != "mindinsight":
        return sys.executable
    named = [found for one in ("python3.10", "python3.9") if (found := shutil.which(one))]
    kept = sorted((Path.home() / ".pyenv" / "versions").glob("3.9.*/bin/python"))
    usable = [
        str(one) for one in (*named, *kept) if not subprocess.run([one, "-c", ""], capture_output=True).returncode
    ]
    return usable[0] if usable else sys.executable


def _run(what: str, *command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        said = [line for line in lines if "ERROR" in line or "rror:" in line] or lines
        raise Unavailable(f"{what}: {said[-1].strip() if said else f'exit code {done.returncode}'}")
