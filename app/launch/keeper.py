"""Runs one embedded server for as long as anybody uses it: ``python -m app.launch.keeper DIRECTORY SOCKET PROGRAM``.

Started, detached, by the first user (app/launch/embedded.py); a second keeper of the same directory leaves at once.
"""

from __future__ import annotations

import os
import signal
import subprocess  # nosec B404 # the server that is kept, see below
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from app.launch import tether
from app.launch.locks import take

LOOK_EVERY = 0.2  # seconds between two looks at the server and its users
STARTS = 5  # a server that ended this often within a minute will not be better the next time
MINUTE = 60.0
GAVE_UP = 1  # the exit code that says so


def server_command(directory: Path, address: Path, program: str) -> tuple[str, ...]:
    """The server, tied to this process: a socket for us alone, no port, every write on disk within a second."""
    place = ["--dir", str(directory), "--unixsocket", str(address), "--unixsocketperm", "700", "--port", "0"]
    durability = ["--appendonly", "yes", "--appendfsync", "everysec", "--save", ""]
    return tether.command(program, *place, *durability, "--daemonize", "no", "--loglevel", "warning")


def keep(directory: Path, command: Sequence[str]) -> int:
    """Run the server until its last user has gone (0) or it will not run (GAVE_UP)."""
    starts: list[float] = []
    while True:
        starts = [start for start in starts if start > time.monotonic() - MINUTE] + [time.monotonic()]
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL)  # nosec B603 # words that our supervisor gave
        try:
            if unused(directory, server):
                return 0
        finally:
            stop(server)
        if len(starts) >= STARTS:
            return GAVE_UP
        time.sleep(0.1 * 2 ** len(starts))


def unused(directory: Path, server: subprocess.Popen[bytes]) -> bool:
    """Wait until nobody uses the server (True, and from then on nobody can) or it has ended (False)."""
    while server.poll() is None:
        if take(directory / "users") is not None:
            return True
        time.sleep(LOOK_EVERY)
    return False


def stop(server: subprocess.Popen[bytes]) -> None:
    """End the server in order, so that its last second reaches the disk; by force after ten."""
    server.terminate()
    try:
        server.wait(timeout=10)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def leave(number: int, frame: FrameType | None) -> None:
    """End as at the end of the program, so that the server is stopped too."""
    sys.exit(0)


def main(arguments: Sequence[str]) -> int:
    """Keep, unless somebody else does."""
    directory, address, program = Path(arguments[0]), Path(arguments[1]), arguments[2]
    keeping = take(directory / "keeper")
    if keeping is None:
        return 0
    signal.signal(signal.SIGTERM, leave)
    try:
        return keep(directory, server_command(directory, address, program))
    finally:
        os.close(keeping)  # before the lock on the users, which ends with the process: who waits for that finds us gone


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
