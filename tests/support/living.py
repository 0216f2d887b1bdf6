"""Whether a process lives, as the kernel tells."""

from __future__ import annotations

from pathlib import Path


def stat_of(pid: int) -> list[str]:
    """The fields after the name: state, parent, group … (man 5 proc_pid_stat); raises FileNotFoundError."""
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()


def is_gone(pid: int) -> bool:
    """Whether it has ended; one that nobody has waited for yet counts as ended."""
    try:
        return stat_of(pid)[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True
