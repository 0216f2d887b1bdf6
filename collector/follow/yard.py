"""How far reading may lead: what a link below the followed directories must not open.

Whoever may write into a run's directory can put a link there, and the collector may read more than that person may. So
a link that leads out is followed to a directory alone, and only where it belongs to who owns that directory, or to who
runs the collector: people do arrange runs with such links. A link to a file could give any file the name of a log.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

CODE = "outside_link"
_ALLOW = "start the collector with --follow-links (or TIDEWATCH_FOLLOW_LINKS=1) to read what is there"
TO_FILE = f"{CODE}: the link leads out of the followed directory to a file; {_ALLOW}"
TO_OTHERS = f"{CODE}: the link leads to a directory of another user; {_ALLOW}"
SLIPPED = f"{CODE}: its path leads out of the followed directory now; {_ALLOW}"


@dataclass(slots=True)
class Yard:
    """What may be read: below ``roots``, which a person named, and below the directories that good links led to."""

    roots: Sequence[str]
    everywhere: bool = False  # --follow-links
    _led: frozenset[str] = field(default_factory=frozenset)  # real directories outside of the roots
    _real: tuple[str, ...] = ()  # where the roots were when that was last needed

    def refusal(self, link: str, real: str, kind: Literal["file", "directory"]) -> str:
        """Why what ``link`` leads to is not read; empty when it may be. ``real`` is where it leads in the end."""
        if self.everywhere or link in self.roots or self._below_root(real):
            return ""
        parent = os.path.realpath(os.path.dirname(link))  # noqa: PTH120 (as the walk spells it)
        if is_below(parent, real) or any(is_below(real, one) and is_below(parent, one) for one in self._led):
            return ""  # upwards, which the walk says of it; or within what a good link led to
        if kind == "file":
            return TO_FILE
        if os.lstat(link).st_uid not in (os.geteuid(), 0, os.stat(real).st_uid):  # noqa: PTH116
            return TO_OTHERS
        self._led |= {real}
        return ""

    def holds(self, handle: int, path: str) -> bool:
        """Whether an open file may be read: ``path`` may have become a link since it was listed."""
        if self.everywhere:
            return True
        try:
            real = str(Path(f"/proc/self/fd/{handle}").readlink())
        except OSError:  # no such place on this system
            real = os.path.realpath(path)
        # Where a file system tells of itself by other names, where the path leads has the last word.
        return self._may_read(real) or self._may_read(os.path.realpath(path))

    def _may_read(self, real: str) -> bool:
        return self._below_root(real) or any(is_below(real, one) for one in self._led)

    def _below_root(self, real: str) -> bool:
        if any(is_below(real, root) for root in self._real):
            return True
        self._real = tuple(os.path.realpath(root) for root in self.roots)  # one of them may be a link that was turned
        return any(is_below(real, root) for root in self._real)


def is_below(path: str, directory: str) -> bool:
    """Whether ``path`` is ``directory`` or lies below it, both real; ``runs-secret`` does not lie below ``runs``."""
    return path == directory or path.startswith(directory.rstrip("/") + "/")
