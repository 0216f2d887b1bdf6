"""Alerts of a run: listed, exported, and what people say of them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import get_args

from flask import Request, Response

from app.alarms import Alarms, counted
from app.api.alert_words import served, worded
from app.api.answers import Json, Refused
from app.api.arguments import not_one_of, one_of, only, whole
from app.api.bodies import NOTE, author, minutes, sent, text
from app.diagnosis.alert import signal_of
from app.diagnosis.handling import STATES, UNTOUCHED, Ack, Handling, Standing
from app.diagnosis.notify.notice import Change, Notice
from app.diagnosis.signal import Act, Class
from app.export.cell import harmless
from app.export.filename import disposition, filename
from app.language import gettext as _
from collector.wire.records import RunId

CLASSES: Sequence[str] = get_args(Class)
FORMATS = ("json", "csv")
TYPES: Mapping[str, str] = {"json": "application/x-ndjson", "csv": "text/csv"}
SAID = ("by", "minutes", "note")


def alerts(alarms: Alarms, run: RunId, arguments: Mapping[str, str], newest: int | None) -> dict[str, Json]:
    """The alerts that fit the arguments, in order of their beginnings; ``newest`` is the run's newest step, None before
    there is one. Raises Refused, StoreAway."""
    only(arguments, ("state", "class", "rank"))
    found = alarms.of(run)
    wanted = [worded(one, newest) for one in found if _fits(one, arguments)]
    judged = alarms.judges(run)
    return {"run": run, "total": len(found), "count": counted(found), "judged": judged, "alerts": wanted}


def _fits(one: Standing, arguments: Mapping[str, str]) -> bool:
    states = _words(arguments, "state", STATES)
    classes = _words(arguments, "class", CLASSES)
    rank = whole(arguments, "rank", at_least=0)
    if (states and one.state not in states) or (classes and one.alert.about not in classes):
        return False
    return rank is None or any(first <= rank <= last for first, last in one.alert.ranks)


def _words(arguments: Mapping[str, str], name: str, known: Sequence[str]) -> frozenset[str]:
    """Some of a few words, with commas between them; none when nothing is asked."""
    words = [one.strip() for one in arguments.get(name, "").split(",") if one.strip()]
    for one in words:
        if one not in known:
            raise not_one_of(name, one, known)
    return frozenset(words)


def export(alarms: Alarms, run: RunId, arguments: Mapping[str, str], newest: int | None) -> Response:
    """All alerts as lines of JSON or as CSV, to be kept elsewhere. Raises Refused, StoreAway."""
    only(arguments, ("format",))
    form = one_of(arguments, "format", FORMATS)
    found = [{"run": run, **served(one, newest)} for one in alarms.of(run)]
    body = _lines(found) if form == "json" else _table(found)
    reply = Response(body, content_type=f"{TYPES[form]}; charset=utf-8")
    suffix = "jsonl" if form == "json" else form
    reply.headers["Content-Disposition"] = disposition(filename(f"alerts-{run}", "", suffix))
    return reply


def _lines(found: Sequence[Mapping[str, Json]]) -> str:
    return "".join(json.dumps(one, ensure_ascii=False, allow_nan=False) + "\n" for one in found)


def _table(found: Sequence[Mapping[str, Json]]) -> str:
    """One row an alert; what is no single value stands as JSON in its cell."""
    empty = served(Standing.example())
    out = io.StringIO()
    writer = csv.DictWriter(out, ["run", *empty], lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in one.items()} for one in found)
    return out.getvalue()


def _cell(value: Json) -> str | int | float | None:
    if isinstance(value, Mapping) or (isinstance(value, Sequence) and not isinstance(value, str)):
        return json.dumps(value, ensure_ascii=False)
    return harmless(value) if isinstance(value, str) else value


def acknowledge(alarms: Alarms, run: RunId, alert_id: str, request: Request, now: float) -> dict[str, Json]:
    """Somebody knows of it, for so many minutes or until it is over. Raises Refused, StoreAway."""
    body = sent(request, SAID)
    by, note, lasting = author(body, needed=True), text(body, "note", NOTE), minutes(body)
    ack = Ack(by, None if lasting is None else now + 60 * lasting, note, now)
    known, handled = _known(alarms, run, alert_id)
    if known.state == "resolved":
        raise Refused(409, _("Alert %(id)s is over; reopen it if it is not.", id=alert_id))
    said = replace(handled, ack=ack)
    return _handle(alarms, run, known, said, _notice(run, known, "acknowledged", "update", now, ack))


def resolve(alarms: Alarms, run: RunId, alert_id: str, request: Request, now: float) -> dict[str, Json]:
    """Somebody says that it is over. Raises Refused, StoreAway."""
    by = author(sent(request, SAID[:1]))
    known, handled = _known(alarms, run, alert_id)
    said = replace(handled, ack=None, verdict="resolved", by=by, at=now, count=known.alert.count)
    told = None if known.state == "resolved" else _notice(run, known, "ended", "clear", now, Ack(by, None, "", now))
    return _handle(alarms, run, known, said, told)


def reopen(alarms: Alarms, run: RunId, alert_id: str, request: Request, now: float) -> dict[str, Json]:
    """Somebody says that it is not over, or takes an acknowledgement back. Raises Refused, StoreAway."""
    by = author(sent(request, SAID[:1]))
    known, _handled = _known(alarms, run, alert_id)
    said = Handling(None, "" if known.alert.is_open else "reopened", by, now, known.alert.count)
    told = None if known.state == "open" else _notice(run, known, "reopened", "raise", now, Ack(by, None, "", now))
    return _handle(alarms, run, known, said, told)


def _known(alarms: Alarms, run: RunId, alert_id: str) -> tuple[Standing, Handling]:
    found = next((one for one in alarms.of(run) if one.alert.id == alert_id), None)
    if found is None:
        raise Refused(404, _("Run %(run)s has no alert %(id)s.", run=run, id=repr(alert_id)))
    return found, alarms.store.handled(run).get(alert_id, UNTOUCHED)


def _handle(alarms: Alarms, run: RunId, known: Standing, said: Handling, told: Notice | None) -> dict[str, Json]:
    if not alarms.store.handle(run, known.alert.id, said, told):
        raise Refused(404, _("Run %(run)s has no alert %(id)s.", run=run, id=repr(known.alert.id)))
    found, _handled = _known(alarms, run, known.alert.id)
    return worded(found)


def _notice(run: RunId, known: Standing, change: Change, act: Act, now: float, said: Ack) -> Notice:
    return Notice(known.alert.id, run, change, now, signal_of(known.alert, act), said.by, said.until)
