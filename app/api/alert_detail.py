"""``GET /api/runs/<run>/alerts/<alert>``: one alert with its causes, steps, texts to copy and the way back."""

from __future__ import annotations

from dataclasses import dataclass

from app.alarms import Alarms
from app.api.alert_words import explained
from app.api.answers import Json, Refused
from app.happened import Happened
from app.language import gettext as _
from app.ledgers import Ledgers
from app.reader import Reader
from app.rollbacks import Rollbacks
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
        way = Rollbacks(self.store, self.reader, self.ledgers, self.happened).of(
            run, one.alert, [other.alert for other in (*family, *([cause] if cause else []))], self.now
        )
        return explained(one, family, way, self.reader.timeline(run).newest)
