"""Where a run that is in trouble can safely go back to, out of a store: what happened to it, and how fast it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.diagnosis.alert import Alert
from app.diagnosis.signal import Class
from app.happened import Happened
from app.ledgers import Ledgers
from app.look import tails, telling
from app.reader import Reader
from app.series.overview import newest
from app.series.rollback import Pace, Rollback, rollback
from app.stored import RunStore, StoredRun

GOES_BACK: frozenset[Class] = frozenset(
    (
        "nan_inf",
        "loss_spike",
        "divergence",
        "overfit",
        "grad_explode",
        "grad_vanish",
        "loss_scale",
        "rank_outlier",
        "stall",
        "lr_anomaly",
    )
)
"""Classes of which going back is a way out."""


@dataclass(frozen=True, slots=True)
class Rollbacks:
    """What the advice rests on. Every method raises StoreAway while Redis is away."""

    store: RunStore
    reader: Reader
    ledgers: Ledgers
    happened: Happened

    def of(self, run: StoredRun, one: Alert, around: Sequence[Alert], now: float) -> Rollback | None:
        """From before the first sign of an alert, at ``now`` (Unix seconds); None where going back helps nothing. The
        sign may be what explains it, or what it brought about: these are ``around``."""
        if one.about not in GOES_BACK:
            return None
        known = self.reader.timeline(run)
        first = min(other.first_step for other in (one, *around) if other.attempt == one.attempt)
        is_silent = one.about == "stall"  # its step is the last that was done, and done well
        books = self.ledgers.books(run, known, now)
        events = self.happened.of(run).events
        pace = Pace(_step_ms(books.habits.newest_ms), books.npus)
        return rollback(events, known.attempts, (one.attempt, first + is_silent), self._reached(run, first), pace)

    def _reached(self, run: StoredRun, otherwise: int) -> int:
        pulse = newest(tails(self.store, run, telling(run)))
        return int(pulse.recent.steps[-1]) if pulse is not None and len(pulse.recent) else otherwise


def _step_ms(newest_ms: Sequence[float]) -> float | None:
    """Of the newest stretch."""
    return newest_ms[-1] if newest_ms else None
