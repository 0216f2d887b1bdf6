"""A file system and a store that live in memory, for histories by the hundred; both keep the shipped protocols."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Literal

from collector.batch import Batch, Committed, Conflict, Full
from collector.errors import StoreAway
from collector.follow.files import Entry, FileStat, Missing, Piece
from collector.wire.records import Heartbeat, RunId, unpack_points

ABSENT = Missing("no such file or directory", gone=True)


@dataclass
class Content:
    inode: int
    data: bytearray = field(default_factory=bytearray)
    mtime: float = 2e9


class MemoryFiles:
    """Regular files by absolute path; directories exist as far as files need them."""

    def __init__(self, first_inode: int = 1) -> None:
        self.contents: dict[str, Content] = {}
        self.denied: set[str] = set()
        self.faulty: set[str] = set()  # reading these fails in a way that nobody foresaw
        self._inodes = count(first_inode)
        self._clock = count(1)

    def append(self, path: str, data: bytes) -> None:
        content = self.contents.setdefault(path, Content(next(self._inodes)))
        content.data += data
        content.mtime = 2e9 + next(self._clock)

    def overwrite(self, path: str, data: bytes) -> None:
        """The same inode with other content, as ``open(path, "w")`` leaves it."""
        self.contents[path].data.clear()
        self.append(path, data)

    def replace(self, path: str, data: bytes) -> None:
        """Another inode under the same name, as rsync leaves it."""
        self.contents.pop(path, None)
        self.append(path, data)

    def delete(self, path: str) -> None:
        del self.contents[path]

    def copy(self, path: str, to: str) -> None:
        """Another inode with the same content, as ``cp`` leaves it."""
        self.replace(to, bytes(self.contents[path].data))

    def rename(self, path: str, to: str) -> None:
        self.contents[to] = self.contents.pop(path)

    def entries(self, path: str) -> Sequence[Entry] | Missing:
        below = [one[len(path) + 1 :] for one in self.contents if one.startswith(f"{path}/")]
        kinds: dict[str, Literal["file", "directory", "link"]] = {
            rest.partition("/")[0]: "directory" if "/" in rest else "file" for rest in below
        }
        return [Entry(name, kind) for name, kind in sorted(kinds.items())]

    def resolve(self, path: str) -> tuple[str, Literal["file", "directory"]] | Missing:
        return path, "file" if path in self.contents else "directory"

    def stat(self, path: str) -> FileStat | Missing:
        content = self.contents.get(path)
        return FileStat(len(content.data), content.mtime, content.inode) if content else ABSENT

    def read(self, path: str, offset: int, size: int) -> Piece | Missing:
        stat = self.stat(path)
        if path in self.faulty:
            raise ZeroDivisionError("by zero")
        if path in self.denied:
            return Missing("permission denied", gone=False)
        if isinstance(stat, Missing):
            return stat
        return Piece(stat, bytes(self.contents[path].data[offset : offset + size]))


class MemoryStore:
    """The fence and the points, without Redis; ``away`` makes every call fail."""

    def __init__(self) -> None:
        self.points: dict[tuple[str, str], bytes] = {}  # by run and series
        self.generations: list[tuple[str, int, str]] = []
        self.beats: list[Heartbeat] = []
        self.facts: dict[str, dict[str, str]] = {}  # by run
        self.living: set[str] = set()  # hosts
        self.doubted: set[RunId] = set()  # runs whose pages may know points that are gone
        self.commits = 0
        self.series_bytes = 512 * 2**20
        self.away = False
        self.answers_lost = 0  # so many of the next commits are applied, but their answer does not arrive
        self._cursors: dict[RunId, dict[str, str]] = {}
        self._versions: dict[RunId, str] = {}
        self._count = count(1)

    def flush(self) -> None:
        self.points.clear()
        self._cursors.clear()
        self._versions.clear()

    def check(self) -> None:
        self._answer()

    def home(self, run: RunId, file: str) -> RunId:
        return run

    def doubt(self, run: RunId) -> None:
        self.doubted.add(run)

    def cursors(self, run: RunId) -> Mapping[str, str]:
        self._answer()
        return dict(self._cursors.get(run, {}))

    def cursors_of(self, runs: Sequence[RunId]) -> Sequence[Mapping[str, str]]:
        return [self.cursors(run) for run in runs]

    def commit(self, batch: Batch, now: float) -> Committed | Conflict | Full:
        self._answer()
        stored = self._cursors.setdefault(batch.run.id, {})
        if any(stored.get(one.cursor.file) != one.expected for one in batch.progress):
            return Conflict({one.cursor.file: stored.get(one.cursor.file) for one in batch.progress})
        for block in batch.blocks:
            if len(self.points.get((batch.run.id, block.meta.sid), b"")) + len(block.points) > self.series_bytes:
                return Full(block.meta.file)
        for one in batch.progress:
            stored[one.cursor.file] = one.cursor.encode()
        for block in batch.blocks:
            self.points[batch.run.id, block.meta.sid] = (
                self.points.get((batch.run.id, block.meta.sid), b"") + block.points
            )
        self.generations += [(one.file, one.generation, one.reason) for one in batch.generations]
        self.commits += 1
        before = self._versions.get(batch.run.id)
        self._versions[batch.run.id] = str(next(self._count))
        if self.answers_lost:
            self.answers_lost -= 1
            raise StoreAway("The answer was lost")
        return Committed(self._versions[batch.run.id], before)

    def versions(self, runs: Sequence[RunId]) -> Sequence[str | None]:
        self._answer()
        return [self._versions.get(run) for run in runs]

    def beat(self, heartbeat: Heartbeat, runs: Sequence[RunId], facts: Mapping[str, str] | None = None) -> None:
        self._answer()
        self.beats.append(heartbeat)
        for run in runs:
            self.facts.setdefault(run, {}).update(facts or {})

    def hosts(self) -> Collection[str]:
        self._answer()
        return self.living

    def skew(self) -> tuple[float, float] | None:
        self._answer()
        return None

    def steps(self, tag: str, file: str = "", run: str = "") -> list[int]:
        """The stored steps of a tag, of one file (its name) or all, of one run or all, in order of run, file and
        generation."""
        chosen = sorted((key for key in self.points if key[1].endswith(f"\x1f{tag}") and run in ("", key[0])), key=_age)
        return [
            step
            for key in chosen
            if posixpath.basename(key[1].partition("\x1f")[0]).startswith(file)
            for step, _, _ in unpack_points(self.points[key])
        ]

    def _answer(self) -> None:
        if self.away:
            raise StoreAway("Redis at memory does not take commands (away)")


def _age(key: tuple[str, str]) -> tuple[str, str, int]:
    run, sid = key
    file, generation, _ = sid.split("\x1f")
    return run, file, int(generation)
