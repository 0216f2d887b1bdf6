"""A log with its rotated parts as one run of bytes, oldest first, of which as little as possible is read."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from collector.follow.files import FileStat, Missing, Piece


class Bytes(Protocol):
    """What is needed of the file system."""

    def stat(self, path: str) -> FileStat | Missing: ...

    def read(self, path: str, offset: int, size: int) -> Piece | Missing: ...

    def data_after(self, path: str, offset: int) -> int: ...


@dataclass(frozen=True, slots=True)
class Part:
    """One file of the log: its name below the run's directory, and where it is."""

    file: str
    path: str


@dataclass(frozen=True, slots=True)
class _Held:
    part: Part
    start: int  # offset in the volume
    size: int
    inode: int


class Volume:
    """``size`` is what there was when it was opened; offsets count from the oldest part's first byte."""

    def __init__(self, files: Bytes, parts: Sequence[Part]) -> None:
        """Parts that are gone are left out. ``parts`` oldest first."""
        self._files = files
        self._held: list[_Held] = []
        self.size = 0
        self.read_bytes = 0  # so many were read; what a question may cost is measured by it
        for part in parts:
            stat = files.stat(part.path)
            if isinstance(stat, FileStat):
                self._held.append(_Held(part, self.size, stat.size, stat.inode))
                self.size += stat.size

    def __bool__(self) -> bool:
        return bool(self._held)

    def read(self, offset: int, size: int) -> bytes:
        """The bytes from ``offset`` on, fewer at the end or where a part shrank meanwhile."""
        data = b""
        while size > 0 and 0 <= offset < self.size:
            held = self._at(offset)
            wanted = min(size, held.start + held.size - offset)
            piece = self._files.read(held.part.path, offset - held.start, wanted)
            found = piece.data if isinstance(piece, Piece) else b""
            data += found
            self.read_bytes += len(found)
            if len(found) < wanted:
                break
            offset, size = offset + wanted, size - wanted
        return data

    def data_after(self, offset: int) -> int:
        """The first offset from ``offset`` on that is not in the hole of a sparse file."""
        held = self._at(offset)
        inside = self._files.data_after(held.part.path, offset - held.start)
        return held.start + min(held.size, inside)

    def file_of(self, offset: int) -> tuple[str, int]:
        """The file that an offset lies in, and the offset in it."""
        held = self._at(offset)
        return held.part.file, offset - held.start

    def position(self, offset: int) -> str:
        """An offset as text that names the same line when the log has grown or was rotated meanwhile."""
        held = self._at(offset)
        return f"{held.part.file}@{held.inode:x}-{offset - held.start}"

    def offset_of(self, position: str) -> int | None:
        """Where a position of an earlier answer is now; None when it is none of this log, or its part is gone."""
        # log/rank_0/info.log@1f3a-20480
        file, _, place = position.rpartition("@")
        inode, _, inside = place.partition("-")
        if not (inside.isascii() and inside.isdecimal() and len(inside) < 19):
            return None
        same = [one for one in self._held if f"{one.inode:x}" == inode]
        held = next(iter(same or [one for one in self._held if one.part.file == file]), None)
        return None if held is None else held.start + min(int(inside), held.size)

    def _at(self, offset: int) -> _Held:
        starts = [one.start for one in self._held]
        return self._held[max(0, bisect_right(starts, min(offset, self.size - 1)) - 1)]
