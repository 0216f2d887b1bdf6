"""Real servers of Redis for tests: each in a directory of its own, startable again on the same data."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import redis

from tests.support.waiting import eventually


@dataclass
class Server:
    """Start, stop, kill and restart one server; what it keeps stays in ``directory`` until ``close``."""

    directory: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="tw-redis-")), kw_only=True)
    process: subprocess.Popen[bytes] | None = field(default=None, kw_only=True)

    @property
    def url(self) -> str:
        raise NotImplementedError

    @property
    def options(self) -> Sequence[str]:
        """What it is told beside its directory."""
        raise NotImplementedError

    def start(self) -> Self:
        program = shutil.which("redis-server")
        assert program, "redis-server is missing: make test installs it"
        command = [program, *self.options, "--dir", str(self.directory), "--save", "", "--daemonize", "no"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        eventually(self.answers, seconds=15)
        return self

    def answers(self) -> bool:
        client = redis.Redis.from_url(self.url)
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False
        finally:
            client.close()

    def stop(self, *, kill: bool = False) -> None:
        if self.process is None:
            return
        (self.process.kill if kill else self.process.terminate)()
        self.process.wait(timeout=10)
        self.process = None

    def close(self) -> None:
        self.stop(kill=True)
        shutil.rmtree(self.directory, ignore_errors=True)


@dataclass
class RedisServer(Server):
    """One on a unix socket, with AOF."""

    @property
    def socket(self) -> Path:
        return self.directory / "s"

    @property
    def url(self) -> str:
        return f"unix://{self.socket}?db=0"

    @property
    def options(self) -> Sequence[str]:
        return ("--port", "0", "--unixsocket", str(self.socket), "--appendonly", "yes", "--appendfsync", "everysec")
