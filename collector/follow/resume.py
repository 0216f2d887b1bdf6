"""Where to read next: what we knew of a file against what is there now. Pure.

A file is known by its path, and it is the *same* file, grown, when the last bytes before our offset are still there.
Neither its inode (reused, and new after rsync) nor its size (a restarted job may have outgrown the old one before we
looked) can tell that.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Literal

from collector.follow.files import FileStat
from collector.wire.records import Cursor

# Enough for a whole line with its clock: the last 64 bytes of a MindFormers line (``overflow cond: False, loss_scale:
# 65536.0``) are the same in every line of many runs, and a restarted job's lines end at the same offsets.
MARKER_BYTES = 1024


@dataclass(frozen=True, slots=True)
class GoOn:
    """The file is the one we know; new bytes may follow the cursor."""


@dataclass(frozen=True, slots=True)
class StartAgain:
    """The content was replaced: a new generation begins at offset 0."""

    reason: Literal["truncated", "replaced"]


def marker_of(before: bytes) -> str:
    """Hash of the last MARKER_BYTES of ``before``, the bytes in front of an offset; empty at offset 0."""
    return hashlib.blake2b(before[-MARKER_BYTES:], digest_size=8).hexdigest() if before else ""


def marker_length(offset: int) -> int:
    """How many bytes before ``offset`` the marker covers."""
    return min(MARKER_BYTES, offset)


def decide(cursor: Cursor, now: FileStat, before: bytes) -> GoOn | StartAgain:
    """Whether ``before``, the bytes in front of the cursor's offset in the file that is there now, are still those
    that we read."""
    if now.size < cursor.offset:
        return StartAgain("truncated")
    if len(before) < marker_length(cursor.offset) or marker_of(before) != cursor.marker:
        return StartAgain("replaced")
    return GoOn()


def next_generation(cursor: Cursor) -> Cursor:
    """The cursor of the same file with other content: everything but the count of warnings begins anew."""
    counts = {**cursor.counts, "file_rewritten": cursor.counts.get("file_rewritten", 0) + 1}
    return replace(_begun(cursor), generation=cursor.generation + 1, counts=counts)


def read_again(cursor: Cursor) -> Cursor:
    """The cursor of a file that its writer always writes anew as a whole, and that is read the same however often: it
    begins again, in the same generation."""
    return replace(_begun(cursor), generation=cursor.generation, counts=cursor.counts)


def _begun(cursor: Cursor) -> Cursor:
    return Cursor(cursor.file, cursor.source, cursor.rank, host=cursor.host)


def rotated(cursor: Cursor, inode: int) -> Cursor:
    """The cursor of a log that was renamed away and begun again: the run goes on, only the bytes start at 0."""
    return replace(cursor, offset=0, marker="", inode=inode)


def drained(cursor: Cursor, file: str, known: Cursor | None) -> Cursor:
    """The cursor of the renamed part ``file``, whose bytes have all been read under the old name."""
    generation = known.generation if known else 0
    return replace(cursor, file=file, generation=generation, counts=known.counts if known else {})
