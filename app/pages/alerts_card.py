"""The card of alerts beside the curves: its head, its filters and its lists, all empty; assets/alerts.js fills them."""

from __future__ import annotations

from dash import dcc, html
from dash.development.base_component import Component

from app.language import gettext as _
from app.markup import attributes


def alerts_card(run_id: str) -> Component:
    """The card that assets/alerts.js finds by its data-alerts."""
    count = html.Span(className="hint alerts-count")
    over = html.Details([html.Summary(), alert_list(_("Alerts that are over"))], className="alerts-past", hidden=True)
    parts = [
        html.Header([html.H2(_("Alerts")), count]),
        filters(),
        html.P(_("Reading…"), className="alerts-note"),
        html.Div([alert_list(_("Alerts")), over], className="alerts-lists"),
        html.P(className="hidden-text alerts-news", role="status"),
    ]
    return html.Section(parts, className="card alerts", **attributes(data_alerts=run_id))


def alert_list(label: str) -> Component:
    """An empty list."""
    return html.Ol(className="alerts-list", **attributes(aria_label=label))


def filters() -> Component:
    """By rule, by severity, by rank; hidden while there is little to choose from."""
    chosen = [("about", _("All rules")), ("severity", _("All severities"))]
    selects = [
        html.Label([html.Span(words, className="hidden-text"), html.Select(html.Option(words, value=""), name=name)])
        for name, words in chosen
    ]
    hint = _("Rank")
    rank = html.Label([html.Span(hint, className="hidden-text"), number_field(hint)])
    return html.Form([*selects, rank], className="alerts-filters", hidden=True)


def number_field(hint: str) -> Component:
    """A field for the number of a rank."""
    return dcc.Input(type="text", placeholder=hint, name="rank", autoComplete="off", inputMode="numeric")
