"""What was found in finished runs, as JSON: alerts with all that helps, in the API's own form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from app.api.alert_words import explained
from app.api.answers import Json
from app.diagnosis.alert import Alert
from app.diagnosis.handling import Standing
from app.diagnosis.offline.judged import Judged
from collector.wire.records import FileState


def document(runs: Sequence[Judged], problems: Sequence[FileState]) -> dict[str, Json]:
    """Strict JSON: NaN and infinities are words."""
    return {"runs": [_run(one) for one in runs], "problems": [_problem(one) for one in problems]}


def _problem(one: FileState) -> Json:
    return {"file": one.file, "state": one.state, "reason": one.reason}


def _run(one: Judged) -> Json:
    told = {name: value for name, value in asdict(one).items() if name not in ("alerts", "sources", "ways")}
    return {**told, "sources": list(one.sources), "alerts": [_alert(one, found) for found in one.alerts]}


def _alert(run: Judged, one: Alert) -> Json:
    family = [_standing(other) for other in run.alerts if other.cause == one.id]
    return explained(_standing(one), family, run.ways.get(one.id), run.last_step)


def _standing(one: Alert) -> Standing:
    return Standing(one, "open" if one.is_open else "resolved", None, False)
