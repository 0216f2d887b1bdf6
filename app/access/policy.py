"""What each route asks of who calls it: the one list. A route that is not in it is refused to everybody where a
password is needed, and a test (tests/security) fails until it is listed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from app.sharing.table import CLOSED, SHARED

Need = Literal["public", "viewer", "editor", "share"]

ASSETS = "_dash_assets.static"

SUITES = "/_dash-component-suites/<string:package_name>/<path:fingerprinted_path>"
NOWHERE = ("/_reload-hash",)  # asked by the tools of Dash's developers; there is no such thing here
CODE = (ASSETS, SUITES, "/_favicon.ico", "bundle.text/javascript", "bundle.text/css")

# public: everybody, without a word. viewer: who may look. editor: who may write. share: who has the token that the
# address holds, which the route itself checks.
NEEDS: Mapping[str, Need] = {
    # the document of every page, and what Dash asks for it
    "/": "viewer",
    "/<path:path>": "viewer",
    "/_dash-layout": "viewer",
    "/_dash-dependencies": "viewer",
    "/_dash-update-component": "viewer",  # a POST that only reads
    "/_reload-hash": "viewer",
    # code and styles, which tell nothing of any run
    **dict.fromkeys(CODE, "public"),
    # the way in and out; both check what is sent to them themselves
    "access.login": "public",
    "access.logout": "public",
    "access.team": "public",
    "access.team_back": "public",
    # what watches the watcher: a load balancer has no password, and is told one word
    "api.livez": "public",
    "api.readyz": "public",
    "api.healthz": "public",
    "api.metrics": "viewer",
    # the API
    "api.runs": "viewer",
    "api.run": "viewer",
    "api.series": "viewer",
    "api.tags": "viewer",
    "api.curves": "viewer",
    "api.ranks": "viewer",
    "api.ranks_first": "viewer",
    "api.ranks_states": "viewer",
    "api.ranks_errors": "viewer",
    "api.events": "viewer",
    "api.log": "viewer",
    "api.stream": "viewer",
    "api.baseline": "viewer",
    "api.compare": "viewer",
    "api.compare_configuration": "viewer",
    "api.export": "viewer",
    "api.export_csv": "viewer",
    "api.export_jsonl": "viewer",
    "api.export_parquet": "viewer",
    "api.alerts": "viewer",
    "api.alerts_export": "viewer",
    "api.alert": "viewer",
    "api.alert_acknowledge": "editor",
    "api.alert_resolve": "editor",
    "api.alert_reopen": "editor",
    "api.mutes": "viewer",
    "api.mute": "editor",
    "api.unmute": "editor",
    "api.notes": "viewer",
    "api.note_write": "editor",
    "api.note_edit": "editor",
    "api.note_remove": "editor",
    "api.preview": "viewer",
    "api.snapshots": "viewer",
    "api.snapshot_make": "editor",
    "api.snapshot_extend": "editor",
    "api.snapshot_revoke": "editor",
    # below a snapshot's token, which each of these opens before anything else
    "share.run": "share",
    "share.ranks": "share",
    "share.preview": "share",
    "share.nothing": "share",
    "share.unknown": "share",
    **dict.fromkeys((f"share_api.{one}" for one in (*SHARED, *CLOSED, "unknown")), "share"),
    "api.bundle": "viewer",
    "api.openapi": "viewer",
    "api.unknown": "viewer",
}


def need(endpoint: str | None, prefix: str) -> Need | None:
    """What the route asks; None for one that is not listed, and for no route at all."""
    if endpoint is None:
        return None
    return NEEDS.get(named(endpoint, prefix))


def is_closed(endpoint: str | None, prefix: str) -> bool:
    """Whether the route is there for nobody at all, with a password or without."""
    return endpoint is not None and named(endpoint, prefix) in NOWHERE


def is_code(endpoint: str | None, prefix: str) -> bool:
    """Whether the route is of files that are the same for everybody."""
    return endpoint is not None and named(endpoint, prefix) in CODE


def named(endpoint: str, prefix: str) -> str:
    """The endpoint as NEEDS spells it: Dash calls its own by their addresses, which begin with ``prefix``, and has it
    in the name of its files too."""
    if endpoint.endswith(ASSETS):
        return ASSETS
    return "/" + endpoint.removeprefix(prefix) if endpoint.startswith("/") else endpoint
