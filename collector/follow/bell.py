"""What the collector's loop waits on: rung by notifications from other threads and by signals, heard by one thread.

A pipe and not a ``threading.Event``, because a signal handler may ring it at any moment without a lock being held.
"""

from __future__ import annotations

import contextlib
import os
import select
from types import TracebackType


class Bell:
    """``ring`` from any thread; ``wait`` in the one that works. Rings while nobody waits are remembered as one."""

    def __init__(self) -> None:
        self._read, self.write = os.pipe()  # ``write`` may be given to signal.set_wakeup_fd
        for end in (self._read, self.write):
            os.set_blocking(end, False)
        self._poll = select.poll()
        self._poll.register(self._read, select.POLLIN)

    def ring(self) -> None:
        """Never blocks: a full pipe is a bell that rings already."""
        with contextlib.suppress(BlockingIOError):
            os.write(self.write, b"!")

    def wait(self, seconds: float) -> bool:
        """True as soon as it rings, False when ``seconds`` have passed without."""
        if not self._poll.poll(max(0.0, seconds) * 1000):
            return False
        with contextlib.suppress(BlockingIOError):
            os.read(self._read, 65536)
        return True

    def __enter__(self) -> Bell:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.close(self._read)
        os.close(self.write)
