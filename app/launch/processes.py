"""One program that is kept running: started, listened to, started again after a crash, stopped with all it started."""

from __future__ import annotations

import os
import signal
import subprocess  # nosec B404 # our own programs, see below
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from app.launch import tether

CODE = Path(__file__).resolve().parents[2]  # where `python -m app` and `python -m collector` work
CRASHES = 5  # as many within CRASH_SPAN are taken for a fault that time does not mend
CRASH_SPAN = 60.0  # seconds
FIRST_DELAY = 0.5  # seconds before the first new start; doubled each time
CANNOT_WORK = 2  # the exit code of a program that has said why it cannot do what it was asked

# What would change the behaviour of gunicorn, Flask or Dash behind our back.
SURPRISES = ("GUNICORN_", "DASH_", "FLASK_", "WERKZEUG_", "LISTEN_")
SURPRISING = {"WEB_CONCURRENCY", "PORT", "SENDFILE", "FORWARDED_ALLOW_IPS", "NOTIFY_SOCKET", "PYTHONOPTIMIZE"}


@dataclass(frozen=True, slots=True)
class Program:
    """What to run. ``ends_well``: leaving with 0 is its normal end, not a crash."""

    name: str
    command: tuple[str, ...]
    environ: Mapping[str, str]
    ends_well: bool = False
    descriptors: tuple[int, ...] = ()  # kept open for it


def clean(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without what would surprise a child."""
    kept = {name: text for name, text in environ.items() if not name.startswith(SURPRISES) and name not in SURPRISING}
    return {**kept, "PYTHONUNBUFFERED": "1"}


def next_start(crashes: Sequence[float]) -> float | None:
    """When to start again after crashes at these monotonic seconds; None when it has been tried often enough."""
    recent = [when for when in crashes if when > crashes[-1] - CRASH_SPAN]
    if len(recent) >= CRASHES:
        return None
    return crashes[-1] + FIRST_DELAY * 2.0 ** (len(recent) - 1)


@dataclass(slots=True)
class Running:
    """A program's life over its restarts."""

    program: Program
    process: subprocess.Popen[bytes] | None = None
    crashes: list[float] = field(default_factory=list)
    start_at: float | None = 0.0  # monotonic seconds; None: not to be started any more
    code: int | None = None  # of the last end
    partial: bytes = b""  # the beginning of a line

    @property
    def over(self) -> bool:
        """Whether it has ended and will not be started again."""
        return self.process is None and self.start_at is None

    @property
    def failed(self) -> bool:
        """Whether it is over and should not be."""
        return self.over and not (self.program.ends_well and self.code == 0)

    @property
    def output(self) -> IO[bytes] | None:
        """Its standard output and error in one, while it runs."""
        return self.process.stdout if self.process else None

    def start(self) -> None:
        """Run it in a process group of its own, so that Ctrl-C reaches us alone, tied to this process."""
        self.process = subprocess.Popen(  # nosec B603 # a list of words of our own table
            tether.command(*self.program.command),
            cwd=CODE,
            env=dict(self.program.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=self.program.descriptors,
            process_group=0,
        )

    def lines(self, *, end: bool = False) -> list[str]:
        """The whole lines that can be read without waiting; with ``end`` also a last one without newline."""
        if self.output is None:
            return []
        os.set_blocking(self.output.fileno(), False)
        chunk = self.output.read() or b""
        *whole, self.partial = (self.partial + chunk).split(b"\n")
        if end and self.partial:
            whole, self.partial = [*whole, self.partial], b""
        return [line.decode(errors="replace").rstrip() for line in whole]

    @property
    def ended(self) -> bool:
        """Whether it runs no more and has not been buried yet."""
        return self.process is not None and self.process.poll() is not None

    def bury(self, now: float) -> None:
        """Decide about the next start of a program that has ended."""
        self.code = self.process.poll() if self.process else self.code
        self.sweep()
        if self.code == CANNOT_WORK or (self.code == 0 and self.program.ends_well):
            self.start_at = None
        else:
            self.crashes.append(now)
            self.start_at = next_start(self.crashes)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program itself."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)

    def sweep(self) -> None:
        """End what the program left behind in its group, and let go of it."""
        if self.process is None:
            return
        with suppress(ProcessLookupError, PermissionError):  # nothing is left there
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()
        self.process = None
