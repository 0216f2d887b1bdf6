"""The pages: which address shows which, and what keeps them up to date.

A browser tells where it is and what it has (assets/renewal.js), and is sent what is different: that is the one
question, asked by Dash's clock and when the address becomes another.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from dash import ClientsideFunction, Dash, Input, Output, html, no_update
from dash.development.base_component import Component
from flask import Response, after_this_request

from app.config import AppConfig
from app.hypertext import hypertext
from app.ids import ASKED, RENEWED, TICK, URL
from app.language import gettext as _
from app.language import install
from app.pages import compare, notices, question, ranks, run, runs
from app.pages.head import head
from app.pages.hurry import in_time
from app.pages.page import Page, Told, renewed, told
from app.pages.pictured import pictured
from app.pages.source import Source
from app.shell import frame, shell


class Written(NamedTuple):
    """A page as HTML: what stands in the document's head, and what in its body."""

    head: str
    page: str


RUN = "run/"  # a run's address is this and its id; behind it a page about it may be named
COMPARE = "compare"
# Seconds. A run of millions of points that nobody has looked at takes longer to read: its page comes before, and is
# filled then.
PATIENCE = 0.4
PLAIN = "/:@!$&'()*+,;="  # what browsers leave as it is in a path
WIDE = "(min-width: 1200px)"  # as in assets/ranks.js: what a narrower window asks has to be measured first


def register(app: Dash, source: Source, config: AppConfig) -> None:
    """Give ``app`` its frame and its callbacks, which read ``source``."""
    install(app.server)
    question.install(app.server, config.prefix)
    app.layout = frame()
    asking, taking = (ClientsideFunction("tidewatch", one) for one in ("question", "take"))
    inputs = [Input(TICK, "n_intervals"), Input(URL, "pathname"), Input(URL, "search")]
    app.clientside_callback(asking, Output(ASKED, "data"), *inputs)  # type: ignore[no-untyped-call]
    app.callback(Output(RENEWED, "data"), Input(ASKED, "data"), prevent_initial_call=True)(
        partial(renew, config.prefix, source)
    )
    app.clientside_callback(taking, Input(RENEWED, "data"), prevent_initial_call=True)  # type: ignore[no-untyped-call]


def document(home: str, source: Source, there: Callable[[], str], pathname: str, query: str) -> Written:
    """What a browser shows at once at an address: the shell with its page. ``there`` is the address of all pages, with
    the server's name."""
    path = below(home, quote(pathname, safe=PLAIN))  # as browsers spell it, so that it is decoded once
    made = partial(page, source, home, path, query)
    shown = in_time(made, PATIENCE) if is_of_run(path) else made()
    shown = shown or run.unread(path, unquote(path.removeprefix(RUN)))
    if shown.kind == f"{path}?" and not path.startswith(RUN):  # a run that is not there may come
        after_this_request(not_found)
    parts = shown.written()
    now = json.dumps(told(shown, parts))
    whole = hypertext(shell(home, time.time(), way(home, path), list(shown.frame()), now), parts)
    about = preview(there(), path, query, shown.said()) if path.startswith(RUN) else ""
    return Written(about, "".join(map(asked_ahead, shown.ahead())) + whole)


def preview(there: str, path: str, query: str, said: str) -> str:
    """What others show of a link to the page of a run, or of its ranks."""
    of_ranks = ranks.run_of(path)
    name = path.removeprefix(RUN) if of_ranks is None else quote(of_ranks, safe="")
    picture = f"{there}api/runs/{name}/preview.png", pictured(query, of_ranks=of_ranks is not None)
    return head(unquote(name), said, joined(f"{there}{path}", query), joined(*picture))


def joined(address: str, query: str) -> str:
    """Both, with what stands between them."""
    return f"{address}?{query}" if query else address


def not_found(response: Response) -> Response:
    """The document of no page, as what it is."""
    response.status_code = 404
    return response


def asked_ahead(address: str) -> str:
    """What makes a browser ask for it before it has run any script; ``fetch`` is given that answer."""
    return f'<link rel="preload" as="fetch" crossorigin="anonymous" media="{WIDE}" href="{escape(address)}">'


def renew(home: str, source: Source, asked: Mapping[str, Any] | None) -> object:
    """Callback: what is different from what the browser has. Any: what a browser has sent."""
    if not asked:
        return no_update
    path, before = below(home, str(asked["path"])), Told(kind=asked["kind"], parts=asked["parts"])
    shown = page(source, home, path, str(asked["query"]), before["kind"])
    return renewed(str(asked["path"]), shown, way(home, path), before) or no_update


def below(home: str, pathname: str) -> str:
    """The part of an address, as browsers spell it, that tells the page: without slashes around it, and each part in
    one spelling of the several that mean the same (``a:b``, ``a%3Ab``)."""
    return "/".join(
        quote(unquote(part), safe="", errors="replace")
        for part in pathname.removeprefix(home.rstrip("/")).strip("/").split("/")
    )


def is_of_run(path: str) -> bool:
    """Whether the page there is the one of a run, for which its curves are read."""
    return path.startswith(RUN) and ranks.run_of(path) is None


def page(source: Source, home: str, path: str, query: str = "", before: str = "?") -> Page:
    """The page at ``path``, which has neither prefix nor slashes around it; ``query`` is what the address says behind
    it, ``before`` the kind of the page that the browser shows by now."""
    if not path:
        return runs.page(source, home + RUN, query)
    if path == COMPARE:
        return Page(path, partial(compare.layout, home))
    if (of_ranks := ranks.run_of(path)) is not None:
        return ranks.page(source, home, path, of_ranks, query, before)
    if path.startswith(RUN):
        return run.page(source, home, path, unquote(path.removeprefix(RUN)), before)
    return Page(f"{path}?", lambda: [notices.no_such_page(home)])


def way(home: str, path: str) -> Sequence[Component]:
    """Runs / this run / its ranks, or the comparison of some."""
    stops = [("", _("Runs"))]
    if path == COMPARE:
        stops.append((path, _("Compare")))
    if path.startswith(RUN):
        of_run = path.removesuffix(ranks.BEHIND) if ranks.run_of(path) is not None else path
        stops += [(of_run, unquote(of_run.removeprefix(RUN))), (of_run + ranks.BEHIND, _("Rank map"))]
    return [link(home + stop, title, current=stop == path) for stop, title in stops]


def link(href: str, title: str, *, current: bool) -> Component:
    """One stop of the way."""
    return html.Span(html.A(title, href=href), className="here" if current else "")
