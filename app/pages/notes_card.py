"""The card of notes beside the curves: its head and its list, empty; assets/notes.js fills them."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from app.language import gettext as _
from app.markup import attributes


def notes_card(run_id: str) -> Component:
    """The card that assets/notes.js finds by its data-notes."""
    add = html.Button(_("Add a note …"), className="button notes-add", type="button", hidden=True)
    parts = [
        html.Header([html.H2(_("Notes")), html.Span(className="hint notes-count"), add]),
        html.Div(className="notes-form"),
        html.P(_("Reading…"), className="notes-note"),
        html.Ol(className="notes-list", hidden=True, **attributes(aria_label=_("Notes"))),
        html.P(className="hidden-text notes-news", role="status"),
    ]
    return html.Section(parts, className="card notes", **attributes(data_notes=run_id))
