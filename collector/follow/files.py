"""The only code that touches training files: list a directory, resolve a link, stat a file, read a piece of one.

Nothing stays open between two calls, so any number of files can be followed with a handful of handles, and a file
that was replaced (rsync, rename) is seen at once. A file that vanished or may not be read is a value, not an error.
"""

from __future__ import annotations

import errno
import os
import stat as modes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from collector.follow.yard import SLIPPED, Yard

_SUMMARIES = ("_MS", "_lineage")
CLOSED_SUMMARY = (
    "; MindSpore gives a summary mode 0400 when it closes it, so run the collector as the user who trains, or let that"
    " user `chmod a+r` the file"
)


@dataclass(frozen=True, slots=True)
class FileStat:
    """What tells one state of a file from another; ``mtime`` in Unix seconds of the file server's clock."""

    size: int
    mtime: float
    inode: int


@dataclass(frozen=True, slots=True)
class Missing:
    """Nothing to read here: it is gone, or ``reason`` says in words why it cannot be read."""

    reason: str
    gone: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a directory; links are told apart before anything is followed."""

    name: str
    kind: Literal["file", "directory", "link"]


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes of a file together with the state of the very file that they came from."""

    stat: FileStat
    data: bytes


class Files(Protocol):
    """The file system as the collector needs it; tests bring one that lives in memory."""

    def entries(self, path: str) -> Sequence[Entry] | Missing: ...

    def resolve(self, path: str) -> tuple[str, Literal["file", "directory"]] | Missing: ...

    def stat(self, path: str) -> FileStat | Missing: ...

    def read(self, path: str, offset: int, size: int) -> Piece | Missing: ...


@dataclass(frozen=True, slots=True)
class DiskFiles:
    """The real file system. ``fresh`` opens a file before its size is asked for: network file systems promise a
    current size only at an open (NFS close-to-open), and without notifications a stale one costs seconds. ``yard`` says
    how far links may lead; without it anywhere."""

    fresh: bool = False
    yard: Yard | None = None

    def entries(self, path: str) -> Sequence[Entry] | Missing:
        """Names in a directory, in order, hidden ones left out (temporary files of rsync, ``.git``, ``.snapshot``)."""
        try:
            with os.scandir(path) as listing:
                found = [Entry(one.name, _kind(one)) for one in listing if not one.name.startswith(".")]
        except OSError as error:
            return _missing(error)
        return sorted(found, key=lambda entry: entry.name)

    def resolve(self, path: str) -> tuple[str, Literal["file", "directory"]] | Missing:
        """Where a link leads in the end, and to what; missing where it leads further than it may."""
        try:
            real = os.path.realpath(path, strict=True)
            kind: Literal["file", "directory"] = "directory" if modes.S_ISDIR(os.stat(real).st_mode) else "file"  # noqa: PTH116
            refusal = self.yard.refusal(path, real, kind) if self.yard else ""
        except OSError as error:
            return _missing(error)
        return Missing(refusal, gone=False) if refusal else (real, kind)

    def stat(self, path: str) -> FileStat | Missing:
        """Size, time and inode of a file as they are now."""
        try:
            if not self.fresh:
                return _file_stat(os.stat(path))  # noqa: PTH116 (hot path: every file, several times a second)
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError as error:
            return _missing(error)
        try:
            return _file_stat(os.fstat(handle))
        finally:
            os.close(handle)

    def read(self, path: str, offset: int, size: int) -> Piece | Missing:
        """At most ``size`` bytes from ``offset`` on; the state is taken from the same handle, before the bytes."""
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a named pipe must not stop the collector
        except OSError as error:
            return _missing(error)
        try:
            status = os.fstat(handle)
            if not modes.S_ISREG(status.st_mode):
                return Missing("it is not a regular file", gone=False)
            if self.yard and not self.yard.holds(handle, path):
                return Missing(SLIPPED, gone=False)
            there = max(0, status.st_size - offset)  # asking for more would cost its memory and a second call
            return Piece(_file_stat(status), _read_all(handle, offset, min(size, there)))
        except OSError as error:  # ESTALE and EIO of network storage: look again at the next turn
            return _missing(error)
        finally:
            os.close(handle)

    def data_after(self, path: str, offset: int) -> int:
        """The first offset from ``offset`` on that lies in no hole of a sparse file; ``offset`` itself where the file
        system cannot tell."""
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            return offset
        try:
            return os.lseek(handle, offset, os.SEEK_DATA)
        except OSError as error:
            return os.fstat(handle).st_size if error.errno == errno.ENXIO else offset
        finally:
            os.close(handle)


def _read_all(handle: int, offset: int, size: int) -> bytes:
    """Network file systems may return less than was asked for in the middle of a file."""
    data = os.pread(handle, size, offset)
    while data and len(data) < size:
        more = os.pread(handle, size - len(data), offset + len(data))
        if not more:
            break
        data += more
    return data


def _file_stat(status: os.stat_result) -> FileStat:
    return FileStat(status.st_size, status.st_mtime, status.st_ino)


def _kind(entry: os.DirEntry[str]) -> Literal["file", "directory", "link"]:
    if entry.is_symlink():
        return "link"
    return "directory" if entry.is_dir(follow_symlinks=False) else "file"


def _missing(error: OSError) -> Missing:
    gone = isinstance(error, FileNotFoundError | NotADirectoryError)
    reason = (error.strerror or type(error).__name__).lower()
    if isinstance(error, PermissionError) and str(error.filename).endswith(_SUMMARIES):
        reason += CLOSED_SUMMARY
    return Missing(reason, gone)
