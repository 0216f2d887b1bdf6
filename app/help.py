"""The help dialog: keys and gestures, opened by "?". assets/keys.js, board.js and ranks-hands.js act on them."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from app.language import gettext as _
from app.markup import attributes

Rows = Sequence[tuple[Sequence[str], str]]  # keys or gestures that do the same, and what they do


def help_dialog() -> Component:
    """Everything that a key, a pointer or a finger does."""
    title = html.H2(_("Keys"), id="help-title")
    everywhere = html.Div([title, told(keys()), html.H2(_("Pointer and touch")), told(hands())])
    on_map = html.Div([html.H2(_("On the rank map")), told(ranks())])
    close = html.Button(_("Close"), id="help-close", className="button", type="button")
    return html.Dialog(
        [html.Div([everywhere, on_map], className="help-parts"), close],
        id="help",
        className="help",
        **attributes(aria_labelledby="help-title"),
    )


def keys() -> Rows:
    """Those of every page."""
    return (
        (("/", _("Ctrl + K")), _("search in runs or tags")),
        (("t", _("Alt + M")), _("light or dark")),
        (("r",), _("refresh now")),
        (("s",), _("set the smoothing")),
        (("n",), _("write a note")),
        (("?", _("Ctrl + /")), _("this help")),
        (("←", "→"), _("panel before or after, at full size")),
        (("Home", "End"), _("first or last panel, at full size")),
        (("Esc",), _("close, leave a field or the full size")),
    )


def hands() -> Rows:
    """What the curves do under a pointer."""
    return (
        ((_("Drag"),), _("zoom all panels")),
        ((_("Double click"),), _("show the whole run again")),
        ((_("Alt or Ctrl + wheel"),), _("zoom around the pointer")),
        (("⋮",), _("what can be done with a panel")),
    )


def ranks() -> Rows:
    """Keys while the map has the focus, and what a pointer does there."""
    return (
        (("←", "→", "↑", "↓"), _("read the cells")),
        (("Home", "End"), _("first or last step")),
        (("PgUp", "PgDn"), _("ten rows up or down")),
        (("Enter", _("Click")), _("choose the cell, or fold the row")),
        (("+", "−"), _("unfold, fold")),
        ((_("Shift + ← →"), "Enter"), _("mark steps, zoom to them")),
        (("0", _("Double click")), _("show every step again")),
        ((_("Drag"),), _("zoom to steps")),
        (("Esc",), _("close the chosen rank")),
    )


def told(rows: Rows) -> Component:
    """Keys or gestures, and what each does; several before one sentence do the same."""
    return html.Dl(
        [
            part
            for keys, does in rows
            for part in (html.Dt([html.Kbd(key) for key in keys], className="keys"), html.Dd(does))
        ]
    )
