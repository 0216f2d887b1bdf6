"""What stands over a frozen page: of when it is, by whom, until when, and the way to the run itself. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from app.figures import numbers
from app.language import gettext as _
from app.markup import attributes
from app.sharing.shelf import Opened
from app.sharing.snapshot import End


def banner(opened: Opened, live: str, step: int | None) -> Component:
    """``live`` is the address of the run as it goes on, ``step`` the newest one then."""
    label = opened.label
    said: list[Component | str] = [html.Strong(_("Frozen snapshot")), " · ", clock(label.created)]
    if step is not None:
        said += [" · ", _("step %(step)s", step=numbers.count(step))]
    if label.author:
        said += [" · ", _("by %(name)s", name=label.author)]
    said += [" · ", _("opens until"), " ", clock(label.expires)]
    way = html.A(_("Open the live run"), href=live, className="button", target="_blank", rel="noreferrer")
    lines: list[Component] = [html.Div([html.P(said), way], className="frozen-line")]
    lines += [html.P(one, className="frozen-folded") for one in folded(opened.store.ended())]
    return html.Section(lines, className="card frozen", **attributes(aria_label=_("Frozen snapshot")))


def clock(seconds: float) -> Component:
    """A moment in the reader's time."""
    return html.Time(**attributes(data_clock=str(round(seconds))))


def folded(ends: Sequence[End]) -> list[str]:
    """What is not shown point by point; nothing where all of it is."""
    count = sum(one.folded for one in ends)
    if not count:
        return []
    points, kept = sum(one.written for one in ends), sum(one.kept for one in ends)
    return [
        _(
            "%(folded)s of %(points)s points had been folded to save room: %(kept)s of them are shown, with every "
            "extreme; the others exactly as they were.",
            folded=numbers.count(count),
            points=numbers.count(points),
            kept=numbers.count(kept),
        )
    ]
