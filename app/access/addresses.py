"""Which addresses are near and which are ours. Pure."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlencode

from app.access.trusted import bare

FORWARDED = ("X-Forwarded-For", "X-Real-Ip")
LONGEST = 4_000  # characters of an address
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


def is_loopback(host: str) -> bool:
    """Whether only this machine is meant."""
    name = host.lower().removeprefix("[").removesuffix("]")
    try:
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def is_near(host: str, allowed: Sequence[str]) -> bool:
    """Whether nobody but this machine can come: bound to loopback, and no proxy's name leads to it."""
    return all(map(is_loopback, (host, *allowed)))


def is_near_peer(address: str | None) -> bool:
    """Whether a connection came from this machine; a unix socket has no address."""
    if not address:
        return True
    try:
        found = ipaddress.ip_address(address.split("%")[0])
    except ValueError:
        return False
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return (mapped or found).is_loopback


def is_led_from_afar(headers: Mapping[str, str]) -> bool:
    """Whether a proxy says that it asks for somebody elsewhere. One that says nothing cannot be told from a browser."""
    clients = [headers.get(name, "") for name in FORWARDED]
    clients += re.findall(r"(?i)for=([^;,]+)", headers.get("Forwarded", ""))
    named = [one.strip().strip('"') for told in clients for one in told.split(",") if one.strip()]
    return not all(is_near_peer(bare(one)) for one in named)


def spelled(path: str, query: str | Sequence[tuple[str, str]] = "") -> str:
    """An address of this server, as it stands in a link. ``query`` as it came, or name by name."""
    words = query if isinstance(query, str) else urlencode(query)
    return quote(path) + (f"?{words}" if words else "")


def onward(text: str, prefix: str, beside: Sequence[str] = ()) -> str:
    """Where to go after the login: ``text`` if it is an address below ``prefix`` and none of ``beside``, else
    ``prefix``. Browsers read a backslash as a slash, leave out tabs and newlines, and take // for another host."""
    path = text.partition("?")[0].partition("#")[0]
    plain = text.isascii() and text.isprintable() and "\\" not in text and len(text) <= LONGEST
    if not plain or not path.startswith(prefix) or "//" in path or _climbs(path) or path in beside:
        return prefix
    return text


def _climbs(path: str) -> bool:
    """Whether a browser would leave the prefix by it, also where the dots are written as %2e."""
    return any(one.lower().replace("%2e", ".") in (".", "..") for one in path.split("/"))
