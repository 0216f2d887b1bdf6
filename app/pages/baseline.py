"""The line under the controls that says how the run does against earlier ones, and the dialog that chooses them.
assets/baseline.js fills both; which runs were chosen is in the address (``base=a,b``)."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from app.ids import Ids
from app.language import gettext as _
from app.markup import attributes

ids = Ids("baseline")


def baseline_line() -> Component:
    """The button, the sentence and the dialog."""
    opener = html.Button(_("Baseline…"), id=ids("open"), className="button", type="button")
    said = html.Span(id=ids("said"), className="baseline-said", role="status")
    return html.Div([opener, said, dialog()], className="baseline")


def dialog() -> Component:
    """Which earlier runs are drawn behind this one."""
    acts = [
        html.Button(_("Close"), id=ids("close"), className="button", type="button"),
        html.Button(_("No baseline"), id=ids("clear"), className="button", type="button"),
        html.Button(_("Draw"), id=ids("draw"), className="button primary", type="button"),
    ]
    return html.Dialog(
        [
            html.H2(_("Earlier runs behind this one"), id=ids("title")),
            html.P(_("One run makes a band of its usual scatter; several make a band from the lowest to the highest.")),
            html.Span(id=ids("search"), className="field search-field"),
            html.Ul(id=ids("choices"), className="baseline-choices"),
            html.Div(acts, className="acts"),
        ],
        id=ids("dialog"),
        className="baseline-dialog",
        **attributes(aria_labelledby=ids("title")),
    )
