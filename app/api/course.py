"""The live stream of one run as all its open pages see it: joined once, written once."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

from app.api import frames
from app.api.joining import Join
from app.stored import LiveEntry, RunStore, StoreAway, StoredRun

RELOAD_SECONDS = 1.0  # a collector that catches up commits in bulk many times a second; one reload for all of them
AGAIN_SECONDS = 0.2  # until a store that was away is asked again
PRIMED = 64  # entries before the start, so that a twin file's late copy of a step is known as such


@dataclass(frozen=True, slots=True)
class Parcel:
    """What a page that is at ``after``, or has just read everything, is sent to be at ``id``."""

    after: str
    id: str
    entries: Sequence[LiveEntry]  # for a page that is somewhere between the two
    event: bytes
    reload: bool


class Course:
    """Where a run's stream is. Moved on by one thread; ``lose`` and ``hear`` are for any."""

    def __init__(self, store: RunStore, run: StoredRun) -> None:
        """Begins at the run's position. Raises StoreAway."""
        self._store = store
        self._run = run
        self._heard: StoredRun | None = None
        self._join = primed(store, run, run.position)
        self._position = run.position
        self._lost = False
        self._quiet_until = 0.0  # monotonic seconds before which no second reload is sent

    @property
    def position(self) -> str:
        """The newest entry that was offered, by its id."""
        return self._position

    def advance(self, entries: Sequence[LiveEntry]) -> Parcel:
        """What the next entries, in order and none left out, mean for the pages; none: a reload that was put off."""
        after = self._position
        self._lost |= self._outdated()
        batch = self._join.batch(entries)
        if entries:
            self._position = entries[-1].id
        self._lost |= batch.reload
        if self._reloads():
            return Parcel(after, self._position, entries, frames.reload(self._position), reload=True)
        told = bool(batch) and not self._lost
        event = frames.appended(self._position, batch) if told else frames.silence(self._position)
        return Parcel(after, self._position, entries, event, reload=False)

    def lose(self) -> None:
        """Say that entries may be missing, or that they were understood wrongly."""
        self._lost = True

    def hear(self, run: StoredRun) -> None:
        """Tell how the run is stored by now, as a page that opens has just read it."""
        self._heard = run

    @property
    def patience(self) -> float:
        """Seconds until a reload is due; infinite when none is."""
        return max(0.0, self._quiet_until - time.monotonic()) if self._lost else math.inf

    def _outdated(self) -> bool:
        """Whether a metric is now taken from another rank than the pages were told."""
        run, self._heard = self._heard, None
        if run is None or (run.series is self._run.series and run.facts == self._run.facts):
            return False
        self._run = run
        return self._join.outdated(run)

    def _reloads(self) -> bool:
        """Whether the pages are to read again, now; begins anew with what is stored."""
        if self.patience > 0:
            return False
        self._lost = False  # before the store is read: what is lost meanwhile is lost again
        try:
            self._run = self._store.run(self._run.id) or self._run
        except StoreAway:
            self._lost, self._quiet_until = True, time.monotonic() + AGAIN_SECONDS
            return False
        self._join = Join(self._run)
        self._quiet_until = time.monotonic() + RELOAD_SECONDS
        return True


def primed(store: RunStore, run: StoredRun, position: str) -> Join:
    """A join that knows what was announced shortly before ``position``. Raises StoreAway."""
    join = Join(run)
    join.batch(store.live_before(run.id, position, PRIMED))
    return join
