"""The pages: which address shows which, and everything that changes on them."""

from __future__ import annotations

import time
from functools import partial
from urllib.parse import unquote, urlsplit

from dash import Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component
from flask import has_request_context, request

from app.config import AppConfig
from app.ids import NAV, PAGE, SHOWN, URL
from app.language import gettext as _
from app.language import install
from app.pages import compare, notices, run, runs
from app.pages.source import Source
from app.shell import Visit, shell
from app.stored import StoreAway

RUN = "run/"  # a run's address is this and its id
COMPARE = "compare"


def register(app: Dash, source: Source, config: AppConfig) -> None:
    """Give ``app`` its layout and its callbacks, all of which read ``source``."""
    home = config.prefix
    install(app.server)
    app.layout = partial(visit, home, source)
    known = [shell(home, time.time()), *runs.layout(), *run.layout("", None), *compare.layout(home)]
    app.validation_layout = html.Div(known)  # type: ignore[assignment]  # Dash types it by the None it starts with
    app.callback(
        Output(PAGE, "children"),
        Output(NAV, "children"),
        Output(SHOWN, "data"),
        Input(URL, "pathname"),
        State(URL, "search"),
        State(SHOWN, "data"),
    )(partial(show, home, source))
    runs.register(app, source, home + RUN)
    run.register(app, source, home)


def visit(home: str, source: Source) -> Component:
    """The shell, for one visit, with the page at once where the browser tells which it is on."""
    asked = urlsplit((has_request_context() and request.referrer) or "")
    if not asked.path.startswith(home):
        return shell(home, time.time())  # the callback of the address brings the page
    path = below(home, asked.path)
    found = page(source, home, path, f"?{asked.query}")
    return shell(home, time.time(), Visit(path, found, way(home, path)))


def show(home: str, source: Source, pathname: str | None, query: str | None, shown: str | None) -> tuple[object, ...]:
    """Callback: the page at an address, the way to it, and its path; nothing where that page is there already."""
    path = below(home, pathname or home)
    if path == shown:
        return no_update, no_update, no_update
    return page(source, home, path, query or ""), way(home, path), path


def below(home: str, pathname: str) -> str:
    """The part of an address that tells the page, without slashes around it."""
    return pathname.removeprefix(home.rstrip("/")).strip("/")


def page(source: Source, home: str, path: str, query: str = "") -> list[Component]:
    """The page at ``path``, which has neither prefix nor slashes around it; ``query`` begins with ``?``."""
    if not path:
        return runs.layout(query)
    if path == COMPARE:
        return compare.layout(home)
    if not path.startswith(RUN):
        return [notices.no_such_page(home)]
    name = unquote(path.removeprefix(RUN))
    try:
        found = source.run(name)
    except StoreAway:
        return run.layout(name, None, notices.store_away())
    return run.layout(name, found, None if found else notices.no_such_run(name, home))


def way(home: str, path: str) -> list[Component]:
    """Runs / this run, or the comparison of some."""
    links = [(home, _("Runs"))]
    if path == COMPARE:
        links.append((home + path, _("Compare")))
    if path.startswith(RUN):
        links.append((home + path, unquote(path.removeprefix(RUN))))
    return [link(href, title, current=number == len(links)) for number, (href, title) in enumerate(links, start=1)]


def link(href: str, title: str, *, current: bool) -> Component:
    """One stop of the way."""
    return html.Span(dcc.Link(title, href=href), className="here" if current else "")
