"""How much is read in one step. Pure."""

from __future__ import annotations

LEAST, FIRST, MOST = 2**19, 2 * 2**20, 8 * 2**20  # bytes
SHORT, LONG = 0.1, 0.25  # seconds that a step should take: a new point waits for as long, and signals do


class Budget:
    """``bytes`` of one step: more after short ones, less after long ones; what a machine, a disk and a format need for
    a megabyte differs a hundredfold."""

    def __init__(self) -> None:
        self.bytes = FIRST
        self._began = float("nan")

    def begin(self, now: float) -> None:
        """A step begins. The one before took until now, if it was not followed by a rest."""
        took = now - self._began
        if took > LONG:
            self.bytes = max(LEAST, self.bytes // 2)
        elif took < SHORT:
            self.bytes = min(MOST, self.bytes * 5 // 4)
        self._began = float("nan")

    def more(self, now: float) -> None:
        """The step that began at ``now`` has read all that it might, and there is more."""
        self._began = now
