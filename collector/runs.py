"""Which run a found file belongs to, and what the run is called. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from collector.follow.discovery import Found
from collector.parse.select import FileRole, role_of, run_id, run_name
from collector.wire.layout import LAYOUT_FACT
from collector.wire.records import RunRecord


@dataclass(frozen=True, slots=True)
class Naming:
    """What this collector was told of its runs: ``name`` is what ``--run`` says, so that several hosts meet in one run;
    runs below the root then become ``name/…``. ``layout`` is the text of ``--layout``, empty without, and
    ``rank_offset`` the global rank of the first local worker."""

    name: str | None = None
    demo: bool = False
    layout: str = ""
    rank_offset: int | None = None

    @property
    def facts(self) -> dict[str, str]:
        """Of every run that is followed here."""
        return {LAYOUT_FACT: self.layout} if self.layout else {}

    def run_of(self, found: Found) -> RunRecord:
        """The record of the run that a file belongs to."""
        role, root = found.role, readable(found.root)
        name = run_name(root, role.run)
        if self.name:
            told = readable(self.name)
            name = told if role.run == "." else f"{told}/{role.run}"
        path = root if role.directory == "." else f"{root.rstrip('/')}/{role.directory}"
        return RunRecord(run_id(name), name, path, self.demo)


# \udcff, as Python writes the byte FF of a name that is no UTF-8
_UNREADABLE = re.compile("[\udc80-\udcff\ufffd]")


def _spelled(found: re.Match[str]) -> str:
    return "".join(f"\ufffd{byte:02x}" for byte in found[0].encode("utf-8", "surrogateescape"))


@lru_cache(maxsize=1 << 16)  # every walk asks again for every file
def select(root: str, below: str) -> FileRole | None:
    """What a file below a root is for, None when it is not read."""
    return role_of(readable(below), root)


def readable(path: str) -> str:
    """A path as text that can be stored and shown. Bytes that are no UTF-8 are spelled out, and so is the sign that
    begins their spelling: no two names become one."""
    return _UNREADABLE.sub(_spelled, path)
