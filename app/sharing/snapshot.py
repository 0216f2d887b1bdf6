"""A run as it was at one moment: how long its series were, and all that is small.

Points are not copied: a store is append-only, so the length of a series says which points it had. What it costs to make
one is therefore a matter of how many series there are, and not of how many points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from app.diagnosis.alert import Alert
from app.diagnosis.handling import Handling, Mute
from app.stored import StoredRun
from collector.wire.records import Heartbeat, RunId

PageName = Literal["run", "ranks"]
State = Literal["live", "expired", "revoked"]


@dataclass(frozen=True, slots=True)
class Label:
    """What is said of a snapshot where it is listed. ``handle`` is how it is named there, ``view`` the query of the
    address that its author saw, ``names``: hosts and paths of the training machines are shown. Times are Unix
    seconds."""

    handle: str
    run: RunId
    created: float
    author: str
    expires: float
    page: PageName = "run"
    view: str = ""
    names: bool = False
    revoked: float | None = None
    used: float | None = None
    uses: int = 0

    def state(self, now: float) -> State:
        """Whether its link opens it at ``now``."""
        if self.revoked is not None:
            return "revoked"
        return "live" if now < self.expires else "expired"


@dataclass(frozen=True, slots=True)
class End:
    """Where a series ended: ``length`` points could be read, ``kept`` of them stood for ``folded`` older ones;
    ``proof`` is a checksum of the last point."""

    length: int
    folded: int = 0
    kept: int = 0
    proof: int = 0

    @property
    def written(self) -> int:
        """All points that the files had by then."""
        return self.folded + self.length - self.kept


@dataclass(frozen=True, slots=True)
class Moment:
    """All that is small of a run then. ``run`` has no events, and cursors without what a parser remembers; ``events``
    counts those of each home (wire.shards); ``notes`` as they are encoded; ``judged``: rules watched the run."""

    run: StoredRun
    ends: Mapping[str, End]
    events: Mapping[str, int]
    beats: Sequence[Heartbeat] = ()
    alerts: Sequence[Alert] = ()
    handled: Mapping[str, Handling] = field(default_factory=dict)
    mutes: Sequence[Mute] = ()
    judged: bool = False
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A run at one moment, and who froze it."""

    label: Label
    moment: Moment
