"""Addresses of notes: read by everybody, written by editors."""

from __future__ import annotations

from app.api.route import JSON, RUN, Parameter, Route

_NOTE = Parameter("note", "Id of the note.", {"type": "string"}, "path")
_AWAY = {503: "Redis does not answer."}
_SENT = {
    400: "What is sent makes no sense.",
    413: "What is sent is too long.",
    415: "What is sent is no JSON.",
    **_AWAY,
}
_NONE = {404: "There is no such run or note."}
_NEWER = {409: "Somebody has changed it meanwhile; `note` is how it is now."}
_STEP = {"type": "integer"}

ROUTES = (
    Route(
        "api/runs/<run>/notes",
        "notes",
        "What people wrote about steps of a run, by step. `total` counts all of them; `may_write`: whether who asks "
        "may write some, under `name`, which is empty where a name has to be sent with each.",
        {JSON: "Notes"},
        (
            RUN,
            Parameter("start", "Only notes that touch this step or a later one.", _STEP),
            Parameter("end", "Only notes that touch this step or an earlier one.", _STEP),
        ),
        {400: "An argument makes no sense.", 404: "There is no such run.", **_AWAY},
    ),
    Route(
        "api/runs/<run>/notes",
        "note_write",
        "Write one about a step, or about the steps from `first` to `last`.",
        {JSON: "Note"},
        (RUN,),
        {404: "There is no such run.", 409: "There are too many.", **_SENT},
        "POST",
        "Writing",
    ),
    Route(
        "api/runs/<run>/notes/<note>",
        "note_edit",
        "Write it anew; `version` is the one that was read.",
        {JSON: "Note"},
        (RUN, _NOTE),
        {**_NONE, **_NEWER, **_SENT},
        "PUT",
        "Editing",
    ),
    Route(
        "api/runs/<run>/notes/<note>",
        "note_remove",
        "Delete it; with `version` only as it was read.",
        {JSON: "Note"},
        (RUN, _NOTE, Parameter("version", "The one that was read.", {"type": "integer", "minimum": 1})),
        {400: "An argument makes no sense.", **_NONE, **_NEWER, **_AWAY},
        "DELETE",
    ),
)
