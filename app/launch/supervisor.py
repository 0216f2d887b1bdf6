"""Keeps the programs of one dashboard together: all of them run, or none."""

from __future__ import annotations

import selectors
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from app.launch.processes import CANNOT_WORK, Program, Running

TURN = 0.2  # seconds: how late an end is noticed
PATIENCE = 5.0  # seconds that a program has for its orderly end
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Say = Callable[[str], None]


class Ending:
    """Whether somebody asked us to stop."""

    def __init__(self) -> None:
        self.asked = False

    def ask(self, number: int = 0, frame: FrameType | None = None) -> None:
        """A signal handler."""
        self.asked = True


@contextmanager
def ending_on_signals() -> Iterator[Ending]:
    """Ctrl-C, SIGTERM and a closed terminal ask for the end; under nohup the terminal does not."""
    ending = Ending()
    before = {one: signal.getsignal(one) for one in ENDINGS}
    for number, handler in before.items():
        if (number, handler) != (signal.SIGHUP, signal.SIG_IGN):
            signal.signal(number, ending.ask)
    try:
        yield ending
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def supervise(programs: Sequence[Program], ending: Ending, *, every_turn: Callable[[], None], say: Say) -> int:
    """Run until asked to end (0) or one program is over that should not be (its own 2, else 1).

    ``every_turn`` is called between two looks and may take a second. Everything is stopped on the way out.
    """
    running = [Running(program) for program in programs]
    try:
        while not ending.asked and not any(one.failed for one in running):
            for one in running:
                turn(one, time.monotonic(), say)
            every_turn()
            wait(running)
    finally:
        stop(running, say)
    failed = [one for one in running if one.failed]
    for one in failed:
        say(obituary(one))
    return 0 if not failed else CANNOT_WORK if failed[0].code == CANNOT_WORK else 1


def turn(one: Running, now: float, say: Say) -> None:
    """Forward what a program said, and start it when it is time."""
    ended = one.ended
    forward(one, say, end=ended)
    if ended:
        one.bury(now)
        if one.start_at is not None:
            say(f"The {one.program.name} ended ({reason(one)}) and is started again in {one.start_at - now:.1f} s.")
    if one.process is None and one.start_at is not None and one.start_at <= now:
        one.start()


def forward(one: Running, say: Say, *, end: bool = False) -> None:
    """Pass a program's lines on, under its name."""
    for line in one.lines(end=end):
        say(f"{one.program.name}: {line}")


def wait(running: Sequence[Running]) -> None:
    """A turn's pause, shorter when a program says something."""
    with selectors.DefaultSelector() as selector:
        for one in running:
            if one.output is not None:
                selector.register(one.output, selectors.EVENT_READ)
        if selector.select(TURN):
            time.sleep(0.01)  # let the rest of the line come, and never spin on a closed pipe


def stop(running: Sequence[Running], say: Say, patience: float = PATIENCE) -> None:
    """End everything in order, by force after ``patience`` seconds; what was left of output is passed on."""
    for one in reversed(running):
        one.signal(signal.SIGTERM)
    deadline = time.monotonic() + patience
    while any(one.process is not None and one.process.poll() is None for one in running):
        if time.monotonic() > deadline:
            break
        for one in running:
            forward(one, say)
        time.sleep(0.02)
    for one in running:
        one.signal(signal.SIGKILL)
        forward(one, say, end=True)
        one.sweep()


def obituary(one: Running) -> str:
    """Why we end because of this program."""
    if one.code == CANNOT_WORK:
        return f"The {one.program.name} cannot work, as it says above; Tidewatch stops."
    return (
        f"The {one.program.name} ended {len(one.crashes)} times ({reason(one)}); Tidewatch stops, its lines are above."
    )


def reason(one: Running) -> str:
    """How a program ended."""
    if one.code is not None and one.code < 0:
        return f"signal {signal.Signals(-one.code).name}"
    return f"exit code {one.code}"
