"""The files that are being followed: who is on the list, under which run, and who claims which inode."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from collector.agenda import Agenda
from collector.follow.discovery import Found
from collector.follow.rotation import whole_name
from collector.runs import Naming, select
from collector.tracked import Tracked
from collector.wire.records import Cursor, FileState, RunId, RunRecord


@dataclass(slots=True)
class RunFiles:
    """One run: its record, its files by their name in the store, and the stored cursors of files not met yet."""

    record: RunRecord
    version: str | None
    unmet: dict[str, str]
    files: dict[str, Tracked] = field(default_factory=dict)


class Roster:
    """Every tracked file, by path and by run."""

    def __init__(self, naming: Naming, bound: int) -> None:
        self.paths: dict[str, Tracked] = {}
        self.agenda = Agenda()
        self.runs: dict[RunId, RunFiles] = {}
        self._naming = naming
        self._bound = bound
        self._twice: dict[str, FileState] = {}
        self._lone: dict[RunId, Found] = {}  # records of health whose run has no other file: they are no run

    def __iter__(self) -> Iterator[Tracked]:
        return iter(self.paths.values())

    @property
    def problems(self) -> tuple[FileState, ...]:
        """Files that would be stored under the name of another one."""
        return tuple(self._twice.values())

    def record_of(self, found: Found) -> RunRecord:
        """The run that a found file belongs to."""
        return self._naming.run_of(found)

    def know(self, record: RunRecord, version: str | None, cursors: Mapping[str, str]) -> None:
        """Open a run with what the store holds of it."""
        self.runs[record.id] = RunFiles(record, version, dict(cursors))

    def add(self, found: Found) -> Tracked | None:
        """Put a file on the list, its run being known. What is listed already, or bears the name of another file, is
        not added."""
        run = self.runs[self.record_of(found).id]
        if found.role.source == "health" and not run.files:
            self._lone[run.record.id] = found
            return None
        file = found.role.file
        holder = run.files.get(file)
        if holder is not None:
            if holder.path != found.path:
                self._twice[found.path] = FileState(found.path, "broken", f"stored as {file} like {holder.path}")
            return None
        stored = run.unmet.pop(file, None)
        cursor = Cursor(file, found.role.source, found.role.rank)
        tracked = Tracked(found, run.record, cursor, None, self._bound)
        tracked.adopt(stored)
        run.files[file] = self.paths[found.path] = tracked
        self.agenda.note(tracked)
        if (lone := self._lone.pop(run.record.id, None)) is not None:
            self.add(lone)
        return tracked

    def remove(self, tracked: Tracked) -> None:
        """Forget a file that is gone; its cursor stays in the store."""
        run = self.runs[tracked.run.id]
        self.paths.pop(tracked.path, None)
        run.files.pop(tracked.cursor.file, None)
        if tracked.stored:
            run.unmet[tracked.cursor.file] = tracked.stored

    def claimant(self, tracked: Tracked) -> Tracked | None:
        """The log that was reading this very file under another name, and has to finish it first."""
        if tracked.stat is None or tracked.found.role.source != "log" or tracked.cursor.inode == tracked.stat.inode:
            return None
        for name in _former_names(tracked.path):
            other = self.paths.get(name) or self._former(tracked, name)
            if other is not None and other.cursor.inode == tracked.stat.inode:
                return other
        return None

    def whole(self, tracked: Tracked) -> Tracked | None:
        """The log that a numbered part belongs to, even if nothing has its name now and the store alone knows it."""
        path = whole_name(tracked.path)
        file = posixpath.join(posixpath.dirname(tracked.found.role.file), posixpath.basename(path))
        if not path or tracked.found.role.source != "log":
            return None
        known = path in self.paths or file in self.runs[tracked.run.id].unmet
        return self.beside(tracked, path) if known else None

    def beside(self, tracked: Tracked, path: str) -> Tracked | None:
        """The tracked file at ``path``, in the directory of ``tracked``; added when it is one of ours."""
        if path in self.paths:
            return self.paths[path]
        below = path[len(tracked.found.root.rstrip("/")) + 1 :]
        role = select(tracked.found.root, below)
        return None if role is None else self.add(Found(path, tracked.found.root, role))

    def _former(self, tracked: Tracked, path: str) -> Tracked | None:
        """``info.log`` was renamed to ``info.log.1`` while we did not look, and nothing took its place yet: it is known
        from the store alone."""
        file = posixpath.join(posixpath.dirname(tracked.found.role.file), posixpath.basename(path))
        text = self.runs[tracked.run.id].unmet.get(file)
        if text is None or tracked.stat is None or Cursor.decode(text).inode != tracked.stat.inode:
            return None
        return self.beside(tracked, path)


def _former_names(path: str) -> list[str]:
    """The names under which a rotated log was written before: of ``info.log.2`` ``info.log.1`` and ``info.log``."""
    stem, dot, number = path.rpartition(".")
    if not dot or not number.isdecimal():
        return []
    return [*(f"{stem}.{lower}" for lower in range(int(number) - 1, 0, -1)), stem]
