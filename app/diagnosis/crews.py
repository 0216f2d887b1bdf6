"""The ranks of one run as the worker follows them: grids are read, crews are told. At most once a second, in slices."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from app.diagnosis.alert import Alert
from app.diagnosis.crew import Crew, groups, metrics
from app.grids import Grids, Shown
from app.reader import Reader
from app.stored import LeanRun

Name = tuple[str, bool]


@dataclass(slots=True)
class Crews:
    """``grids`` and ``reader`` are shared by all runs; ``saved`` is what another worker left. ``fresh`` columns were
    taken since the last saving; ``ready``: all that was stored at some time was taken."""

    grids: Grids
    reader: Reader
    saved: bytes = b""
    crews: dict[Name, Crew] = field(default_factory=dict)
    fresh: int = 0
    ready: bool = False

    def load(self, saved: bytes) -> None:
        """Go on from what was saved."""
        self.saved, self.crews, self.fresh, self.ready = saved, {}, 0, False

    @property
    def waits(self) -> bool:
        """Whether a column is left for ranks that are behind."""
        return any(one.held is not None for one in self.crews.values())

    def advance(self, run: LeanRun, stored: Mapping[str, Alert], seconds: float, now: float) -> bool:
        """Tell the rules of new columns, for so many seconds at most; whether all that may be told were. Raises
        StoreAway."""
        until = time.monotonic() + seconds
        wanted = list(metrics(run))
        self.crews = {name: one for name, one in self.crews.items() if name in wanted}
        told = [self._one(run, name, stored, until, now) for name in wanted]  # each has its turn
        done = all(told)
        self.ready |= done and bool(self.crews)
        return done

    @property
    def alerts(self) -> dict[str, Alert]:
        """Everything that was found."""
        return {name: one for crew in self.crews.values() for name, one in crew.episodes.alerts.items()}

    def _one(self, run: LeanRun, name: Name, stored: Mapping[str, Alert], until: float, now: float) -> bool:
        known = self.crews.get(name) or self._restored(name)
        steps = self.reader.timeline(run).first_steps
        if known is not None:
            known.begin(steps)
        start = None if known is None or known.since is None else known.since
        grid = self.grids.of(run, Shown(*name), start=start).grid
        numbers = groups(run.facts, grid.ranks, name[0])
        if known is None or not known.is_of(grid.ranks, numbers):
            grid = self.grids.of(run, Shown(*name)).grid if start is not None else grid
            known = Crew.of(name[0], grid.ranks, numbers)
            known.begin(steps)
            known.keep(stored, int(grid.steps[0]) if len(grid.steps) else 0)
        self.crews[name] = known
        for _ in known.advance(grid, steps, now):
            self.fresh += 1
            if time.monotonic() > until:
                return False
        return True

    def _restored(self, name: Name) -> Crew | None:
        if not self.saved:
            return None
        try:
            told = json.loads(zlib.decompress(self.saved))
            return Crew.restore(name[0], told[_key(name)])
        except (KeyError, TypeError, ValueError, zlib.error):  # another version of this program wrote it, or of others
            return None

    def save(self) -> bytes:
        """Everything that is remembered; of thousands of ranks it is long, so it is packed."""
        text = json.dumps({_key(name): one.save() for name, one in self.crews.items()}, separators=(",", ":"))
        self.fresh = 0
        self.saved = zlib.compress(text.encode(), 1)
        return self.saved


def _key(name: Name) -> str:
    return f"{'tag' if name[1] else 'metric'} {name[0]}"
