"""``/run/<id>``: head, badges, curves and events of one run. The curves fill themselves (assets/curves.js)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from dash import html
from dash.development.base_component import Component

from app.language import gettext as _
from app.pages import notices
from app.pages.alerts_card import alerts_card
from app.pages.configuration import configuration_card
from app.pages.curves_card import curves_card
from app.pages.head import description
from app.pages.notes_card import notes_card
from app.pages.page import Page
from app.pages.parts import PARTS, frames, ids, rendered
from app.pages.source import Source
from app.stored import StoreAway

BANNER = ids("banner")
NAMES = tuple(part.name for part in PARTS)


def page(source: Source, home: str, path: str, run_id: str, before: str = "") -> Page:
    """The page of a run at ``path``. Of a run that is gone for now a browser that shows it (``before`` is the kind of
    its page) keeps everything, under a sentence; to any other a notice says why, and the clock tries again."""
    try:
        run = source.run(run_id)
    except StoreAway:
        sentence = _("Redis does not answer; this is what was last known.")
        return without(path, notices.store_away(), sentence, before)
    if run is None:
        return without(path, notices.no_such_run(run_id, home), _("This run is no longer in the store."), before)
    return Page(path, partial(frame, run_id), {**rendered(run), BANNER: ""}, said=partial(description, run))


def without(path: str, notice: Component, sentence: str, before: str) -> Page:
    """The page while nothing can be said of the run."""
    if before == path:
        return Page(path, lambda: (), {BANNER: sentence})
    return Page(f"{path}?", lambda: (html.Div(notice),))  # no path has a "?"


def unread(path: str, run_id: str) -> Page:
    """The page of a run that there is, before anything of it has been read."""
    return Page(path, partial(frame, run_id), dict.fromkeys((*map(ids, NAMES), BANNER), ""))


def frame(run_id: str) -> Sequence[Component]:
    """Everything around the parts."""
    main = html.Div([curves_card(run_id), *frames("below"), configuration_card(run_id)], className="main")
    content = [
        html.Div(id=BANNER, className="banner", role="alert"),
        *frames("top"),
        html.Div(
            [main, html.Div([alerts_card(run_id), notes_card(run_id), *frames("side")], className="side")],
            className="columns",
        ),
    ]
    return [html.Div(content, id=ids("content"))]
