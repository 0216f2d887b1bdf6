"""Logs that are renamed away and begun again (``info.log`` → ``info.log.1``): where the unread rest went."""

from __future__ import annotations

import posixpath
import re

from collector.follow.files import Files, FileStat, Missing, Piece
from collector.follow.resume import GoOn, decide, marker_length
from collector.wire.records import Cursor

# info.log.1 was info.log
_PART = re.compile(r"\.\d+\Z")


def renamed_to(files: Files, path: str, cursor: Cursor) -> str | None:
    """The path beside ``path`` that now holds the very file that ``cursor`` was reading, or None.

    A rotated log keeps its first name as the beginning of the new one; the inode finds it and the bytes before the
    cursor prove it, since inodes are used again.
    """
    if not cursor.inode:
        return None
    directory, name = posixpath.split(path)
    base = _PART.sub("", name)
    listing = files.entries(directory)
    if isinstance(listing, Missing):
        return None
    for entry in listing:
        beside = posixpath.join(directory, entry.name)
        if entry.kind == "file" and entry.name.startswith(f"{base}.") and _holds(files, beside, cursor):
            return beside
    return None


def _holds(files: Files, path: str, cursor: Cursor) -> bool:
    stat = files.stat(path)
    if not isinstance(stat, FileStat) or stat.inode != cursor.inode:
        return False
    length = marker_length(cursor.offset)
    piece = files.read(path, cursor.offset - length, length)
    return isinstance(piece, Piece) and isinstance(decide(cursor, piece.stat, piece.data), GoOn)
