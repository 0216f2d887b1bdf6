"""The menu "Share" over curves and over the map of ranks: everything that one can do with it, whoever does it.

assets/share-menu.js opens it; each act is connected by the script that does it (assets/acts.js), and an act that nobody
connected on this page is not shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from app.language import gettext as _
from app.markup import attributes

MENU = "share-menu"


def entries() -> Sequence[tuple[str, str]]:
    """What the menu offers, by the name of the act; an ellipsis stands where a dialog asks first."""
    return (
        ("link", _("Copy link")),
        ("link-steps", _("Copy link to these steps")),
        ("freeze", _("Freeze a snapshot …")),
        ("snapshots", _("Snapshots of this run …")),
        ("png", _("Save PNG")),
        ("svg", _("Save SVG")),
        ("copy-picture", _("Copy picture")),
        ("data", _("Download data …")),
        ("bundle", _("Incident bundle …")),
        ("note", _("Add a note …")),
    )


def share_menu() -> Component:
    """The button, and the menu that it opens."""
    shown = attributes(aria_haspopup="menu", aria_expanded="false", aria_controls=MENU)
    opener = html.Button(_("Share"), id="share", className="button share", type="button", **shown)
    return html.Div([opener, menu()], className="share-part")


def menu() -> Component:
    """One item an act, each hidden until the script finds who does it."""
    items = [
        html.Button(text, type="button", role="menuitem", tabIndex="-1", hidden=True, **attributes(data_act=act))
        for act, text in entries()
    ]
    named = attributes(aria_label=_("Share"))
    return html.Div(items, id=MENU, className="menu share-menu", role="menu", hidden=True, **named)
