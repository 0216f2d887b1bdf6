"""The card of a run's configuration: how it is laid out over its devices, and every setting that its files tell.

It is no part that the clock renews: settings never change, and a renewed card would fold itself under the reader's
hands. assets/settings.js fills it, and shows it as soon as a setting is known.
"""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from app.language import gettext as _
from app.markup import attributes


def configuration_card(run_id: str) -> Component:
    """Folded, so that the page stays short."""
    return html.Details(
        [
            html.Summary([html.H2(_("Configuration")), html.Span(className="hint")]),
            html.Dl(className="layout"),
            html.Span(className="field search-field"),
            html.Div(className="settings-frame"),
        ],
        className="card configuration unknown",
        **attributes(data_settings=run_id),
    )
