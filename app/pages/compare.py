"""``/compare?runs=a,b``: two to twenty runs over each other. assets/compare.js reads the address and fills the page."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from app.ids import Ids
from app.language import gettext as _
from app.markup import attributes
from app.pages.share_menu import share_menu
from app.series.compare import AXES

ids = Ids("compare")


def layout(home: str) -> list[Component]:
    """The page before anything is read. ``home`` is the address of the table of runs."""
    top = html.Div(
        [
            html.H1(_("Compare runs")),
            html.A(_("Choose other runs"), href=home, className="hint"),
            controls(),
        ],
        className="compare-head",
    )
    said = html.Div(id=ids("notice"), className="compare-notice", role="status")
    both = html.Div([curves_card(), sides_card()], className="compare-both")
    return [
        html.Div([top, said, both, settings_card()], id="compare", className="compare", **attributes(data_compare=""))
    ]


def controls() -> Component:
    """What is shown, counted in what, how smooth."""
    metric = html.Select([html.Option(_("Usual panels"), value="")], id=ids("metric"))
    named = attributes(aria_pressed="false")
    return html.Div(
        [
            html.Div([html.Label(_("Metric"), htmlFor=ids("metric")), metric], className="labelled"),
            axis_choice(),
            html.Div(
                [
                    html.Label(_("Smoothing"), htmlFor=ids("smooth")),
                    html.Span(id=ids("smoothing"), className="field"),
                ],
                className="smoothing",
            ),
            html.Button(_("Log scale"), id=ids("log"), className="button", type="button", **named),
            html.Button(_("Show everything"), id=ids("reset"), className="button", type="button", hidden=True),
            share_menu(),
        ],
        className="controls",
    )


def axis_choice() -> Component:
    """By what the runs are put side by side."""
    words = {"step": _("Step"), "relative": _("Steps since its first"), "tokens": _("Tokens")}
    buttons = [html.Button(words[one], type="button", **attributes(aria_pressed="false", data_x=one)) for one in AXES]
    return html.Div(buttons, className="choice", role="group", **attributes(aria_label=_("X axis")))


def curves_card() -> Component:
    """All lines."""
    title = [html.H2(_("Curves")), html.Span(_("drag to zoom, double-click for all"), className="hint")]
    figure = html.Div(
        id=ids("figure"), className="compare-figure", role="img", **attributes(aria_label=_("Curves of the runs"))
    )
    return html.Section([html.Header(title), figure], className="card")


def sides_card() -> Component:
    """The runs in numbers."""
    title = [html.H2(_("Runs")), html.Span(_("point at a name to bring its line forward"), className="hint")]
    return html.Section([html.Header(title), html.Div(id=ids("table"), className="sides-frame")], className="card")


def settings_card() -> Component:
    """The configuration of the runs."""
    named = attributes(aria_pressed="false")
    title = [
        html.H2(_("Configuration")),
        html.Span(_("what differs; secrets are masked where they are read"), className="hint"),
        html.Div(
            [
                html.Span(id=ids("search"), className="field search-field"),
                html.Button(_("All settings"), id=ids("all"), className="button", type="button", **named),
            ],
            className="controls",
        ),
    ]
    return html.Section(
        [html.Header(title), html.Div(id=ids("settings"), className="settings-frame")], className="card"
    )
