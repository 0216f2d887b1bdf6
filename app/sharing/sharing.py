"""Puts together what makes, keeps and shows snapshots, and gives it its addresses."""

from __future__ import annotations

from collections.abc import Callable

from flask import Flask, has_request_context, request

from app.api.routes import ROUTES
from app.config import AppConfig
from app.diagnosis.store import AlertStore
from app.notes.store import NoteStore
from app.sharing.document import Files
from app.sharing.freezing import Freezer
from app.sharing.gate import Gate
from app.sharing.making import Maker
from app.sharing.shelf import Shelf
from app.sharing.store import ShareStore
from app.sharing.table import CLOSED, SHARED
from app.sharing.tokens import Tokens
from app.sharing.uses import Uses
from app.sharing.views import ShareViews
from app.stored import RunStore

BELOW = "s/<token>"


class Sharing:
    """All about snapshots of one store; ``clock`` gives Unix seconds."""

    def __init__(
        self, store: RunStore, alerts: AlertStore, notes: NoteStore, config: AppConfig, clock: Callable[[], float]
    ) -> None:
        """No connection is made before the first request."""
        shares, tokens = ShareStore(store.url), Tokens(config.secret)
        uses = Uses(shares)
        self._config = config
        self.maker = Maker(Freezer(store, alerts, notes), shares, tokens, uses, clock)
        gate, shelf = Gate(tokens, shares, clock), Shelf(store, shares, config)
        self._views = ShareViews(config, gate, shelf, uses, home=self.home, clock=clock)

    def home(self) -> str:
        """Where people reach all pages, as far as that is known: as it was told, else as they came."""
        if self._config.url or not has_request_context():
            return self._config.url
        return request.host_url.rstrip("/") + self._config.prefix

    def install(self, server: Flask, files: Files) -> None:
        """Serve the pages, and below a token the twins of what table.py lists."""
        base, views = self._config.prefix + BELOW, self._views
        run, ranks = views.page("run", files), views.page("ranks", files)
        for rule, endpoint, page in (("", "run", run), ("/", "run", run), ("/ranks", "ranks", ranks)):
            server.add_url_rule(base + rule, f"share.{endpoint}", page, methods=["GET"])
        server.add_url_rule(f"{base}/preview.png", "share.preview", views.preview(), methods=["GET"])
        for route in ROUTES:
            if route.method == "GET" and route.endpoint in (*SHARED, *CLOSED):
                view = views.twin if route.endpoint in SHARED else views.closed
                rule = f"{base}/{route.path}"
                server.add_url_rule(rule, f"share_api.{route.endpoint}", view(route.endpoint), methods=["GET"])
        server.add_url_rule(f"{self._config.prefix}s/", "share.nothing", views.nothing, methods=["GET"])
        server.add_url_rule(f"{base}/api/<path:address>", "share_api.unknown", views.unknown, methods=["GET"])
        server.add_url_rule(f"{base}/<path:address>", "share.unknown", views.unknown, methods=["GET"])
