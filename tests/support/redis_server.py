"""A real redis-server of a test's own: on a unix socket, with AOF, restartable on the same data."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import redis

from tests.support.waiting import eventually


@dataclass
class RedisServer:
    """Start, stop, kill and restart one server; its data stays in ``directory``."""

    directory: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="tw-redis-")))
    process: subprocess.Popen[bytes] | None = None

    @property
    def socket(self) -> Path:
        return self.directory / "s"

    @property
    def url(self) -> str:
        return f"unix://{self.socket}?db=0"

    def start(self) -> RedisServer:
        program = shutil.which("redis-server")
        assert program, "redis-server is missing: make test installs it"
        self.process = subprocess.Popen(
            [
                *(program, "--port", "0", "--unixsocket", str(self.socket), "--dir", str(self.directory)),
                *("--appendonly", "yes", "--appendfsync", "everysec", "--save", "", "--daemonize", "no"),
            ],
            stdout=subprocess.DEVNULL,
        )
        eventually(self.answers, seconds=10)
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
