"""A real collector process, and what it should have put into the store."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


@contextmanager
def collector(
    root: Path, redis_url: str, *options: str, before: tuple[str, ...] = ()
) -> Iterator[subprocess.Popen[bytes]]:
    """``python -m collector follow ROOT`` until the block ends; its exit must be a clean one. ``before`` is a command
    that runs it."""
    command = [*before, sys.executable, "-m", "collector", "follow", str(root), "--redis", redis_url, *options]
    process = subprocess.Popen(command, cwd=PROJECT, env={**os.environ, "TZ": "UTC"}, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=15)
