"""The row of short verdicts under the header, good news included. Pure."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from app.figures import numbers
from app.markup import attributes
from app.pages.shown import RunShown
from app.pages.verdicts import Badge, badges


def badge_row(run: RunShown) -> list[Component]:
    """The badges as a list."""
    return [html.Ul([show(badge) for badge in badges(run)], className="badges")]


def show(badge: Badge) -> Component:
    """One badge; assets/alerts.js opens the alert of one that has any."""
    number = [html.B(numbers.count(badge.count))] if badge.count is not None else []
    look = f"badge {badge.tone}".strip()
    if not badge.alert:
        return html.Li([*number, badge.text], className=look)
    opens = attributes(data_alert=badge.alert)
    return html.Li(html.Button([*number, badge.text], className=look, type="button", **opens))
