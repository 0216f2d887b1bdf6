"""The card of the curves: heads, controls and the empty figure, which assets/curves.js fills."""

from __future__ import annotations

import json
from typing import Any

from dash import dcc, html
from dash.development.base_component import Component

from app.figures import numbers
from app.figures.curves import curves_figure
from app.figures.panels import PANELS, Panel, Place, described, places, total_height
from app.ids import Ids
from app.language import gettext as _
from app.markup import attributes
from app.pages.strip import log_drawer, timeline

ids = Ids("run")
RANGES = (500, 2_000)  # steps of the buttons "Last 500" and "Last 2,000"
GRAPH: dcc.Graph.Config = {
    "displayModeBar": False,
    "displaylogo": False,
    "doubleClick": False,  # assets/curves.js shows the whole run, and reads it again
    "scrollZoom": False,  # the plain wheel scrolls the page
    "showTips": False,
}


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
        [
            html.Header([*title, controls()]),
            html.Div([*heads, graph], className="figure"),
            timeline(run_id),
            log_drawer(run_id),
        ],
        className="card",
        **attributes(data_run=run_id, data_panels=json.dumps(described())),
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
