"""``/run/<id>``: head, badges, curves and events of one run. The curves fill themselves (assets/curves.js)."""

from __future__ import annotations

from functools import partial

from dash import Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component

from app.ids import TICK
from app.language import gettext as _
from app.pages import notices
from app.pages.curves_card import curves_card
from app.pages.parts import PARTS, contents, frames, ids
from app.pages.shown import RunShown
from app.pages.source import Source
from app.stored import StoreAway

SAME = (no_update,) * len(PARTS)


def layout(run_id: str, run: RunShown | None, notice: Component | None = None) -> list[Component]:
    """The page of a run; None = nothing is known of it (yet), ``notice`` says why, and the clock tries again."""
    main = html.Div([curves_card(run_id), *frames("below", run)], className="main")
    content = [
        html.Div(id=ids("banner"), className="banner", role="alert"),
        *frames("top", run),
        html.Div([main, html.Div(frames("side", run), className="side")], className="columns"),
    ]
    return [
        dcc.Store(id=ids("id"), data=run_id),
        html.Div(notice, id=ids("notice")),
        html.Div(content, id=ids("content"), hidden=run is None),
    ]


def refresh(source: Source, home: str, _tick: int, run_id: str, hidden: bool) -> tuple[object, ...]:
    """Callback of the clock: notice, whether the rest is hidden, the parts, banner."""
    try:
        run = source.run(run_id)
    except StoreAway:
        return kept(notices.store_away(), _("Redis does not answer; this is what was last known."), hidden=hidden)
    if run is None:
        return kept(notices.no_such_run(run_id, home), _("This run is no longer in the store."), hidden=hidden)
    return None, False, *contents(run), ""


def kept(notice: Component, sentence: str, *, hidden: bool) -> tuple[object, ...]:
    """What was shown stays, under a sentence; where nothing was, the notice stands alone."""
    return (notice, True, *SAME, "") if hidden else (None, False, *SAME, sentence)


def register(app: Dash, source: Source, home: str) -> None:
    """Connect the page's components. ``home`` is the address of the table."""
    app.callback(
        Output(ids("notice"), "children"),
        Output(ids("content"), "hidden"),
        *[Output(ids(part.name), "children") for part in PARTS],
        Output(ids("banner"), "children"),
        Input(TICK, "n_intervals"),
        State(ids("id"), "data"),
        State(ids("content"), "hidden"),
    )(partial(refresh, source, home))
