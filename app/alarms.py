"""Alerts of runs as they stand now, with what people said of them; read again only after something was committed."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from app.diagnosis.alert import Alert
from app.diagnosis.handling import Handling, Standing, standing
from app.diagnosis.store import AlertStore
from collector.wire.records import RunId

Said = tuple[Mapping[str, Alert], Mapping[str, Handling]]


class Alarms:
    """Safe to share between threads. Every method raises StoreAway while Redis is away."""

    def __init__(self, alerts: AlertStore, clock: Callable[[], float]) -> None:
        """``clock`` gives Unix seconds; nothing is read before the first question."""
        self.store = alerts
        self._clock = clock
        self._known: dict[RunId, tuple[bytes, Said]] = {}  # the mark at which it was read
        self._lock = threading.Lock()

    def of(self, run_id: RunId) -> list[Standing]:
        """Every alert of a run that is kept, in order of their beginnings."""
        (said,) = self.store.several([run_id])
        return standing(run_id, said[0].values(), said[1], self.store.mutes(), self._clock())

    def every(self, marks: Mapping[RunId, bytes]) -> Mapping[RunId, Sequence[Standing]]:
        """Those of each run; ``marks`` are others after each commit."""
        with self._lock:
            stale = [run for run, mark in marks.items() if run not in self._known or self._known[run][0] != mark]
            for run, said in zip(stale, self.store.several(stale), strict=True):
                self._known[run] = marks[run], said
            self._known = {run: self._known[run] for run in marks}
            found = {run: said for run, (_, said) in self._known.items()}
        mutes, now = self.store.mutes(), self._clock()
        return {
            run: standing(run, alerts.values(), handled, mutes, now) if alerts else ()
            for run, (alerts, handled) in found.items()
        }

    def severities(self, run_ids: Sequence[RunId]) -> Mapping[str, int]:
        """Severity → how many alerts of these runs somebody has to know of."""
        mutes, now = self.store.mutes(), self._clock()
        found = Counter({"warning": 0, "critical": 0})
        for run, (alerts, handled) in zip(run_ids, self.store.several(run_ids), strict=True):
            found.update(
                one.alert.severity for one in standing(run, alerts.values(), handled, mutes, now) if one.counts
            )
        return found

    def counts(self, marks: Mapping[RunId, bytes]) -> Mapping[RunId, int]:
        """How many alerts of each run somebody has to know of."""
        return {run: counted(found) for run, found in self.every(marks).items()}

    def judges(self, run_id: RunId) -> bool:
        """Whether somebody judges the run now and has caught up with it, so that no alert means something."""
        return any(run_id not in one.behind for one in self.store.vitals())

    def count(self, run_id: RunId) -> int:
        """The same of one run."""
        return counted(self.of(run_id))


def counted(found: Sequence[Standing]) -> int:
    """How many of them somebody has to know of."""
    return sum(one.counts for one in found)
