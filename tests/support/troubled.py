"""Files and a store whose n-th call fails, and files whose calls can be answered by the test."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from collector.batch import Batch, Committed, Conflict, Full
from collector.errors import StoreAway
from collector.follow.files import Entry, Files, FileStat, Missing, Piece
from collector.wire.records import Heartbeat, RunId
from tests.support.memory import MemoryStore


class Countdown:
    """Says at the ``nth`` call, and at no other, that it is to fail."""

    def __init__(self, nth: int) -> None:
        self.left = nth

    def is_over(self) -> bool:
        self.left -= 1
        return self.left == 0


class FailingFiles:
    """Passes every call on but the one that fails, which is answered as ``DiskFiles`` answers ``number``."""

    def __init__(self, files: Files, countdown: Countdown, number: int = errno.EIO) -> None:
        self.files, self.countdown = files, countdown
        self.answer = Missing(os.strerror(number).lower(), gone=number == errno.ENOENT)

    def entries(self, path: str) -> Sequence[Entry] | Missing:
        return self.answer if self.countdown.is_over() else self.files.entries(path)

    def resolve(self, path: str) -> tuple[str, Literal["file", "directory"]] | Missing:
        return self.answer if self.countdown.is_over() else self.files.resolve(path)

    def stat(self, path: str) -> FileStat | Missing:
        return self.answer if self.countdown.is_over() else self.files.stat(path)

    def read(self, path: str, offset: int, size: int) -> Piece | Missing:
        if not self.countdown.is_over():
            return self.files.read(path, offset, size)
        return self.answer

    def __getattr__(self, name: str) -> Callable[..., None]:
        return getattr(self.files, name)


class ShortReads:
    """Reads give fewer bytes than were asked for, as a network file system may; ``most`` of them."""

    def __init__(self, files: Files, most: int) -> None:
        self.entries, self.resolve, self.stat = files.entries, files.resolve, files.stat
        self.files, self.most = files, most

    def read(self, path: str, offset: int, size: int) -> Piece | Missing:
        return self.files.read(path, offset, min(size, self.most))


class FailingStore(MemoryStore):
    """The call fails before it does anything, or, with ``after``, behind it: the answer does not arrive."""

    def __init__(self, countdown: Countdown, *, after: bool) -> None:
        super().__init__()
        self.countdown, self.after = countdown, after

    def _guard(self, fails: bool) -> None:
        if fails:
            raise StoreAway("Redis at memory does not take commands (it failed)")

    def check(self) -> None:
        fails = self.countdown.is_over()
        self._guard(fails)

    def cursors_of(self, runs: Sequence[RunId]) -> Sequence[Mapping[str, str]]:
        self._guard(self.countdown.is_over())
        return super().cursors_of(runs)

    def versions(self, runs: Sequence[RunId]) -> Sequence[str | None]:
        self._guard(self.countdown.is_over())
        return super().versions(runs)

    def commit(self, batch: Batch, now: float) -> Committed | Conflict | Full:
        fails = self.countdown.is_over()
        self._guard(fails and not self.after)
        answer = super().commit(batch, now)
        self._guard(fails)
        return answer

    def beat(self, heartbeat: Heartbeat, runs: Sequence[RunId], facts: Mapping[str, str] | None = None) -> None:
        self._guard(self.countdown.is_over())
        super().beat(heartbeat, runs, facts)
