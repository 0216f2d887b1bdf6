"""The pages: which address shows which, and everything that changes on them."""

from __future__ import annotations

import time
from functools import partial
from urllib.parse import unquote

from dash import Dash, Input, Output, State, dcc, html
from dash.development.base_component import Component

from app.config import AppConfig
from app.ids import NAV, PAGE, URL
from app.language import gettext as _
from app.language import install
from app.pages import compare, notices, run, runs
from app.pages.source import Source
from app.shell import shell
from app.stored import StoreAway

RUN = "run/"  # a run's address is this and its id
COMPARE = "compare"


def register(app: Dash, source: Source, config: AppConfig) -> None:
    """Give ``app`` its layout and its callbacks, all of which read ``source``."""
    home = config.prefix
    install(app.server)
    app.layout = partial(visit, home)
    known = [visit(home), *runs.layout(), *run.layout("", None), *compare.layout(home)]
    app.validation_layout = html.Div(known)  # type: ignore[assignment]  # Dash types it by the None it starts with
    app.callback(Output(PAGE, "children"), Output(NAV, "children"), Input(URL, "pathname"), State(URL, "search"))(
        partial(show, home, source)
    )
    runs.register(app, source, home + RUN)
    run.register(app, source, home)


def visit(prefix: str) -> Component:
    """The shell, for one visit."""
    return shell(prefix, time.time())


def show(home: str, source: Source, pathname: str | None, query: str | None) -> tuple[list[Component], list[Component]]:
    """Callback: the page at an address, and the way to it."""
    path = (pathname or home).removeprefix(home.rstrip("/")).strip("/")
    return page(source, home, path, query or ""), way(home, path)


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
