"""The files that are being followed: who is on the list, under which run, and who claims which inode."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from collector.agenda import Agenda
from collector.follow.discovery import Found
from collector.follow.rotation import whole_name
from collector.parse.select import worker_number
from collector.places import WHAT_TO_DO, Places, second
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

    def __init__(self, naming: Naming, bound: int, host: str = "") -> None:
        self.alive: Collection[str] = ()  # hosts whose collectors give signs of life
        self.paths: dict[str, Tracked] = {}
        self.agenda = Agenda()
        self.runs: dict[RunId, RunFiles] = {}
        self._naming = naming
        self._bound, self._host = bound, host
        self._twice: dict[str, FileState] = {}
        self._lost: dict[RunId, FileState] = {}
        self._lone: dict[RunId, Found] = {}  # records of health whose run has no other file: they are no run

    def __iter__(self) -> Iterator[Tracked]:
        return iter(self.paths.values())

    @property
    def problems(self) -> tuple[FileState, ...]:
        """Files that would be stored under the name of another one, and workers whose rank is not known."""
        return (*self._twice.values(), *self._lost.values())

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
        known_as = found.role.file
        file = self._name(run, known_as)
        holder = run.files.get(file)
        if holder is not None:
            if holder.path != found.path:
                self._twice[found.path] = FileState(found.path, "broken", f"stored as {file} like {holder.path}")
            return None
        stored = run.unmet.pop(file, None)
        cursor = Cursor(file, found.role.source, found.role.rank)
        tracked = Tracked(found, run.record, cursor, None, self._bound, self._host, known_as)
        tracked.call(file, stored)
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

    def rename(self, tracked: Tracked, file: str) -> None:
        """Another host's file has this one's name in the store: it goes on as ``file``."""
        run = self.runs[tracked.run.id]
        former, run.files[file] = tracked.cursor.file, tracked
        del run.files[former]
        if tracked.stored is not None:
            run.unmet[former] = tracked.stored
        tracked.call(file, run.unmet.pop(file, None))
        self.place(tracked.run.id)

    def seconds(self, tracked: Tracked) -> Iterator[tuple[str, Cursor]]:
        """Under which other names files that are called like this one are stored, and their cursors."""
        for file, text in list(self.runs[tracked.run.id].unmet.items()):
            if file.startswith(second(tracked.known_as, "")):
                yield file, Cursor.decode(text)

    def place(self, run: RunId) -> None:
        """Find the global ranks of a run's workers, now that more of its files are known."""
        files = self.runs[run].files.values() if run in self.runs else ()
        places = Places.of((one.known_as for one in files), self._naming.rank_offset)
        self._lost.pop(run, None)
        for one in files if places.workers else ():
            if worker_number(one.known_as) is None:
                continue
            rank = places.rank(one.known_as, is_second=one.is_second)
            if rank != one.found.role.rank:
                one.place(rank)
            if rank is None:
                self._lost[run] = FileState(one.cursor.file, "broken", WHAT_TO_DO)

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
        file = self._beside(tracked, path)
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

    def _beside(self, tracked: Tracked, path: str) -> str:
        """What a file in the same directory is called in the store."""
        file = posixpath.join(posixpath.dirname(tracked.known_as), posixpath.basename(path))
        return self._name(self.runs[tracked.run.id], file)

    def _name(self, run: RunFiles, file: str) -> str:
        mine = second(file, self._host)
        return mine if mine in run.unmet or mine in run.files else file

    def _former(self, tracked: Tracked, path: str) -> Tracked | None:
        """``info.log`` was renamed to ``info.log.1`` while we did not look, and nothing took its place yet: it is known
        from the store alone."""
        file = self._beside(tracked, path)
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
