"""``/api/mutes``: of which alerts nobody is to be told, by class, run and rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from flask import Request

from app.alarms import Alarms
from app.api.alerts import CLASSES
from app.api.answers import Json, Refused
from app.api.arguments import not_one_of, only
from app.api.bodies import NAME, NOTE, author, minutes, sent, text, whole
from app.diagnosis.handling import Mute
from app.language import gettext as _
from collector.wire.records import RunId

FIELDS = ("class", "run", "rank", "by", "minutes", "note")
MOST = 1_000  # mutes
RUN_NAME = 300  # characters


def mutes(alarms: Alarms, arguments: Mapping[str, str], now: float) -> list[Json]:
    """Those that hold now, by id. Raises Refused, StoreAway."""
    only(arguments, ())
    return [served(one) for one in alarms.store.mutes() if one.until is None or one.until > now]


def served(one: Mute) -> dict[str, Json]:
    """One mute as the API gives it."""
    told = asdict(one)
    about = told.pop("about")
    return {"id": one.id, "class": about, **told}


def mute(alarms: Alarms, runs: Sequence[RunId], request: Request, now: float) -> dict[str, Json]:
    """Keep one; the same class, run and rank again replaces it. Raises Refused, StoreAway."""
    body = sent(request, FIELDS)
    about, run = text(body, "class", NAME) or None, text(body, "run", RUN_NAME) or None
    if about is not None and about not in CLASSES:
        raise not_one_of("class", about, CLASSES)
    rank, lasting = whole(body, "rank"), minutes(body)
    if (about, run, rank) == (None, None, None):
        raise Refused(400, _("A mute needs a class, a run or a rank; all alerts at once are not muted."))
    until = None if lasting is None else now + 60 * lasting
    made = Mute(about, run, rank, author(body, needed=True), until, text(body, "note", NOTE), now)
    if run is not None and run not in runs:
        raise Refused(404, _("There is no run %(run)s.", run=repr(run)))
    known = {one.id for one in alarms.store.mutes()}
    if made.id not in known and len(known) >= MOST:
        raise Refused(409, _("There are %(most)d mutes already; take some back.", most=MOST))
    alarms.store.mute(made, [one for one in runs if run in (None, one)])
    return served(made)


def unmute(alarms: Alarms, runs: Sequence[RunId], mute_id: str) -> dict[str, Json]:
    """Take one back. Raises Refused, StoreAway."""
    known = next((one for one in alarms.store.mutes() if one.id == mute_id), None)
    if known is None or not alarms.store.unmute(mute_id, [one for one in runs if known.run in (None, one)]):
        raise Refused(404, _("There is no mute %(id)s.", id=repr(mute_id)))
    return served(known)
