"""How far the clocks of training hosts are off Redis' own, as their collectors measure it. Nothing is ordered by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from collector.wire.records import Heartbeat

TOLD = 1.0  # seconds beyond what is certain, from which on a clock is worth a word


@dataclass(frozen=True, slots=True)
class HostClock:
    """Seconds by which a host's clock is ``ahead`` of Redis' (below 0: behind), certain ``within`` so many."""

    host: str
    ahead: float
    within: float

    @property
    def is_off(self) -> bool:
        """Whether times of this host want a word."""
        return abs(self.ahead) - self.within > TOLD


def covers(beat: Heartbeat, path: str) -> bool:
    """Whether a collector follows the run that lies at ``path``."""
    return any(path == root or path.startswith(root.rstrip("/") + "/") for root in beat.roots)


def host_clocks(beats: Sequence[Heartbeat], path: str) -> list[HostClock]:
    """The clocks of the hosts whose collectors follow the run at ``path``, by host; of several collectors of a host the
    most certain measurement counts."""
    found: dict[str, HostClock] = {}
    for beat in beats:
        if beat.skew is not None and covers(beat, path):
            mine = HostClock(beat.host, *beat.skew)
            known = found.get(beat.host, mine)
            found[beat.host] = min(known, mine, key=lambda one: one.within)
    return [found[host] for host in sorted(found)]
