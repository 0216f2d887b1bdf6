"""Locks on files: they end with the process that holds them, however it ends, so none is ever stale."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class NoLock(Exception):
    """The file system makes no locks here; the text says where and what to do."""


@contextmanager
def shared(path: Path) -> Iterator[None]:
    """Hold ``path`` together with others, for the length of the block; waits while somebody has it alone."""
    lock = _open(path)
    try:
        _lock(lock, path)
        yield
    finally:
        os.close(lock)


def take(path: Path) -> int | None:
    """Hold ``path`` alone until the descriptor that is returned is closed; None while anybody else holds it."""
    lock = _open(path)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    return lock


def is_held(path: Path) -> bool:
    """Whether anybody holds ``path`` at this moment."""
    if (lock := take(path)) is None:
        return True
    os.close(lock)
    return False


def _lock(lock: int, path: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_SH)
    except OSError as error:
        raise NoLock(f"{path} cannot be locked ({error.strerror}): set TIDEWATCH_DATA_DIR to a local disk.") from None


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
