"""The row of short verdicts under the header, good news included. Pure."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from app.figures import numbers
from app.pages.shown import RunShown
from app.pages.verdicts import Badge, badges


def badge_row(run: RunShown) -> list[Component]:
    """The badges as a list."""
    return [html.Ul([show(badge) for badge in badges(run)], className="badges")]


def show(badge: Badge) -> Component:
    """One badge."""
    number = [html.B(numbers.count(badge.count))] if badge.count is not None else []
    return html.Li([*number, badge.text], className=f"badge {badge.tone}")
