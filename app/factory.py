"""The one place that wires: configuration, store, API, guard and pages."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from flask import Flask

from app import bundle, caching, compression
from app.alarms import Alarms
from app.api import blueprint, guard
from app.api.live import Hub
from app.assembly import assembled
from app.cluster_store import opened
from app.config import AppConfig
from app.diagnosis.store import AlertStore
from app.index import Index
from app.notes.store import NoteStore
from app.pages import site
from app.stored import RunStore

ASSETS = Path(__file__).resolve().parents[1] / "assets"
HUB = "tidewatch.hub"  # where the server keeps what has to be closed, for tests and for a process that ends


def create_app(config: AppConfig, store: RunStore, *, clock: Callable[[], float] = time.time) -> Index:
    """The whole application on ``store``; no connection is made and no thread started before the first request."""
    scripts, styles = bundle.bundles(ASSETS)
    app = _index(config, bundle.address(config.prefix, scripts), bundle.address(config.prefix, styles))
    server: Flask = app.server
    hub = Hub(store, most=config.max_streams)
    server.extensions[HUB] = hub
    alarms, notes = Alarms(AlertStore(store.url), clock), NoteStore(store.url)
    whole = assembled(store, hub, alarms, config, clock, notes=notes)
    blueprint.install(server, whole.api, config)
    app.shell = partial(site.document, config.prefix, whole.source)
    site.register(app, whole.source, config)
    bundle.install(server, config.prefix, [scripts, styles])
    compression.install(server)  # before what dresses answers: Flask calls the last one that was installed first
    caching.install(server, ASSETS, config.prefix)
    guard.install(server, config, scripts=[f"'{one}'" if not one.startswith("'") else one for one in app.csp_hashes()])
    return app


def _index(config: AppConfig, script: str, style: str) -> Index:
    """Dash, with our own scripts and styles in one file each."""
    return Index(
        "app",
        title="Tidewatch",
        update_title="",  # the title would flicker at every tick
        assets_folder=str(ASSETS),
        assets_ignore=bundle.IGNORED,
        external_scripts=[script],
        external_stylesheets=[style],
        serve_locally=True,
        suppress_callback_exceptions=False,
        routes_pathname_prefix=config.prefix,
        requests_pathname_prefix=config.prefix,
        add_log_handler=False,
    )


def create_server(environ: Mapping[str, str] = os.environ) -> Flask:
    """What gunicorn serves; raises config.BadSetting for a variable that cannot be used."""
    config = AppConfig.from_environ(environ)
    store = opened(config.redis_url, cache_bytes=config.cache_bytes)
    server: Flask = create_app(config, store).server
    return server


def close(server: Flask) -> None:
    """End the streams of ``server`` and its reader thread."""
    hub: Hub = server.extensions[HUB]
    hub.close()
