"""Whose file is stored under a name that two hosts use: storage that both see, or files that are only called alike, as
msrun's ``worker_0.log`` is on every node. No state."""

from __future__ import annotations

from typing import Literal

from collector.follow.files import Files, Missing
from collector.follow.resume import GoOn, decide, marker_length
from collector.follow.rotation import copied_to, renamed_to
from collector.wire.records import Cursor

Verdict = Literal["same", "another", "unsure"]


def whose(files: Files, path: str, cursor: Cursor, *, alive: bool, patient: bool) -> Verdict:
    """Whether the file at ``path`` is the one that another host's ``cursor`` was reading. The bytes before its offset
    prove that it is. That it is not is certain when other bytes stand there; a file that is shorter may be behind on
    this host, or begun anew: while that host is ``alive`` its cursor will tell, so wait as long as we are ``patient``.
    Where no collector of that host lives, it may be ours under a new name, and the inode decides."""
    length = marker_length(cursor.offset)
    piece = files.read(path, cursor.offset - length, length)
    if isinstance(piece, Missing):
        return "same" if renamed_to(files, path, cursor) else "unsure"
    if cursor.offset and isinstance(decide(cursor, piece.stat, piece.data), GoOn):
        return "same"
    if cursor.source == "log" and (renamed_to(files, path, cursor) or copied_to(files, path, cursor)):
        return "same"
    if not piece.stat.size:
        return "unsure"  # and nothing is lost by waiting
    alike = piece.stat.inode == cursor.inode
    if not alive:
        return "same" if alike else "another"
    differs = 0 < cursor.offset <= piece.stat.size and not alike
    return "another" if differs or not patient else "unsure"
