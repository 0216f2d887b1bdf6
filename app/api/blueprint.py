"""The API as Flask serves it: each view reads its arguments, asks, and returns."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from dash.exceptions import DependencyException
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from app.access.identity import NOBODY, present
from app.alarms import Alarms
from app.api import failure, operations
from app.api.alert_views import AlertViews
from app.api.answers import Refused, answer, away, refusal
from app.api.bundle import bundle
from app.api.compare import baseline, comparison, settings
from app.api.curves import curves
from app.api.events import events
from app.api.export_views import ExportViews
from app.api.live import Hub
from app.api.log import log
from app.api.note_views import NoteViews
from app.api.openapi import description
from app.api.preview import picture
from app.api.rank_faults import errors, first
from app.api.rank_states import states
from app.api.ranks import Parts, ranks
from app.api.routes import ROUTES
from app.api.runs import details, runs
from app.api.series import known_run, series
from app.api.snapshot_views import Home, SnapshotViews
from app.api.stream import stream
from app.api.tags import tags
from app.config import AppConfig
from app.happened import Happened
from app.incident.material import Material
from app.language import gettext as _
from app.ledgers import Ledgers
from app.notes.store import NoteStore
from app.previews.previews import Previews
from app.reader import Reader
from app.roll import Roll
from app.sharing.making import Maker
from app.stored import RunStore, StoreAway

LARGEST_BODY = 2**18
METHODS = (
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "DELETE",
    "OPTIONS",
)  # any other word a client makes up would be a label of its own


class Api:
    """The views; ``clock`` gives Unix seconds."""

    def __init__(
        self,
        store: RunStore,
        hub: Hub,
        config: AppConfig,
        *,
        clock: Callable[[], float],
        reader: Reader,
        ledgers: Ledgers,
        happened: Happened,
        parts: Parts,
        alarms: Alarms,
        notes: NoteStore,
        previews: Previews,
        material: Material,
        maker: Maker | None = None,
        home: Home = str,
    ) -> None:
        """Nothing is read before the first request."""
        self._store = store
        self._hub = hub
        self._reader = reader
        self._ledgers = ledgers
        self._happened = happened
        self._parts = parts
        self._alarms = alarms
        self._previews = previews
        self._material = material
        self._alert_views = AlertViews(store, alarms, clock, reader=reader, ledgers=ledgers, happened=happened)
        self._note_views = NoteViews(store, notes, clock)
        self._snapshot_views = SnapshotViews(store, maker, home) if maker else None
        self._clock = clock
        self._roll = Roll(store, clock)
        self._meters = operations.Meters(store, alarms, hub)
        self._description = description(config.prefix, asks=not config.is_open)

    def views(self) -> Mapping[str, Callable[..., Response]]:
        """Endpoint → view, for every route of the table."""
        return {
            "runs": lambda: answer(runs(self._roll, self._alarms)),
            "run": self.run,
            "series": self.series,
            "curves": self.curves,
            "tags": self.tags,
            "ranks": self.ranks,
            "ranks_first": lambda run: answer(first(self._parts, run, request.args)),
            "ranks_states": lambda run: answer(states(self._parts, run, request.args)),
            "ranks_errors": lambda run: answer(errors(self._parts, run, request.args)),
            "events": self.events,
            "log": self.log,
            "stream": self.stream,
            "baseline": self.baseline,
            "compare": lambda: answer(comparison(self._store, self._reader, request.args, self._clock())),
            "compare_configuration": lambda: answer(settings(self._store, request.args)),
            "bundle": lambda run: bundle(self._material, run),
            "preview": lambda run: picture(self._previews, run),
            **self._alert_views.views(),
            **self._note_views.views(),
            **ExportViews(self._store).views(),
            **(self._snapshot_views.views() if self._snapshot_views else {}),
            "openapi": lambda: answer(self._description),
            "livez": lambda: answer({"status": "alive"}),
            "readyz": self.readyz,
            "healthz": self.readyz,
            "metrics": self._meters.exposition,
        }

    def run(self, run: str) -> Response:
        """See routes.ROUTES."""
        found = known_run(self._store, run)
        metrics, alerts = request.args.get("metrics") != "0", self._alarms.count(found.id)
        now = self._clock()
        return answer(details(self._store, self._reader, found, now, self._ledgers, alerts=alerts, metrics=metrics))

    def series(self, run: str) -> Response:
        """See routes.ROUTES."""
        return series(self._store, self._reader, run, request.args, request.headers.get("Accept", ""))

    def tags(self, run: str) -> Response:
        """See routes.ROUTES."""
        return tags(self._store, known_run(self._store, run), request.args)

    def curves(self, run: str) -> Response:
        """See routes.ROUTES."""
        return curves(self._store, self._reader, run, request.args)

    def ranks(self, run: str) -> Response:
        """See routes.ROUTES."""
        return ranks(self._parts, run, request.args, request.headers.get("Accept", ""))

    def events(self, run: str) -> Response:
        """See routes.ROUTES."""
        return answer(events(self._store, self._happened, run, request.args))

    def log(self, run: str) -> Response:
        """See routes.ROUTES."""
        return answer(log(self._store, run, request.args))

    def baseline(self, run: str) -> Response:
        """See routes.ROUTES."""
        return answer(baseline(self._store, self._reader, run, request.args))

    def stream(self, run: str) -> Response:
        """See routes.ROUTES."""
        # A reconnecting browser repeats the address with its old ``since``, so the header is the newer of the two.
        since = request.headers.get("Last-Event-ID") or request.args.get("since")
        return stream(self._store, self._hub, run, since)

    def readyz(self) -> Response:
        """See routes.ROUTES."""
        checks = operations.readiness(self._store, self._alarms.store, self._clock())
        return operations.readyz(checks, verbose="verbose" in request.args, known=present() != NOBODY)

    def measure(self, response: Response) -> Response:
        """After each request: how long the answer took to begin."""
        began = request.environ.get("tidewatch.began")
        if began is not None:
            route = request.url_rule.rule if request.url_rule else "none"
            method = request.method if request.method in METHODS else "other"
            self._meters.observe(method, route, response.status_code, time.perf_counter() - began)
        return response


def install(server: Flask, api: Api, config: AppConfig) -> None:
    """Serve every route of the table on ``server``."""
    # Whatever a route reads of a body, and however it is sent: no address takes a file. Each route takes less.
    server.config.update(MAX_CONTENT_LENGTH=LARGEST_BODY, MAX_FORM_MEMORY_SIZE=LARGEST_BODY, MAX_FORM_PARTS=50)
    views = api.views()
    for route in ROUTES:
        rule, endpoint = config.prefix + route.path, f"api.{route.endpoint}"
        server.add_url_rule(rule, endpoint, views[route.endpoint], methods=[route.method])
    # Without this the pages, which take every other address, would answer with HTML.
    server.add_url_rule(config.prefix + "api/<path:address>", "api.unknown", _unknown, methods=["GET"])
    server.before_request(_begin)
    server.after_request(api.measure)
    server.register_error_handler(Refused, failure.told(refusal, config.prefix))
    server.register_error_handler(StoreAway, failure.told(away, config.prefix))
    server.register_error_handler(HTTPException, failure.told(_sentence, config.prefix))
    server.register_error_handler(DependencyException, failure.told(_no_script, config.prefix))


def _unknown(address: str) -> Response:
    said = _("There is no address api/%(address)s; api/openapi.json lists those that there are.", address=address)
    raise Refused(404, said)


def _no_script(error: DependencyException) -> Response:
    """A file that Dash does not serve, which it takes for a fault of ours."""
    return answer({"error": f"{request.method} {request.path}: {error}"}, 404)


def _begin() -> None:
    request.environ["tidewatch.began"] = time.perf_counter()


def _sentence(error: HTTPException) -> Response | HTTPException:
    """An address that does not exist, a method that is not allowed: one sentence as well."""
    if error.code is None or error.code < 400:
        return error
    return answer({"error": f"{request.method} {request.path}: {error.description}"}, error.code)
