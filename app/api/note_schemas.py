"""JSON Schemas of notes."""

from __future__ import annotations

from collections.abc import Mapping

from app.api.alert_schemas import BY, body
from app.api.notes import STEP
from app.api.route import Schema
from app.api.schemas import COUNT, FLAG, REAL, TEXT, many, maybe, record
from app.notes.note import TEXT as LONGEST

AT: Schema = {"type": "integer", "minimum": 0, "exclusiveMaximum": STEP}
VERSION: Schema = {"type": "integer", "minimum": 1}
SAID: Mapping[str, Schema] = {
    "first": AT,
    "last": maybe(AT),
    "text": {"type": "string", "minLength": 1, "maxLength": LONGEST},
    "author": BY,
}
NOTE: Schema = record(
    id=TEXT,
    first=AT,
    last=AT,
    text=TEXT,
    author=TEXT,
    created=REAL,
    edited=maybe(REAL),
    editor=TEXT,
    version=VERSION,
)
SCHEMAS: Mapping[str, Schema] = {
    "Notes": record(run=TEXT, total=COUNT, name=TEXT, may_write=FLAG, notes=many(NOTE)),
    "Note": NOTE,
    "Writing": body(("first", "text"), **SAID),
    "Editing": body(("first", "text", "version"), version=VERSION, **SAID),
    "Error": {
        "type": "object",
        "properties": {"error": TEXT, "note": NOTE},
        "required": ["error"],
        "additionalProperties": False,
    },
}
