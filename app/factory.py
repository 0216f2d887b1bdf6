"""The one place that wires: configuration, store, API, guard and pages."""

from __future__ import annotations

import logging
import os
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from dash.exceptions import DashException
from flask import Flask

from app import bundle, caching, compression
from app.access import ended, gate, proxies
from app.access.given import BadSecret
from app.access.secret import NotKept, given_key, kept_key
from app.alarms import Alarms
from app.api import blueprint, failure, guard
from app.api.answers import answer
from app.api.live import Hub
from app.assembly import assembled
from app.cluster_store import opened
from app.config import AppConfig, BadSetting
from app.diagnosis.store import AlertStore
from app.index import Index
from app.language import gettext as _
from app.launch.embedded import data_home
from app.notes.store import NoteStore
from app.pages import site
from app.server_log import Server
from app.sharing.document import Files
from app.sharing.sharing import Sharing
from app.stored import RunStore

ASSETS = Path(__file__).resolve().parents[1] / "assets"
LOG = logging.getLogger(__name__)
HUB = "tidewatch.hub"  # where the server keeps what has to be closed, for tests and for a process that ends


def create_app(config: AppConfig, store: RunStore, *, clock: Callable[[], float] = time.time) -> Index:
    """The whole application on ``store``; no connection is made and no thread started before the first request."""
    scripts, styles = bundle.bundles(ASSETS)
    app = _index(config, bundle.address(config.prefix, scripts), bundle.address(config.prefix, styles))
    server: Flask = app.server
    hub = Hub(store, most=config.max_streams)
    server.extensions[HUB] = hub
    alarms, notes = Alarms(AlertStore(store.url), clock), NoteStore(store.url)
    sharing = Sharing(store, alarms.store, notes, config, clock)
    whole = assembled(store, hub, alarms, config, clock, notes=notes, maker=sharing.maker, home=sharing.home)
    blueprint.install(server, whole.api, config)
    sharing.install(server, _files(config, scripts, styles))
    app.shell = partial(site.document, config.prefix, whole.source, sharing.home)
    site.register(app, whole.source, config)
    bundle.install(server, config.prefix, [scripts, styles])
    compression.install(server)  # before what dresses answers: Flask calls the last one that was installed first
    caching.install(server, ASSETS, config.prefix)
    server.register_error_handler(DashException, failure.told(no_such_file, config.prefix))
    also = proxies.gateways(config.access)
    gate.install(server, config, bundle.address(config.prefix, styles), clock=clock, also=also)
    guard.install(server, config, scripts=[f"'{one}'" if not one.startswith("'") else one for one in app.csp_hashes()])
    proxies.install(server, config)
    return app


def _files(config: AppConfig, scripts: bundle.Bundle, styles: bundle.Bundle) -> Files:
    """What a document names, where Dash does not write it."""
    script, style = bundle.address(config.prefix, scripts), bundle.address(config.prefix, styles)
    library, icon = (f"{config.prefix}assets/{one}" for one in (*bundle.APART, "favicon.ico"))
    return Files(
        script, style, *(f"{one}?m={(ASSETS / one.rpartition('/')[2]).stat().st_mtime}" for one in (library, icon))
    )


def no_such_file(error: DashException) -> failure.Answer:
    """Dash raises where somebody asks for a file or a callback that it does not have."""
    return answer({"error": _("There is nothing at this address.")}, 404)


def _index(config: AppConfig, script: str, style: str) -> Index:
    """Dash, with our own scripts and styles in one file each."""
    return Index(
        "app",
        server=Server("app"),  # type: ignore[arg-type] # Dash takes a Flask, whatever its types say
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
    """What gunicorn serves; raises config.BadSetting for a variable that cannot be used, and where a password is needed
    and there is none."""
    config = AppConfig.from_environ(environ)
    if config.is_locked:
        raise BadSetting(
            f"Whoever reaches {config.host} has to log in, and there is no token: set TIDEWATCH_TOKEN, start gunicorn "
            "with -c python:app.serving, which makes one, or say TIDEWATCH_AUTH=none."
        )
    store = opened(config.redis_url, cache_bytes=config.cache_bytes)
    try:
        whole = replace(config, secret=signing_key(environ), ended=kept_at(environ))
        server: Flask = create_app(whole, store).server
    except BadSecret as error:
        raise BadSetting(str(error)) from None
    return server


def signing_key(environ: Mapping[str, str]) -> bytes:
    """The key that is given, else the one that is kept, else one of this process. Raises BadSecret."""
    given = given_key(environ)
    if given is not None:
        return given
    try:
        return kept_key(data_home(environ))
    except (NotKept, RuntimeError) as error:  # RuntimeError: this user has no home
        LOG.warning("No signing key is kept (%s): sessions and shared links end with this process.", error)
        return secrets.token_bytes(32)


def kept_at(environ: Mapping[str, str]) -> Path | None:
    """The file of sessions that were logged out; None for a user without a home, where it is kept in memory alone."""
    try:
        return data_home(environ) / ended.NAME
    except RuntimeError:
        return None


def close(server: Flask) -> None:
    """End the streams of ``server`` and its reader thread."""
    hub: Hub = server.extensions[HUB]
    hub.close()
