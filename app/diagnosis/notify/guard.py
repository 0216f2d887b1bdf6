"""Where a channel may connect to: outside always, inside the network where it was allowed, to this link and to what
tells machines of a cloud their secrets never.

The address is looked at when a socket connects to it, by an audit hook of the interpreter. So neither a redirect, nor a
name that resolves to something else the second time, nor a library with a way of its own gets round it.
"""

from __future__ import annotations

import ipaddress
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

Place = Literal["outside", "inside", "never"]
Address = ipaddress.IPv4Address | ipaddress.IPv6Address

METADATA = {  # of clouds that do not use a link-local address for it
    "100.100.100.200",  # Alibaba
    "168.63.129.16",  # Azure
    "192.0.0.192",  # Oracle
    "fd00:ec2::254",  # Amazon
}
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_guard = threading.local()
_installed = threading.Lock()
_hooks: list[object] = []


class Refused(OSError):
    """A connection that the guard did not let through."""


def place(text: str) -> Place:
    """Where an address is; what is no address is nowhere that may be connected to."""
    try:
        address = _plain(ipaddress.ip_address(text.split("%")[0]))
    except ValueError:
        return "never"
    if str(address) in METADATA or address.is_link_local or address.is_multicast or address.is_unspecified:
        return "never"
    return "outside" if address.is_global else "inside"


def literal(host: str) -> str:
    """The address that a host is told by, however it is spelled (2130706433 is 127.0.0.1); "" for a name."""
    if host == "localhost" or host.endswith(".localhost"):
        return "127.0.0.1"
    try:
        return str(ipaddress.ip_address(host.split("%")[0]))
    except ValueError:
        pass
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        return ""


def may_go(host: str, *, allow_internal: bool) -> bool:
    """Whether an address may be connected to."""
    found = place(host)
    return found == "outside" or (found == "inside" and allow_internal)


def _plain(address: Address) -> Address:
    """The IPv4 address within an IPv6 one, where that is what is meant."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


@contextmanager
def guarded(*, allow_internal: bool) -> Iterator[list[str]]:
    """Within the block this thread connects only where it may; the list tells what was refused."""
    _install()
    refused: list[str] = []
    before = getattr(_guard, "state", None)
    _guard.state = (allow_internal, refused)
    try:
        yield refused
    finally:
        _guard.state = before


def _install() -> None:
    with _installed:
        if not _hooks:  # a hook cannot be taken back
            _hooks.append(_look)
            sys.addaudithook(_look)


def _look(event: str, arguments: tuple[object, ...]) -> None:
    if event not in ("socket.connect", "socket.sendto"):
        return
    state = getattr(_guard, "state", None)
    if state is None:
        return
    allow_internal, refused = state
    host = _host(arguments[1])
    if may_go(host, allow_internal=allow_internal):
        return
    refused.append(host)
    raise Refused(f"{host} may not be connected to")


def _host(address: object) -> str:
    """Of a socket's address; a Unix socket is no place that a message is sent to."""
    return str(address[0]) if isinstance(address, tuple) and address else "a local socket"
