"""Addresses of frozen snapshots for those who make them; who has a link asks below it (app.sharing)."""

from __future__ import annotations

from app.api.route import JSON, RUN, Parameter, Route

_SNAPSHOT = Parameter("snapshot", "Id of the snapshot, as it is listed; it opens nothing.", {"type": "string"}, "path")
_AWAY = {503: "Redis does not answer."}
_NONE = {404: "There is no such run or snapshot."}
_SENT = {
    400: "What is sent makes no sense.",
    413: "What is sent is too long.",
    415: "What is sent is no JSON.",
    **_AWAY,
}

ROUTES = (
    Route(
        "api/runs/<run>/snapshots",
        "snapshots",
        "Frozen snapshots of a run, the newest first: who made each, until when its link opens it, when it was used "
        "last. The links themselves are not known any more.",
        {JSON: "Snapshots"},
        (RUN,),
        {404: "There is no such run.", **_AWAY},
    ),
    Route(
        "api/runs/<run>/snapshots",
        "snapshot_make",
        "Freeze the run: whoever has `url`, which is told this once, sees it as it is now, until it expires. `view` is "
        "the query of the address to be shown, `names` shows hosts and paths of the training machines.",
        {JSON: "Made"},
        (RUN,),
        {404: "There is no such run.", 409: "There are too many, or the run is too large.", **_SENT},
        "POST",
        "Freezing",
    ),
    Route(
        "api/runs/<run>/snapshots/<snapshot>",
        "snapshot_extend",
        "Have one that is open expire so many days from now.",
        {JSON: "Snapshot"},
        (RUN, _SNAPSHOT),
        {**_NONE, 409: "It is closed.", **_SENT},
        "PUT",
        "Extending",
    ),
    Route(
        "api/runs/<run>/snapshots/<snapshot>",
        "snapshot_revoke",
        "Close one for good: its link says so from now on.",
        {JSON: "Snapshot"},
        (RUN, _SNAPSHOT),
        {**_NONE, **_AWAY},
        "DELETE",
    ),
)
