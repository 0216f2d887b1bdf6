"""Runs a command that ends when its parent ends, however the parent ends: ``tether.py PARENT_PID COMMAND…``.

A supervisor that is killed with SIGKILL cannot stop its children, so the kernel does it (Linux: PR_SET_PDEATHSIG, which
survives exec). Elsewhere the command runs untied. Standard library only, so that ``python -S`` starts it in 10 ms.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def tie(parent: int) -> bool:
    """Ask for SIGTERM at the death of ``parent``; False when it has died already, before the kernel knew our wish."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    return os.getppid() == parent


def command(*words: str) -> tuple[str, ...]:
    """``words`` as a command that ends with the process that asks now."""
    return (sys.executable, "-S", __file__, str(os.getpid()), *words)


def main(arguments: list[str]) -> int:
    """Become the command; returns only when it cannot be started (127) or the parent is gone (1)."""
    parent, *words = arguments
    if not tie(int(parent)):
        return 1
    try:
        os.execvp(words[0], words)  # nosec B606 # what it was started to become; no shell is wanted
    except OSError as error:
        print(f"{words[0]} cannot be started: {error.strerror}.", file=sys.stderr)
        return 127


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
