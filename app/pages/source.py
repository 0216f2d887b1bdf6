"""Where the pages get what they show: the store, read at the present moment."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from app.alarms import Alarms
from app.happened import Happened
from app.ledgers import Ledgers
from app.look import look
from app.pages.shown import Counts, RunShown
from app.reader import Reader, Wanted, default_rank
from app.roll import Roll
from app.series.attempts import Timeline
from app.series.clocks import HostClock, host_clocks
from app.series.curve import Curve
from app.series.outline import Outline
from app.series.splice import stands
from app.stored import LeanRun, RunStore, StoredRun
from collector.wire.records import RunId

FINITE = ("loss", "eval_loss", "grad_norm")  # metrics in which a NaN or an infinity is bad news


class Source:
    """Runs as the pages show them. Every method raises StoreAway while Redis is away."""

    def __init__(
        self,
        store: RunStore,
        clock: Callable[[], float],
        reader: Reader,
        ledgers: Ledgers | None = None,
        happened: Happened | None = None,
        alarms: Alarms | None = None,
    ) -> None:
        """``clock`` gives Unix seconds; without ``alarms`` nothing is said of alerts."""
        self._store = store
        self._reader = reader
        self._clock = clock
        self._ledgers = ledgers or Ledgers(store, reader)
        self._happened = happened or Happened(store, reader)
        self._alarms = alarms
        self._roll = Roll(store, clock)

    def runs(self) -> list[RunShown]:
        """Every run, without its events and curves."""
        lines = self._roll.lines()
        alerts = self._alarms.every({one.run.id: one.mark for one in lines}) if self._alarms else {}
        return [RunShown(one.run, one.seen, alerts=alerts.get(one.run.id, ())) for one in lines]

    def outline(self, run_id: str) -> Outline:
        """The shape of a run's loss, for the table."""
        return self._roll.outline(RunId(run_id))

    def lean(self, run_id: str) -> LeanRun | None:
        """What there is of one run, without a look at it; None when there is no such run."""
        return self._store.lean(RunId(run_id))

    def run(self, run_id: str) -> RunShown | None:
        """One run with everything; None when there is no such run."""
        run = self._store.run(RunId(run_id))
        if run is None:
            return None
        now, known = self._clock(), self._reader.timeline(run)
        books = self._ledgers.books(run, known, now)
        seen = look(self._store, run, self._store.heartbeats(), now, books.habits)
        events, alarms = self._happened.of(run).events[::-1], self._alarms
        return RunShown(
            run,
            seen,
            events,
            known.attempts,
            self._counts(run, known),
            books,
            alerts=alarms.of(run.id) if alarms else (),
            is_judged=bool(alarms and alarms.judges(run.id)),
        )

    def clocks(self, run: LeanRun) -> list[HostClock]:
        """The clocks of the hosts from which the run is read, as far as they are measured."""
        return host_clocks(self._store.heartbeats(), run.path)

    def roots(self) -> list[str]:
        """Directories that living collectors follow."""
        return sorted({root for beat in self._store.heartbeats() for root in beat.roots})

    def _counts(self, run: StoredRun, known: Timeline) -> Counts:
        found = [strange(one, known) for name in FINITE if (one := self._curve(run, name, known)) is not None]
        flags = self._curve(run, "overflow", known)
        return Counts(
            not_finite=sum(standing for standing, _ in found),
            overflows=None if flags is None else int(np.count_nonzero(flags.values > 0)),
            redone=sum(redone for _, redone in found),
        )

    def _curve(self, run: StoredRun, name: str, known: Timeline) -> Curve | None:
        if all(meta.metric != name for meta in run.series.values()):
            return None
        return self._reader.curve(run, Wanted(name, False, default_rank(run, name, is_tag=False)), known)


def strange(curve: Curve, known: Timeline) -> tuple[int, int]:
    """How many points are NaN or infinite: of those that stand, and of steps that a later attempt has done again."""
    points = curve.take(np.flatnonzero(~np.isfinite(curve.values)))
    standing = int(np.count_nonzero(stands(points, known.first_steps)))
    return standing, len(points) - standing
