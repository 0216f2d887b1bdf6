"""The oldest servers that may be trusted with others' commands: below them whoever may run a script may run anything.

CVE-2025-49844 (a script takes over the server) and CVE-2025-21605 (who has not logged in fills its memory) are mended
in these. A distribution may mend an older one and keep its number, so this is a warning and no more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

Version = tuple[int, int, int]

# field of INFO that tells the version → the server's name, and the first mended release of each line
_SERVERS: Mapping[str, tuple[str, Sequence[Version]]] = {
    "valkey_version": ("Valkey", ((7, 2, 11), (8, 0, 6), (8, 1, 4))),
    "redis_version": ("Redis", ((6, 2, 20), (7, 2, 11), (7, 4, 6), (8, 0, 4), (8, 2, 2))),
}


def concern(told: Mapping[str, object]) -> str:
    """One sentence about a server that is too old, by what it says of itself (INFO server); empty when it is not, and
    where it does not say which server it is."""
    for field, (name, mended) in _SERVERS.items():
        if field in told:  # Valkey tells a version of Redis, too, for old clients
            version = _version(str(told[field]))
            return "" if version is None or is_mended(version, mended) else _sentence(name, version, mended)
    return ""


def is_mended(version: Version, mended: Sequence[Version]) -> bool:
    """Whether a version is the first mended one of its line or later, or of a line that began after them all."""
    line = next((one for one in mended if one[:2] == version[:2]), None)
    return version > max(mended) if line is None else version >= line


def _version(text: str) -> Version | None:
    # 7.0.15
    found = re.match(r"(\d+)\.(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def _sentence(name: str, version: Version, mended: Sequence[Version]) -> str:
    spelled = ".".join(map(str, version))
    newer = next((one for one in mended if one > version), mended[-1])
    return (
        f"{name} {spelled} lets whoever may run a script take the server over (CVE-2025-49844), unless its "
        f"distribution has mended it: update to {'.'.join(map(str, newer))} or later, and let nobody else reach it."
    )
