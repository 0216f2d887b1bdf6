"""Sessions that were logged out: their cookies are worth nothing any more, not after a restart and not to a thief."""

from __future__ import annotations

import logging
import os
import threading
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path

NAME = "ended-sessions"  # beside the signing key; ids without that key open nothing
MOST = 10_000  # remembered, the newest
LONGEST = 1_000_000  # bytes that are read, the last ones
LOG = logging.getLogger(__name__)


class Ended:
    """Safe to share between threads. With a ``path`` it is kept there, one id a line, for this user alone."""

    def __init__(self, path: Path | None = None) -> None:
        """Reads what there is; a file that cannot be read is as none."""
        self._path = path
        self._lock = threading.Lock()
        self._ids: OrderedDict[str, None] = OrderedDict.fromkeys(_lines(path) if path else ())
        self._forget()

    def __contains__(self, session_id: object) -> bool:
        with self._lock:
            return session_id in self._ids

    def add(self, session_id: str) -> None:
        """One more."""
        with self._lock:
            self._ids[session_id] = None
            is_full = self._forget()
            if self._path is None:
                return
            try:
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                _write(self._path, [*self._ids] if is_full else [session_id], anew=is_full)
            except OSError as error:
                LOG.warning("That a session ended is not kept over a restart (%s: %s).", self._path, error.strerror)

    def _forget(self) -> bool:
        """Whether something had to go; a tenth goes at once, so that the file is seldom written anew."""
        if len(self._ids) <= MOST:
            return False
        while len(self._ids) > MOST - MOST // 10:
            self._ids.popitem(last=False)
        return True


def _lines(path: Path) -> list[str]:
    with suppress(OSError), os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW), "rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - LONGEST))
        return file.read(LONGEST).decode("ascii", "replace").split()
    return []


def _write(path: Path, ids: list[str], *, anew: bool) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | (os.O_TRUNC if anew else os.O_APPEND)
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write("".join(f"\n{one}" for one in ids).encode())
