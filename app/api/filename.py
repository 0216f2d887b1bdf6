"""Names of files that browsers are told to save under: what a run is called may hold anything. Pure."""

from __future__ import annotations

import re
from urllib.parse import quote

LONGEST = 120  # characters; file systems take 255 bytes, and a character of Chinese has three
# what a path, a shell, a header or Windows would take for something else
UNFIT = re.compile(r'[\x00-\x1f\x7f-\x9f/\\:*?"<>|%;\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]')
DEVICE = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)")


def attachment(stem: str, suffix: str) -> str:
    """``Content-Disposition`` for a file ``stem.suffix``: no path, no header of its own, no device of Windows."""
    name = f"{fit(stem)}.{suffix}"
    plain = name.encode("ascii", "replace").decode().replace("?", "_")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def fit(stem: str) -> str:
    """A name that every file system takes, and that says as much as it can of ``stem``."""
    name = UNFIT.sub("_", stem).strip(" .")[:LONGEST] or "_"
    return f"_{name}" if DEVICE.match(name) else name
