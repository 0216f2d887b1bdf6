"""Logs that are renamed away and begun again (``info.log`` → ``info.log.1``), or copied and cut off (logrotate's
copytruncate): where the unread rest went."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from collector.follow.files import Entry, Files, FileStat, Missing, Piece
from collector.follow.resume import GoOn, decide, marker_length
from collector.wire.records import Cursor

Answer = TypeVar("Answer")
# info.log.1 was info.log
_PART = re.compile(r"\.\d+\Z")


class Unsure(Exception):
    """The file system gave no answer (EIO, ESTALE, permission): nothing may be concluded from that."""


@dataclass(frozen=True, slots=True)
class Certain:
    """Files that answer, or raise ``Unsure``: what is not there is an answer."""

    files: Files

    def entries(self, path: str) -> Sequence[Entry] | Missing:
        return _certain(self.files.entries(path))

    def resolve(self, path: str) -> tuple[str, Literal["file", "directory"]] | Missing:
        return _certain(self.files.resolve(path))

    def stat(self, path: str) -> FileStat | Missing:
        return _certain(self.files.stat(path))

    def read(self, path: str, offset: int, size: int) -> Piece | Missing:
        return _certain(self.files.read(path, offset, size))


def _certain(answer: Answer) -> Answer:
    if isinstance(answer, Missing) and not answer.gone:
        raise Unsure(answer.reason)
    return answer


def renamed_to(files: Files, path: str, cursor: Cursor) -> str | None:
    """The path beside ``path`` that now holds the very file that ``cursor`` was reading, or None.

    A rotated log keeps its first name as the beginning of the new one; the inode finds it and the bytes before the
    cursor prove it, since inodes are used again.
    """
    if not cursor.inode:
        return None
    return next((one for one in _parts(files, path) if _holds(files, one, cursor, inode=cursor.inode)), None)


def copied_to(files: Files, path: str, cursor: Cursor) -> str | None:
    """The path beside ``path`` that holds a copy of what ``cursor`` has read of it, and of what followed, or None."""
    if not cursor.offset:
        return None
    return next((one for one in _parts(files, path) if one != path and _holds(files, one, cursor, inode=None)), None)


def is_copy(files: Files, part: str, whole: str, cursor: Cursor) -> bool:
    """Whether ``part`` is another file than ``whole`` and holds what ``cursor`` has read of that, or its last bytes
    stand there at the same offset: a copy that is being made, or was."""
    stat, other = files.stat(part), files.stat(whole)
    if isinstance(stat, Missing) or stat.inode == cursor.inode:
        return False
    if cursor.offset and _holds(files, part, cursor, inode=None):
        return True
    if isinstance(other, Missing) or stat.inode == other.inode or not min(stat.size, other.size):
        return False
    length = marker_length(min(stat.size, other.size))
    start = min(stat.size, other.size) - length
    one, two = files.read(part, start, length), files.read(whole, start, length)
    return isinstance(one, Piece) and isinstance(two, Piece) and one.data == two.data


def whole_name(path: str) -> str:
    """The log that a numbered part belongs to; empty for any other path."""
    base = _PART.sub("", path)
    return "" if base == path else base


def _parts(files: Files, path: str) -> Iterator[str]:
    directory, name = posixpath.split(path)
    base = _PART.sub("", name)
    listing = files.entries(directory)
    for entry in () if isinstance(listing, Missing) else listing:
        if entry.kind == "file" and entry.name.startswith(f"{base}."):
            yield posixpath.join(directory, entry.name)


def _holds(files: Files, path: str, cursor: Cursor, *, inode: int | None) -> bool:
    stat = files.stat(path)
    if not isinstance(stat, FileStat) or inode not in (None, stat.inode) or stat.size < cursor.offset:
        return False
    length = marker_length(cursor.offset)
    piece = files.read(path, cursor.offset - length, length)
    return isinstance(piece, Piece) and isinstance(decide(cursor, piece.stat, piece.data), GoOn)
