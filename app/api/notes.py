"""``/api/runs/<run>/notes``: what people write about steps of a run."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import asdict, replace

from flask import Request

from app.api.answers import Json, Refused
from app.api.arguments import only, whole
from app.api.bodies import NAME, Body, sent, text
from app.language import gettext as _
from app.notes.note import LINES, MOST, NOTE_ID, TEXT, Note
from app.notes.store import NoteStore, Written
from collector.wire.records import RunId

BYTES = 32_768  # of a body: 2,000 characters, each spelled as two halves of a surrogate pair, and what is around them
STEP = 10**15  # above every step that an address can name (assets/state.js)
FIELDS = ("first", "last", "text", "author")


def notes(store: NoteStore, run: RunId, arguments: Mapping[str, str]) -> dict[str, Json]:
    """Those that touch the steps asked for, by step. Raises Refused, StoreAway."""
    only(arguments, ("start", "end"))
    start, end = whole(arguments, "start"), whole(arguments, "end")
    found = store.notes(run)
    return {"run": run, "total": len(found), "notes": [served(one) for one in found if one.touches(start, end)]}


def served(note: Note) -> dict[str, Json]:
    """One note as the API gives it."""
    return asdict(note)


def write(store: NoteStore, run: RunId, request: Request, now: float, name: str) -> dict[str, Json]:
    """Keep a new one; ``name`` is who writes, "" where the request has to say it. Raises Refused, StoreAway."""
    body = sent(request, FIELDS, BYTES)
    first, last = _steps(body)
    made = Note(secrets.token_hex(6), first, last, _written(body), _author(body, name), now)
    _must(store.add(run, made), run, made.id)
    return served(made)


def edit(store: NoteStore, run: RunId, note_id: str, request: Request, now: float, name: str) -> dict[str, Json]:
    """Keep another text or other steps of one; ``version`` is the one that was seen. Raises Refused, StoreAway."""
    body = sent(request, (*FIELDS, "version"), BYTES)
    version = body.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or not 0 < version < 2**31:
        raise Refused(400, _("version must be the one that was read, a whole number from 1 on."))
    first, last = _steps(body)
    said, editor = _written(body), _author(body, name)
    kept = _known(store, run, note_id)
    made = replace(kept, first=first, last=last, text=said, edited=now, editor=editor, version=version + 1)
    _must(store.change(run, made), run, note_id, store)
    return served(made)


def remove(store: NoteStore, run: RunId, note_id: str, arguments: Mapping[str, str]) -> dict[str, Json]:
    """Forget one, unless it is no longer the ``version`` that was seen. Raises Refused, StoreAway."""
    only(arguments, ("version",))
    version = whole(arguments, "version", at_least=1)
    kept = _known(store, run, note_id)
    _must(store.remove(run, note_id, kept.version if version is None else version), run, note_id, store)
    return served(kept)


def _steps(body: Body) -> tuple[int, int]:
    first = _step(body, "first")
    last = first if body.get("last") is None else _step(body, "last")
    if last < first:
        raise Refused(400, _("last must not be before first: a note is about a step, or about one to a later one."))
    return first, last


def _step(body: Body, name: str) -> int:
    value = body.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < STEP:
        raise Refused(400, _("%(name)s must be a step: a whole number from 0 on.", name=name))
    return value


def _written(body: Body) -> str:
    """The text with its lines as they are on every system."""
    value = body.get("text")
    said = re.sub("\r\n?", "\n", value).strip() if isinstance(value, str) else ""
    if not said or len(said) > TEXT or said.count("\n") >= LINES or not _is_unicode(said):
        refused = _("text must be of 1 to %(most)d characters, in at most %(lines)d lines.", most=TEXT, lines=LINES)
        raise Refused(400, refused)
    return said


def _is_unicode(said: str) -> bool:
    """Whether no half of a surrogate pair is in it."""
    return not any("\ud800" <= one <= "\udfff" for one in said)


def _author(body: Body, name: str) -> str:
    return name or text(body, "author", NAME, needed=True)


def _known(store: NoteStore, run: RunId, note_id: str) -> Note:
    kept = store.note(run, note_id) if NOTE_ID.fullmatch(note_id) else None
    if kept is None:
        raise _gone(run, note_id)
    return kept


def _gone(run: RunId, note_id: str) -> Refused:
    return Refused(404, _("Run %(run)s has no note %(id)s.", run=run, id=repr(note_id)))


def _must(answer: Written, run: RunId, note_id: str, store: NoteStore | None = None) -> None:
    """Refused unless it was written; where somebody was faster, with the note as it is now."""
    if answer == "full":
        raise Refused(409, _("Run %(run)s has %(most)d notes already; delete some.", run=run, most=MOST))
    if answer == "no run":
        raise Refused(404, _("There is no run %(run)s.", run=repr(run)))
    if answer == "changed" and store is not None:
        newest = _known(store, run, note_id)
        said = _("%(name)s has changed this note meanwhile; here is how it is now.", name=newest.editor)
        raise Refused(409, said, {"note": served(newest)})
    if answer == "no note":
        raise _gone(run, note_id)
