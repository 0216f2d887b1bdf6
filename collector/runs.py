"""Which run a found file belongs to, and what the run is called. Pure."""

from __future__ import annotations

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
        role = found.role
        name = run_name(readable(found.root), role.run)
        if self.name:
            name = self.name if role.run == "." else f"{self.name}/{role.run}"
        path = found.root if role.directory == "." else f"{found.root.rstrip('/')}/{role.directory}"
        return RunRecord(run_id(name), name, readable(path), self.demo)


@lru_cache(maxsize=1 << 16)  # every walk asks again for every file
def select(root: str, below: str) -> FileRole | None:
    """What a file below a root is for, None when it is not read."""
    return role_of(readable(below), root)


def readable(path: str) -> str:
    """A path as text that can be stored and shown: bytes that are no UTF-8 become ``?``."""
    return path.encode("utf-8", "replace").decode()
