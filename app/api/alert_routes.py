"""Addresses of alerts and mutes: the only ones that write."""

from __future__ import annotations

from app.api.alerts import CLASSES, FORMATS
from app.api.route import JSON, RUN, Parameter, Route
from app.diagnosis.handling import STATES

LINES, TABLE = "application/x-ndjson", "text/csv"
_ALERT = Parameter("alert", "Id of the alert.", {"type": "string"}, "path")
_AWAY = {503: "Redis does not answer."}
_NONE = {404: "There is no such run."}
_SENT = {
    400: "What is sent makes no sense.",
    413: "What is sent is too long.",
    415: "What is sent is no JSON.",
    **_AWAY,
}


def _said(word: str, about: str, body: str, also: dict[int, str] | None = None) -> Route:
    """One of the three things that can be said of an alert."""
    refusals = {404: "There is no such run or alert.", **(also or {}), **_SENT}
    return Route(
        f"api/runs/<run>/alerts/<alert>/{word}",
        f"alert_{word}",
        about,
        {JSON: "Alert"},
        (RUN, _ALERT),
        refusals,
        "POST",
        body,
    )


ROUTES = (
    Route(
        "api/runs/<run>/alerts",
        "alerts",
        "What is wrong or was wrong with a run, in order of its beginning, with the numbers used. `count` is how many "
        "alerts somebody has to know of: open, not muted, not explained by another, and no mere note; "
        "`judged`: whether rules watch the run now.",
        {JSON: "Alerts"},
        (
            RUN,
            Parameter("state", f"Some of {', '.join(STATES)}, comma-separated.", {"type": "string"}),
            Parameter("class", f"Some of {', '.join(CLASSES)}, comma-separated.", {"type": "string"}),
            Parameter("rank", "Alerts of this rank.", {"type": "integer", "minimum": 0}),
        ),
        {400: "An argument makes no sense.", **_NONE, **_AWAY},
    ),
    Route(
        "api/runs/<run>/alerts/export",
        "alerts_export",
        "All of them as a file: one JSON object a line, or a table.",
        {LINES: None, TABLE: None},
        (RUN, Parameter("format", "Of the file.", {"enum": list(FORMATS), "default": FORMATS[0]})),
        {400: "An argument makes no sense.", **_NONE, **_AWAY},
    ),
    Route(
        "api/runs/<run>/alerts/<alert>",
        "alert",
        "One alert with its meaning, likely causes, steps to take, texts to copy, and the checkpoints from before it.",
        {JSON: "Explained"},
        (RUN, _ALERT),
        {404: "There is no such run or alert.", **_AWAY},
    ),
    _said(
        "acknowledge",
        "Say that somebody sees to it, for some minutes or until it is over.",
        "Acknowledgement",
        {409: "It is over."},
    ),
    _said("resolve", "Say that it is over.", "Saying"),
    _said("reopen", "Say that it is not over, or that nobody sees to it any more.", "Saying"),
    Route("api/mutes", "mutes", "Of which alerts nobody is to be told.", {JSON: "Mutes"}, (), {400: "", **_AWAY}),
    Route(
        "api/mutes",
        "mute",
        "Have nobody told of the alerts of a class, a run or a rank, or of what fits several of these.",
        {JSON: "Mute"},
        (),
        {404: "There is no such run.", 409: "There are too many.", **_SENT},
        "POST",
        "Muting",
    ),
    Route(
        "api/mutes/<mute>",
        "unmute",
        "Take it back.",
        {JSON: "Mute"},
        (Parameter("mute", "Id of the mute.", {"type": "string"}, "path"),),
        {404: "There is no such mute.", **_AWAY},
        "DELETE",
    ),
)
