"""What the terminal says while history is read: one line that is written over, or one line every ten seconds."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from typing import TextIO

from collector.backlog import Backlog

REFRESH, REPEAT = 0.5, 10.0  # seconds between two lines, on a terminal and elsewhere
WINDOW = 10.0  # seconds over which the rate is taken
_CLEAR = "\r\x1b[K"


class Progress:
    """Pure but for ``out``; ``log`` prints whole lines that stay."""

    def __init__(self, log: Callable[[str], None], out: TextIO = sys.stderr) -> None:
        self._log, self._out = log, out
        self._is_terminal = out.isatty()
        self._seen: deque[tuple[float, int]] = deque()  # (when, bytes read)
        self._began = (0.0, 0)
        self._next = self._said = float("-inf")
        self._drawn = False

    def show(self, now: float, measure: Callable[[float], Backlog | None]) -> None:
        """Say how far it is, when it is time to; ``measure`` is asked only then."""
        if now < self._next:
            return
        self._next = now + REFRESH
        backlog = measure(now)
        if backlog is None:
            self._finish(now)
            return
        if not self._seen:
            self._began, self._said = (now, backlog.read), float("-inf")
        self._seen.append((now, backlog.read))
        while now - self._seen[0][0] > WINDOW and len(self._seen) > 2:
            self._seen.popleft()
        if self._is_terminal or now - self._said >= REPEAT:
            self._said = now
            self._say(sentence(backlog, self._rate()))

    def clear(self) -> None:
        """Make room for other lines."""
        if self._drawn:
            self._out.write(_CLEAR)
            self._out.flush()
            self._drawn = False

    def _say(self, text: str) -> None:
        if not self._is_terminal:
            self._log(text)
            return
        self._out.write(_CLEAR + text)
        self._out.flush()
        self._drawn = True

    def _rate(self) -> float:
        (began, before), (now, read) = self._seen[0], self._seen[-1]
        return max(0.0, (read - before) / (now - began)) if now > began else 0.0

    def _finish(self, now: float) -> None:
        if not self._seen:
            return
        self.clear()
        began, before = self._began
        read = max(0, self._seen[-1][1] - before)
        self._seen.clear()
        self._log(f"Caught up: {size(read)} more were read in {duration(now - began)}.")


def sentence(backlog: Backlog, rate: float) -> str:
    """One line; ``rate`` in bytes a second, 0 when it is not known yet."""
    left = backlog.total - backlog.read
    files = "1 file" if backlog.files == 1 else f"{backlog.files:,} files"
    said = f"Catching up: {int(backlog.share * 100)} % of {size(backlog.total)} read, {size(left)} in {files} to go"
    return f"{said}, {size(rate)}/s, about {duration(left / rate)} left." if rate else f"{said}."


def size(count: float) -> str:
    """Bytes as a person says them: ``812 B``, ``4.1 MB``, ``1.7 GB``."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count:.0f} B"


def duration(seconds: float) -> str:
    """A time span to the next second, minute or hour."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
