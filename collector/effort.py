"""How much looking is worth: what notifications prove to tell need not be asked for as often, and many files share what
looking may cost. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from collector.tracked import GROWING, Tracked

LOOKS_A_SECOND = 2000  # at growing files of which no notification tells: a tenth of a core, less where files are local
TOLD = 10  # of so many growing files all but one are told of where notifications work
FEWER_WALKS = 5  # times as long between two walks there


class Effort:
    """Seconds between two looks at what grows (``busy``), at everything else (``idle``), and between two ``walks``."""

    def __init__(self, busy: float, idle: float) -> None:
        self.busy, self.idle, self.walks = busy, idle, idle
        self._least = busy

    def weigh(self, now: float, files: Iterable[Tracked]) -> None:
        """Find out what works here: of the files that grow, how many were found to grow by looking alone."""
        growing = [one for one in files if now - one.grew < GROWING]
        asked = sum(not one.heard for one in growing)
        self.busy = min(max(self._least, asked / LOOKS_A_SECOND), max(self._least, self.idle))
        self.walks = self.idle * FEWER_WALKS if growing and asked * TOLD <= len(growing) else self.idle
