"""``/run/<id>``: head, badges, curves and events of one run. The curves fill themselves (assets/curves.js)."""

from __future__ import annotations

from functools import partial

from dash import Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component

from app.ids import TICK
from app.language import gettext as _
from app.pages import notices
from app.pages.configuration import configuration_card
from app.pages.curves_card import curves_card
from app.pages.parts import PARTS, contents, frames, ids
from app.pages.renewal import digest, renewed
from app.pages.shown import RunShown
from app.pages.source import Source
from app.stored import StoreAway

SAME = (no_update,) * len(PARTS)


def layout(run_id: str, run: RunShown | None, notice: Component | None = None) -> list[Component]:
    """The page of a run; None = nothing is known of it (yet), ``notice`` says why, and the clock tries again."""
    main = html.Div([curves_card(run_id), *frames("below", run), configuration_card(run_id)], className="main")
    content = [
        html.Div(id=ids("banner"), className="banner", role="alert"),
        *frames("top", run),
        html.Div([main, html.Div(frames("side", run), className="side")], className="columns"),
    ]
    return [
        dcc.Store(id=ids("id"), data=run_id),
        dcc.Store(id=ids("told"), data=[]),
        html.Div(notice, id=ids("notice")),
        html.Div(content, id=ids("content"), hidden=run is None),
    ]


def refresh(source: Source, home: str, _tick: int, run_id: str, hidden: bool, told: list[str]) -> tuple[object, ...]:
    """Callback of the clock: notice, whether the rest is hidden, the parts and the banner as far as they have changed
    since ``told``, and what is told now."""
    try:
        run = source.run(run_id)
    except StoreAway:
        return kept(notices.store_away(), _("Redis does not answer; this is what was last known."), told, hidden=hidden)
    if run is None:
        return kept(notices.no_such_run(run_id, home), _("This run is no longer in the store."), told, hidden=hidden)
    changed, now = renewed([*contents(run), ""], told)
    shown = (None, False) if hidden else (no_update, no_update)
    return *shown, *changed, (no_update if now == told else now)


def kept(notice: Component, sentence: str, told: list[str], *, hidden: bool) -> tuple[object, ...]:
    """What was shown stays, under a sentence; where nothing was, the notice stands alone."""
    if hidden:
        return notice, True, *SAME, "", []
    return None, False, *SAME, sentence, [*told[: len(PARTS)], digest(sentence)]


def register(app: Dash, source: Source, home: str) -> None:
    """Connect the page's components. ``home`` is the address of the table."""
    app.callback(
        Output(ids("notice"), "children"),
        Output(ids("content"), "hidden"),
        *[Output(ids(part.name), "children") for part in PARTS],
        Output(ids("banner"), "children"),
        Output(ids("told"), "data"),
        Input(TICK, "n_intervals"),
        State(ids("id"), "data"),
        State(ids("content"), "hidden"),
        State(ids("told"), "data"),
        prevent_initial_call=True,  # the layout has just been filled
    )(partial(refresh, source, home))
