"""``GET /api/runs/<run>/alerts/<alert>``: one alert with its causes, steps, texts to copy and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.alarms import Alarms
from app.api.alert_words import GOES_BACK, explained
from app.api.answers import Json, Refused
from app.diagnosis.handling import Standing
from app.happened import Happened
from app.language import gettext as _
from app.ledgers import Ledgers
from app.look import tails, telling
from app.reader import Reader
from app.series.overview import newest
from app.series.rollback import Pace, Rollback, rollback
from app.stored import RunStore, StoredRun


@dataclass(frozen=True, slots=True)
class Grounds:
    """What an answer about one alert is made of. Every method raises StoreAway while Redis is away."""

    store: RunStore
    reader: Reader
    ledgers: Ledgers
    happened: Happened
    alarms: Alarms
    now: float

    def detail(self, run: StoredRun, alert_id: str) -> dict[str, Json]:
        """Everything about it. Raises Refused where there is none of that id."""
        found = {one.alert.id: one for one in self.alarms.of(run.id)}
        one = found.get(alert_id)
        if one is None:
            raise Refused(404, _("Run %(run)s has no alert %(id)s.", run=run.id, id=repr(alert_id)))
        family = [other for other in found.values() if other.alert.cause == alert_id]
        cause = found.get(one.alert.cause or "")
        around = [one, *family, *([cause] if cause else [])]
        way = self._way_back(run, one, around) if one.alert.about in GOES_BACK else None
        return explained(one, family, way)

    def _way_back(self, run: StoredRun, one: Standing, around: Sequence[Standing]) -> Rollback:
        """From before the first sign of it: that may be what explains it, or what it brought about."""
        known = self.reader.timeline(run)
        attempt = one.alert.attempt
        first = min(other.alert.first_step for other in around if other.alert.attempt == attempt)
        is_silent = one.alert.about == "stall"  # its step is the last that was done, and done well
        books = self.ledgers.books(run, known, self.now)
        events = self.happened.of(run).events
        pace = Pace(_step_ms(books.habits.newest_ms), books.npus)
        return rollback(events, known.attempts, (attempt, first + is_silent), self._reached(run, first), pace)

    def _reached(self, run: StoredRun, otherwise: int) -> int:
        pulse = newest(tails(self.store, run, telling(run)))
        return int(pulse.recent.steps[-1]) if pulse is not None and len(pulse.recent) else otherwise


def _step_ms(newest_ms: Sequence[float]) -> float | None:
    """Of the newest stretch."""
    return newest_ms[-1] if newest_ms else None
