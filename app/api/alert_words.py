"""Alerts as the API gives them: numbers, and words in the request's language; one alert with everything that helps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from app.api.answers import Json, number
from app.diagnosis.alert import Alert
from app.diagnosis.handling import Standing
from app.diagnosis.measured import metric
from app.series.rollback import Rollback
from app.words.copies import Copy, copies
from app.words.grounds import grounds
from app.words.rank_remedies import remedy
from app.words.report import named, said
from app.words.rollback import advice


def served(one: Standing, newest: int | None = None) -> dict[str, Json]:
    """One alert as the API gives it, NaN and infinities as words; one that is open reaches to the ``newest`` step."""
    alert, told, ack = one.alert, one.alert.evidence, one.ack
    return {
        "id": alert.id,
        "class": alert.about,
        "rule": alert.rule,
        "severity": alert.severity,
        "state": one.state,
        "rank": alert.rank,
        "ranks": [list(span) for span in alert.ranks],
        "attempt": alert.attempt,
        "first_step": alert.first_step,
        "raised_step": alert.raised_step,
        "last_step": reached(alert, newest),
        "raised_wall": alert.raised_wall,
        "ended_wall": alert.ended_wall,
        "value": number(told.value),
        "baseline_median": number(told.median),
        "sigma": number(told.sigma),
        "z": number(told.z),
        "ratio": number(told.ratio),
        "n_points": told.points,
        "corroboration": {name: number(value) for name, value in told.beside},
        "cause": alert.cause,
        "remedy_id": alert.remedy_id,
        "count": alert.count,
        "ack": None if ack is None else {"by": ack.by, "until": ack.until, "note": ack.note, "at": ack.at},
        "muted": one.muted,
    }


def reached(alert: Alert, newest: int | None) -> int:
    """The last step of an episode: rules tell when something is graver or over, not at every row that goes on so."""
    return alert.last_step if newest is None or not alert.is_open else max(alert.last_step, newest)


def worded(one: Standing, newest: int | None = None) -> dict[str, Json]:
    """An alert as it is served, its name, the sentence of its numbers, and which curve shows them at which step."""
    alert = one.alert
    return {
        **served(one, newest),
        "name": named(alert),
        "says": said(alert),
        "metric": metric(alert.about, alert.rule),
        "value_step": alert.last_step if alert.is_open else alert.raised_step,
    }


def explained(
    one: Standing, family: Sequence[Standing], found: Rollback | None, newest: int | None = None
) -> dict[str, Json]:
    """Everything about one alert: what it means, where it comes from, what to do. ``family`` are its consequences."""
    about = one.alert.about
    known = remedy(about, one.alert.rule)
    return {
        **worded(one, newest),
        "meaning": str(known.meaning),
        "causes": [str(text) for text in known.causes],
        "steps": [str(text) for text in known.steps],
        "copies": [_copy(text) for text in copies(about, rule=one.alert.rule)],
        "grounds": [list(row) for row in grounds(one.alert)],
        "consequences": [other.alert.id for other in family],
        "rollback": None if found is None else way_back(found),
    }


def _copy(one: Copy) -> Mapping[str, Json]:
    return {"title": str(one.title), "text": one.text, "language": one.language, "mode": one.mode}


def way_back(found: Rollback) -> dict[str, Json]:
    """The advice with every checkpoint it was chosen from."""
    chosen = found.advised or found.fallback
    return {
        "onset": found.onset,
        "now": found.now,
        "advice": advice(found),
        "is_safe": found.advised is not None,
        "advised": None if chosen is None else chosen.step,
        "checkpoints": [asdict(one) for one in found.ways],
    }
