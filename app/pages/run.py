"""``/run/<id>``: head, badges, curves and events of one run. The curves fill themselves (assets/curves.js)."""

from __future__ import annotations

from functools import partial
from typing import Any

from dash import Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component

from app.figures import numbers
from app.figures.curves import curves_figure
from app.figures.panels import PANELS, Panel, Place, places, total_height
from app.ids import TICK, Ids
from app.language import gettext as _
from app.markup import attributes
from app.pages import notices
from app.pages.badges import badge_row
from app.pages.events import event_list, summary
from app.pages.header import header
from app.pages.shown import RunShown
from app.pages.source import Source
from app.stored import StoreAway

ids = Ids("run")
RANGES = (500, 2_000)  # steps of the buttons "Last 500" and "Last 2,000"
Parts = tuple[list[Component], list[Component], str, Component]
SAME = (no_update,) * 4
GRAPH: dcc.Graph.Config = {
    "displayModeBar": False,
    "displaylogo": False,
    "doubleClick": False,  # assets/curves.js shows the whole run, and reads it again
    "scrollZoom": False,  # the plain wheel scrolls the page
    "showTips": False,
}


def layout(run_id: str, run: RunShown | None, notice: Component | None = None) -> list[Component]:
    """The page of a run; None = nothing is known of it (yet), ``notice`` says why, and the clock tries again."""
    head, badges, count, listed = parts(run) if run else ([], [], "", html.Div())
    top = html.Header([html.H2(_("Events")), html.Span(count, id=ids("count"), className="hint")])
    content = [
        html.Div(id=ids("banner"), className="banner", role="alert"),
        html.Div(head, id=ids("head")),
        html.Ul(badges, id=ids("badges"), className="badges"),
        html.Div(
            [curves_card(run_id), html.Section([top, html.Div(listed, id=ids("events"))], className="card")],
            className="columns",
        ),
    ]
    return [
        dcc.Store(id=ids("id"), data=run_id),
        html.Div(notice, id=ids("notice")),
        html.Div(content, id=ids("content"), hidden=run is None),
    ]


def parts(run: RunShown) -> Parts:
    """What the clock renews: head, badges, count of events, events."""
    return header(run), badge_row(run), summary(run.events), event_list(run.events, ranks=len(run.ranks))


def curves_card(run_id: str) -> Component:
    """The card that assets/pages.js finds by its data-run."""
    title = [html.H2(_("Training curves")), html.Span(_("drag to zoom, double-click for all"), className="hint")]
    graph = dcc.Graph(
        id=ids("curves"),
        figure=curves_figure(),
        config=GRAPH,
        responsive=True,
        style={"height": f"{total_height()}px"},
    )
    heads = [panel_head(panel, place) for panel, place in zip(PANELS, places(), strict=True)]
    return html.Section(
        [html.Header([*title, controls()]), html.Div([*heads, graph], className="figure")],
        className="card",
        **attributes(data_run=run_id),
    )


def panel_head(panel: Panel, place: Place) -> Component:
    """The line above a panel; assets/panel-head.js writes unit, count and last value into it."""
    last = html.Span(className="last", style={"color": f"var({panel.head.colour})"})
    said = [html.H3(str(panel.title)), html.Span(className="unit"), html.Span(className="note"), last]
    return html.Div(said, className="panel-head", style={"top": f"{place.top}px"}, **attributes(data_panel=panel.key))


def controls() -> Component:
    """Range, smoothing, logarithmic loss, picture."""
    ranges = [(str(steps), _("Last %(steps)s", steps=numbers.count(steps))) for steps in RANGES] + [("", _("All"))]
    buttons = [html.Button(text, type="button", **toggle(data_steps=steps)) for steps, text in ranges]
    return html.Div(
        [
            smoothing(),
            html.Button(_("Log loss"), id="loss-log", className="button", type="button", **toggle()),
            html.Div(buttons, className="choice", role="group", **attributes(aria_label=_("Steps shown"))),
            html.Button(_("Save PNG"), id="save-png", className="button", type="button"),
        ],
        className="controls",
    )


def toggle(**values: str) -> dict[str, Any]:
    """Attributes of a button that stays pressed; the scripts press it."""
    return attributes(aria_pressed="false", **values)


def smoothing() -> Component:
    """The slider 0 to 0.999; the browser smooths."""
    slider = dcc.Input(id=ids("smoothing"), type="range", min=0, max=0.999, step=0.001, value=0)
    value = html.Output(_("off"), id="smoothing-value", htmlFor=ids("smoothing"))
    return html.Div([html.Label(_("Smoothing"), htmlFor=ids("smoothing")), slider, value], className="smoothing")


def refresh(source: Source, home: str, _tick: int, run_id: str, hidden: bool) -> tuple[object, ...]:
    """Callback of the clock: notice, whether the rest is hidden, the parts, banner."""
    try:
        run = source.run(run_id)
    except StoreAway:
        return kept(notices.store_away(), _("Redis does not answer; this is what was last known."), hidden=hidden)
    if run is None:
        return kept(notices.no_such_run(run_id, home), _("This run is no longer in the store."), hidden=hidden)
    return None, False, *parts(run), ""


def kept(notice: Component, sentence: str, *, hidden: bool) -> tuple[object, ...]:
    """What was shown stays, under a sentence; where nothing was, the notice stands alone."""
    return (notice, True, *SAME, "") if hidden else (None, False, *SAME, sentence)


def register(app: Dash, source: Source, home: str) -> None:
    """Connect the page's components. ``home`` is the address of the table."""
    app.callback(
        Output(ids("notice"), "children"),
        Output(ids("content"), "hidden"),
        Output(ids("head"), "children"),
        Output(ids("badges"), "children"),
        Output(ids("count"), "children"),
        Output(ids("events"), "children"),
        Output(ids("banner"), "children"),
        Input(TICK, "n_intervals"),
        State(ids("id"), "data"),
        State(ids("content"), "hidden"),
    )(partial(refresh, source, home))
