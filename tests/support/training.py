"""A job whose one log is followed while a browser looks."""

from __future__ import annotations

import os
from pathlib import Path

from tests.support.growing import lines


class Training:
    """A job that writes one rank's log, as many steps as it is told."""

    def __init__(self, root: Path) -> None:
        self.log = root / "sft-run" / "log" / "rank_0" / "info.log"
        self.log.parent.mkdir(parents=True)
        self.step = 0

    def train(self, steps: int) -> int:
        """Write so many steps; the last of them."""
        with self.log.open("ab") as file:
            file.write(lines(range(self.step + 1, self.step + steps + 1)))
            file.flush()
            os.fsync(file.fileno())
        self.step += steps
        return self.step

    def resume(self, at: int, steps: int) -> None:
        """Go back to a step, two days later, as after a restart from a checkpoint."""
        with self.log.open("ab") as file:
            file.write(lines(range(at, at + steps)).replace(b"2023-11-14", b"2023-11-16"))
