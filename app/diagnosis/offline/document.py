"""What was found in finished runs, as JSON: alerts in the API's own form, with their words beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from app.api.alert_words import served
from app.api.answers import Json
from app.diagnosis.alert import Alert
from app.diagnosis.handling import Standing
from app.diagnosis.offline.judged import Judged
from app.words.copies import copies
from app.words.rank_remedies import remedy
from app.words.report import named, said
from collector.wire.records import FileState


def document(runs: Sequence[Judged], problems: Sequence[FileState]) -> dict[str, Json]:
    """Strict JSON: NaN and infinities are words."""
    return {"runs": [_run(one) for one in runs], "problems": [_problem(one) for one in problems]}


def _problem(one: FileState) -> Json:
    return {"file": one.file, "state": one.state, "reason": one.reason}


def _run(one: Judged) -> Json:
    told = {name: value for name, value in asdict(one).items() if name not in ("alerts", "sources")}
    return {**told, "sources": list(one.sources), "alerts": [_alert(found) for found in one.alerts]}


def _alert(one: Alert) -> Json:
    standing = Standing(one, "open" if one.is_open else "resolved", None, False)
    known = remedy(one.about, one.rule)
    return {
        **served(standing),
        "name": named(one),
        "said": said(one),
        "meaning": str(known.meaning),
        "causes": [str(cause) for cause in known.causes],
        "steps": [str(step) for step in known.steps],
        "copies": [{"title": str(copied.title), "text": copied.text} for copied in copies(one.about, rule=one.rule)],
    }
