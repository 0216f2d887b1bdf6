"""A whole dashboard in processes of its own, as a person starts it, and the means to find every one of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.waiting import eventually

ROOT = Path(__file__).resolve().parents[2]
MARK = "TIDEWATCH_TEST_MARK"  # inherited by all that is started, so that nothing can hide


@dataclass
class Dashboard:
    """``python -m app`` with arguments; what it prints goes to a file."""

    process: subprocess.Popen[bytes]
    output: Path
    mark: str

    @property
    def text(self) -> str:
        return self.output.read_text(errors="replace")

    def url(self, *, seconds: float = 30) -> str:
        """The address that was printed, without a slash at the end; fails with all that was printed instead."""

        def printed() -> str | None:
            for line in self.text.splitlines():
                if " at http://" in line:
                    return line.split(" at ")[1].split()[0].rstrip("/")
            assert self.process.poll() is None, f"it ended with {self.process.returncode}:\n{self.text}"
            return None

        return eventually(printed, seconds=seconds) or ""

    def processes(self) -> dict[int, str]:
        """Every living process that this dashboard started, itself included: id → command line."""
        return dict(marked(self.mark))

    def part(self, word: str) -> int:
        """The one process whose command line holds ``word``, the oldest when it has forked."""
        return min(pid for pid, command in self.processes().items() if word in command)

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and wait; the exit code."""
        self.process.send_signal(number)
        return self.process.wait(timeout=20)


def marked(mark: str) -> Iterator[tuple[int, str]]:
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            if f"{MARK}={mark}".encode() in (entry / "environ").read_bytes():
                yield int(entry.name), (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue  # it has ended meanwhile


@contextmanager
def dashboard(data: Path, *arguments: str, **environ: str) -> Iterator[Dashboard]:
    """A dashboard on a free port with its data below ``data``; whatever is left of it is killed in the end."""
    mark = uuid.uuid4().hex
    data.mkdir(parents=True, exist_ok=True)
    output = data / f"printed-{mark}"
    settings = {**os.environ, "TIDEWATCH_DATA_DIR": str(data / "data"), "REDIS_URL": "", MARK: mark, **environ}
    with output.open("wb") as printed:
        process = subprocess.Popen(
            [sys.executable, "-m", "app", "--port", "0", *arguments],
            cwd=ROOT,
            env=settings,
            stdout=printed,
            stderr=printed,
        )
    try:
        yield Dashboard(process, output, mark)
    finally:
        for pid, _ in marked(mark):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        process.wait()
