"""Which run a found file belongs to, and what the run is called. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from collector.follow.discovery import Found
from collector.parse.select import FileRole, role_of, run_id, run_name
from collector.wire.records import RunRecord


@dataclass(frozen=True, slots=True)
class Naming:
    """How this collector names runs: ``name`` is what ``--run`` says, so that several hosts meet in one run; runs
    below the root then become ``name/…``."""

    name: str | None = None
    demo: bool = False

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
