"""A real Redis Cluster on loopback: three primaries that share the slots, and a replica of each."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import redis
from redis.crc import key_slot

from tests.support.redis_server import Server
from tests.support.waiting import eventually

SLOTS = 16384
PRIMARIES = 3


@dataclass
class Node(Server):
    """One server of it; ``bus`` is the port on which nodes talk."""

    port: int
    bus: int

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    @property
    def options(self) -> Sequence[str]:
        return (
            *("--port", str(self.port), "--bind", "127.0.0.1", "--appendonly", "no"),
            *("--cluster-enabled", "yes", "--cluster-port", str(self.bus), "--cluster-node-timeout", "1500"),
            *("--cluster-replica-validity-factor", "0", "--cluster-require-full-coverage", "no"),
            *("--repl-diskless-sync-delay", "0"),
        )

    def ask(self, *command: str | int) -> object:
        with redis.Redis(port=self.port) as client:
            return client.execute_command(*command)

    def info(self, section: str) -> dict[str, str]:
        with redis.Redis(port=self.port) as client:
            text = client.execute_command("CLUSTER INFO") if section == "cluster" else client.info(section)
        return {name: str(value) for name, value in dict(text).items()}

    def keys(self, pattern: str) -> list[str]:
        """Keys of that form that lie here."""
        with redis.Redis(port=self.port) as client:
            return [one.decode() for one in client.scan_iter(pattern, count=1000)]

    @property
    def name(self) -> str:
        found = self.ask("CLUSTER MYID")
        return found.decode() if isinstance(found, bytes) else str(found)

    def leads(self) -> bool:
        """Whether it is a primary."""
        return self.info("replication")["role"] == "master"

    def follows(self) -> bool:
        """Whether it is a replica that has what its primary has."""
        return self.info("replication").get("master_link_status") == "up"


class RedisCluster:
    """``primary`` holds the slot of ``key``, and ``replica`` is its."""

    def __init__(self, key: str) -> None:
        ports = free_ports(4 * PRIMARIES)
        self.nodes = [Node(port, bus) for port, bus in zip(ports[::2], ports[1::2], strict=True)]
        self.primaries, self.replicas = self.nodes[:PRIMARIES], self.nodes[PRIMARIES:]
        which = self.place_of(key)
        self.primary, self.replica = self.primaries[which], self.replicas[which]

    @property
    def url(self) -> str:
        return "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)

    def place_of(self, key: str) -> int:
        """Which of the primaries begins with the slot of a key."""
        return key_slot(key.encode()) * PRIMARIES // SLOTS

    def move(self, key: str, to: Node) -> None:
        """Give the slot of a key to another primary, with all that is in it, while it is used."""
        slot, source = key_slot(key.encode()), self.primaries[self.place_of(key)]
        to.ask("CLUSTER SETSLOT", slot, "IMPORTING", source.name)
        source.ask("CLUSTER SETSLOT", slot, "MIGRATING", to.name)
        with redis.Redis(port=source.port) as client:
            while keys := client.execute_command("CLUSTER GETKEYSINSLOT", slot, 10):
                client.execute_command("MIGRATE", "127.0.0.1", to.port, "", 0, 5000, "KEYS", *keys)
        for node in (to, *(one for one in self.primaries if one is not to)):
            node.ask("CLUSTER SETSLOT", slot, "NODE", to.name)

    def replica_of(self, primary: Node) -> Node:
        """The one that follows a primary from the beginning."""
        return self.replicas[self.primaries.index(primary)]

    def fall_behind(self, primary: Node) -> None:
        """From now on its replica gets nothing any more of what the primary is told."""
        primary.ask("ACL SETUSER", "default", "-psync", "-sync", "-replconf")
        primary.ask("CLIENT KILL", "TYPE", "replica")
        eventually(lambda: not self.replica_of(primary).follows())

    def depose(self, primary: Node, *, behind: bool = False) -> None:
        """Kill a primary; its replica, which is ``behind`` or has all, has taken over."""
        assert self.replica_of(primary).follows() is not behind
        primary.stop(kill=True)
        eventually(self.replica_of(primary).leads, seconds=30, every=0.1)

    def start(self) -> RedisCluster:
        for node in self.nodes:
            node.start()
        for number, node in enumerate(self.primaries):
            first, last = (-(-SLOTS * part // PRIMARIES) for part in (number, number + 1))
            node.ask("CLUSTER ADDSLOTSRANGE", first, last - 1)
        for node in self.nodes[1:]:
            self.nodes[0].ask("CLUSTER MEET", "127.0.0.1", node.port, node.bus)
        eventually(self._all_know_all, seconds=20, every=0.1)
        for primary, replica in zip(self.primaries, self.replicas, strict=True):
            replica.ask("CLUSTER REPLICATE", primary.name)
        eventually(lambda: all(one.follows() for one in self.replicas), seconds=20, every=0.1)
        return self

    def _all_know_all(self) -> bool:
        told = [node.info("cluster") for node in self.nodes]
        return all(one["cluster_state"] == "ok" and one["cluster_known_nodes"] == str(len(told)) for one in told)

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
