"""How much looking is worth: what notifications prove to tell need not be asked for as often, and many files share what
looking may cost. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from collector.tracked import GROWING, Tracked

LOOKS_A_SECOND = 3000  # at growing files of which no notification tells: a tenth of a core, less where files are local
TOLD = 10  # of so many growing files all but one are told of where notifications work
FEWER_WALKS = 5  # times as long between two walks there
MANY = 256  # growing files; to be told of each line of so many costs more than looking at them


class Effort:
    """Seconds between two looks at what grows (``busy``), at everything else (``idle``), and between two ``walks``.
    ``looks``: growth is looked for, and need not be told."""

    def __init__(self, busy: float, idle: float) -> None:
        self.busy, self.idle, self.walks = busy, idle, idle
        self.looks = False
        self._least, self._told = busy, False

    def weigh(self, now: float, files: Iterable[Tracked]) -> None:
        """Find out what works here: of the files that grow, how many were found to grow by looking alone."""
        growing = [one for one in files if now - one.grew < GROWING]
        asked = sum(not one.heard for one in growing)
        self.busy = min(max(self._least, asked / LOOKS_A_SECOND), max(self._least, self.idle))
        if not self.looks:  # else nothing is told, and what was found out before still holds
            self._told = bool(growing) and asked * TOLD <= len(growing)
        self.looks = self._told and len(growing) > (MANY // 2 if self.looks else MANY)
        self.walks = self.idle * FEWER_WALKS if self._told else self.idle
