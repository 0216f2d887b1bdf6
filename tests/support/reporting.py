"""``python -m app.diagnosis report``, as a person runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]


def report(*arguments: str | Path, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """In English unless asked otherwise; without any Redis. ``before`` is a command that runs it."""
    command = [*before, sys.executable, "-m", "app.diagnosis", "report", *map(str, arguments)]
    environ = {**os.environ, "REDIS_URL": "redis://127.0.0.1:1/0", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    return subprocess.run(command, cwd=PROJECT, env=environ, capture_output=True, text=True, timeout=120)


def reported(path: Path, *options: str, before: tuple[str, ...] = ()) -> dict[str, Any]:
    """The one run below ``path``."""
    done = report(path, "--format", "json", *options, before=before)
    assert done.returncode in (0, 1), done.stderr
    (run,) = json.loads(done.stdout)["runs"]
    found: dict[str, Any] = run
    return found


def findings(path: Path, *options: str) -> dict[str, dict[str, Any]]:
    """Alerts of that run, by id."""
    return {one["id"]: one for one in reported(path, *options)["alerts"]}
