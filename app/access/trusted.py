"""Which peers are proxies of ours, and whom a chain of them speaks for. Pure."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

UNIX = "unix"  # a socket of this machine, which has no address


@dataclass(frozen=True, slots=True)
class Trusted:
    """Which peers are proxies of ours."""

    networks: tuple[Network, ...] = ()
    is_unix_trusted: bool = False

    @classmethod
    def parsed(cls, text: str) -> Trusted:
        """``10.0.0.0/8, ::1, unix``. Raises ValueError for what is no address or network."""
        words = [one.strip() for one in text.split(",") if one.strip()]
        return cls(tuple(ipaddress.ip_network(one) for one in words if one != UNIX), UNIX in words)

    def __bool__(self) -> bool:
        return bool(self.networks or self.is_unix_trusted)

    def knows(self, peer: str) -> bool:
        """Whether a connection from there is a proxy's."""
        if not peer:
            return self.is_unix_trusted
        found = _address(peer)
        return found is not None and any(found in one for one in self.networks if one.version == found.version)

    def client(self, forwarded_for: str, peer: str) -> str:
        """Where the request came from: of the addresses that proxies have added, the last one that is none of theirs.
        What stands before it anybody may have written."""
        client = peer
        for word in reversed(forwarded_for.split(",")):
            found = _address(bare(word.strip()))
            if found is None:
                break
            client = str(found)
            if not self.knows(client):
                break
        return client


def bare(word: str) -> str:
    """Without a port: ``[::1]:80`` → ``::1``, ``1.2.3.4:80`` → ``1.2.3.4``."""
    if word.startswith("["):
        return word[1:].partition("]")[0]
    return word.partition(":")[0] if word.count(":") == 1 else word


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(text.split("%")[0])
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found
