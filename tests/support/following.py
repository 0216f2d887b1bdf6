"""A real collector process whose words can be read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support.growing import PROJECT
from tests.support.waiting import eventually


class Follower:
    """One collector process at a time, on one root; ``within`` is a command that runs it."""

    def __init__(self, root: Path, url: str, *options: str, within: Sequence[str] = ()) -> None:
        self._command = [*within, sys.executable, "-m", "collector", "follow", str(root), "--redis", url, *options]
        self.process: subprocess.Popen[bytes] | None = None
        self._said = os.memfd_create("said")

    def start(self) -> None:
        environ = {**os.environ, "TZ": "UTC"}
        self.process = subprocess.Popen(self._command, cwd=PROJECT, env=environ, stderr=self._said)

    @property
    def said(self) -> str:
        """All that it has printed."""
        return os.pread(self._said, 1_000_000, 0).decode()

    def follows(self) -> bool:
        """Whether it has come so far that a signal is an orderly request."""
        return "Following" in self.said

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(timeout=15)

    def close(self) -> None:
        os.close(self._said)


@contextmanager
def following(root: Path, url: str, *options: str, within: Sequence[str] = ()) -> Iterator[Follower]:
    """A collector until the block ends; it must end well, and without a traceback."""
    follower = Follower(root, url, *options, within=within)
    follower.start()
    try:
        eventually(follower.follows, seconds=15)
        yield follower
    finally:
        code, said = follower.stop(), follower.said
        follower.close()
    assert code == 0
    assert "Traceback" not in said
