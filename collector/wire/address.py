"""Addresses of a Redis Cluster: ``redis+cluster://user:password@host:6379,host:6379`` (``rediss+cluster://``: TLS)
names nodes, and each node has a plain URL; which node holds what, a cluster tells itself. Pure."""

from __future__ import annotations

from binascii import crc_hqx
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

CLUSTER = "+cluster://"
SCHEMES = ("redis://", "rediss://", "unix://", "redis+cluster://", "rediss+cluster://")
"""With which an address of Redis begins."""
SLOTS = "CLUSTER SLOTS"
SLOT_COUNT = 16384


def is_cluster(url: str) -> bool:
    """Whether ``url`` names nodes of a Redis Cluster."""
    return CLUSTER in url


def nodes_of(url: str) -> list[str]:
    """A URL for each node that is named; the one server's own where there is no cluster."""
    if not is_cluster(url):
        return [url]
    scheme, user, hosts, behind = _parts(url)
    return [f"{scheme}://{user}{host}{behind}" for host in hosts.split(",")]


def node_url(url: str, host: str, port: int) -> str:
    """The URL of another node of the cluster ``url``: user, password and options are those of all."""
    scheme, user, _, behind = _parts(url)
    return f"{scheme}://{user}{f'[{host}]' if ':' in host else host}:{port}{behind}"


def host_of(url: str) -> str:
    """The host in the URL of a node."""
    address = url.partition("://")[2].partition("?")[0].partition("/")[0].rpartition("@")[2]
    return address.rpartition("]")[0].lstrip("[") or address.partition(":")[0]


def slot_of(key: str) -> int:
    """The slot of a key: that of what stands between its first braces, if anything does."""
    _, _, behind = key.partition("{")
    tag, brace, _ = behind.partition("}")
    return crc_hqx((tag if tag and brace else key).encode(), 0) % SLOT_COUNT


@dataclass(frozen=True, slots=True)
class Slots:
    """Which nodes hold which slots: a range's first slot, its last one, its nodes' URLs, the primary's first."""

    ranges: Sequence[tuple[int, int, Sequence[str]]] = ()

    @classmethod
    def told(cls, answer: object, url: str, asked: str) -> Slots:
        """Out of a node's answer to SLOTS; a node that does not know its own host has that of ``asked``, its URL."""
        raw = cast(Sequence[tuple[int, int, *tuple[Sequence[bytes | int | None], ...]]], answer)
        found = [
            (int(first), int(last), [_node(url, asked, one) for one in nodes]) for first, last, *nodes in sorted(raw)
        ]
        return cls(found)

    def primary(self, slot: int) -> str | None:
        """The node that answers for a slot, None where none does."""
        place = bisect_right(self.ranges, slot, key=lambda one: one[0]) - 1
        if place < 0 or self.ranges[place][1] < slot:
            return None
        return self.ranges[place][2][0]

    @property
    def nodes(self) -> list[str]:
        """Every node, each once."""
        return list(dict.fromkeys(one for _, _, nodes in self.ranges for one in nodes))


def _node(url: str, asked: str, told: Sequence[bytes | int | None]) -> str:
    host, port = told[0], told[1]
    name = host.decode() if isinstance(host, bytes) else ""
    return node_url(url, name or host_of(asked), int(port or 0))


def _parts(url: str) -> tuple[str, str, str, str]:
    scheme, _, rest = url.partition(CLUSTER)
    user, at, hosts = rest.partition("?")[0].partition("/")[0].rpartition("@")
    return scheme, user + at, hosts, rest.removeprefix(user + at + hosts)
