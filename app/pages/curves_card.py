"""The card of the curves: controls, the heads of the panels and the figure, both empty: assets/curves.js fills them."""

from __future__ import annotations

import json

from dash import html
from dash.development.base_component import Component

from app.figures.panels import described, total_height
from app.ids import Ids
from app.language import gettext as _
from app.markup import attributes
from app.pages.baseline import baseline_line
from app.pages.controls import controls
from app.pages.share_menu import share_menu
from app.pages.strip import log_drawer, timeline

ids = Ids("run")


def curves_card(run_id: str) -> Component:
    """The card that assets/pages.js finds by its data-run."""
    title = [html.H2(_("Training curves")), html.Span(_("drag to zoom, double-click for all"), className="hint")]
    return html.Section(
        [
            html.Header([*title, baseline_line(), share_menu(), controls()]),
            html.Div([html.Div(className="panel-heads"), figure()], className="figure"),
            timeline(run_id),
            log_drawer(run_id),
        ],
        className="card",
        **attributes(data_run=run_id, data_panels=json.dumps(described())),
    )


def figure() -> Component:
    """Where the script puts the figure, as high as it will be, so that nothing below it moves."""
    named = attributes(aria_label=_("Curves: arrow keys read the points, plus and minus zoom, 0 shows all"))
    style = {"minHeight": f"{total_height()}px"}
    return html.Div(id=ids("curves"), className="curves", style=style, tabIndex="0", role="group", **named)
