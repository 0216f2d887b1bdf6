"""A real Redis Cluster on loopback: three primaries that share the slots, and a replica of one of them."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import redis
from redis.crc import key_slot

from tests.support.waiting import eventually

SLOTS = 16384
PRIMARIES = 3


@dataclass
class Node:
    """One server; it is forgotten with its directory."""

    port: int
    bus: int
    directory: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="tw-node-")))
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> Node:
        program = shutil.which("redis-server")
        assert program, "redis-server is missing: make test installs it"
        self.process = subprocess.Popen(
            [
                *(program, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.directory)),
                *("--cluster-enabled", "yes", "--cluster-port", str(self.bus), "--cluster-node-timeout", "1500"),
                *("--cluster-replica-validity-factor", "0", "--cluster-require-full-coverage", "no"),
                *("--save", "", "--appendonly", "no", "--daemonize", "no", "--repl-diskless-sync-delay", "0"),
            ],
            stdout=subprocess.DEVNULL,
        )
        eventually(self.answers, seconds=15)
        return self

    def answers(self) -> bool:
        try:
            return bool(self.ask("PING"))
        except redis.RedisError:
            return False

    def ask(self, *command: str | int) -> object:
        client = redis.Redis(port=self.port)
        try:
            return client.execute_command(*command)
        finally:
            client.close()

    def info(self, section: str) -> dict[str, str]:
        client = redis.Redis(port=self.port)
        try:
            text = client.execute_command("CLUSTER INFO") if section == "cluster" else client.info(section)
        finally:
            client.close()
        return {name: str(value) for name, value in dict(text).items()}

    @property
    def name(self) -> str:
        found = self.ask("CLUSTER MYID")
        return found.decode() if isinstance(found, bytes) else str(found)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait(timeout=10)
            self.process = None

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)


class RedisCluster:
    """``primary`` holds the slot of ``key`` and has a replica."""

    def __init__(self, key: str) -> None:
        ports = free_ports(2 * (PRIMARIES + 1))
        self.nodes = [Node(port, bus) for port, bus in zip(ports[::2], ports[1::2], strict=True)]
        *self.primaries, self.replica = self.nodes
        self.primary = self.primaries[key_slot(key.encode()) * PRIMARIES // SLOTS]

    @property
    def url(self) -> str:
        return "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)

    def start(self) -> RedisCluster:
        for node in self.nodes:
            node.start()
        for number, node in enumerate(self.primaries):
            first, last = (-(-SLOTS * part // PRIMARIES) for part in (number, number + 1))
            node.ask("CLUSTER ADDSLOTSRANGE", first, last - 1)
        for node in self.nodes[1:]:
            self.nodes[0].ask("CLUSTER MEET", "127.0.0.1", node.port, node.bus)
        eventually(self._all_know_all, seconds=20, every=0.1)
        self.replica.ask("CLUSTER REPLICATE", self.primary.name)
        eventually(lambda: self.replica.info("replication")["master_link_status"] == "up", seconds=20, every=0.1)
        return self

    def _all_know_all(self) -> bool:
        told = [node.info("cluster") for node in self.nodes]
        return all(one["cluster_state"] == "ok" and one["cluster_known_nodes"] == "4" for one in told)

    def close(self) -> None:
        for node in self.nodes:
            node.close()


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on."""
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
