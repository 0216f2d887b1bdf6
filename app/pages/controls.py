"""The bar over the curves: how much of the run, counted in what, how smooth. assets/controls.js connects it.

Text fields and sliders are made by the script, from data-field: their values are the view's (assets/state.js), and a
field that React keeps would be put back to what React knows.
"""

from __future__ import annotations

import json
from typing import Any

from dash import html
from dash.development.base_component import Component

from app.figures import numbers
from app.ids import Ids
from app.language import gettext as _
from app.markup import attributes

ids = Ids("run")
RANGES = (500, 2_000)  # steps of the buttons "Last 500" and "Last 2,000"
MOST_STEPS = 999_999_999  # what the address can spell (assets/state.js)


def controls() -> Component:
    """Everything in one row; the rarer ones behind "More"."""
    return html.Div([newest(), axis(), smoothing(), clipping(), add_panel(), more()], className="controls")


def newest() -> Component:
    """The newest steps, which the page follows, or all of them."""
    ranges = [button(_("Last %(steps)s", steps=numbers.count(steps)), data_view=f"last-{steps}") for steps in RANGES]
    wanted = {"type": "number", "min": 1, "max": MOST_STEPS, "step": 1, "inputMode": "numeric", "placeholder": "n"}
    own = field("last-steps", label=_("Newest steps to follow"), **wanted)
    return html.Div(
        [*ranges, own, button(_("All"), data_view="all")],
        className="choice",
        role="group",
        **attributes(aria_label=_("Steps shown")),
    )


def button(text: str, **values: str) -> Component:
    """A button that stays pressed; the script presses it."""
    return html.Button(text, type="button", **attributes(aria_pressed="false", **values))


def field(name: str, *, label: str = "", **properties: object) -> Component:
    """Where the script puts an input with these properties and the id ``name``."""
    told = {"id": name, **({"ariaLabel": label, "title": label} if label else {}), **properties}
    return html.Span(className="field", **attributes(data_field=json.dumps(told)))


def axis() -> Component:
    """What x counts; the script says of each kind that cannot be had why not."""
    kinds = (
        ("step", _("Step")),
        ("samples", _("Samples")),
        ("tokens", _("Tokens")),
        ("relative", _("Time since the start")),
        ("wall", _("Wall clock")),
    )
    return labelled(_("X axis"), "x-kind", kinds)


def labelled(text: str, name: str, options: tuple[tuple[str, str], ...]) -> Component:
    """A choice of one, with its name before it."""
    choices = [html.Option(said, value=value) for value, said in options]
    return html.Div([html.Label(text, htmlFor=name), html.Select(choices, id=name)], className="labelled")


def smoothing() -> Component:
    """0 to 0.999 by slider or by number; the browser smooths."""
    scale: dict[str, Any] = {"min": 0, "max": 0.999, "step": 0.001}
    return html.Div(
        [
            html.Label(_("Smoothing"), htmlFor=ids("smoothing")),
            field(ids("smoothing"), type="range", **scale),
            field("smoothing-number", label=_("Smoothing, 0 to 0.999"), type="number", inputMode="decimal", **scale),
        ],
        className="smoothing",
    )


def clipping() -> Component:
    """Whether a few outliers may leave the panel, which marks and counts them."""
    title = _("The panels show what most values need; those outside are marked at the edge and counted")
    named = attributes(aria_pressed="false")
    return html.Button(_("Clip outliers"), id="clip", className="button", type="button", title=title, **named)


def add_panel() -> Component:
    """Opens the search for tags (assets/tags.js)."""
    return html.Button(_("Add panel"), id="add-panel", className="button", type="button")


def more() -> Component:
    """What is rarely wanted. The script fills in the attempts, and hides their choice where there is one alone."""
    attempts = (("stitched", _("Stitched")), ("all", _("All, one line each")))
    named = attributes(aria_pressed="false")
    title = _("Shade what lies between training and evaluation loss")
    gap = html.Button(_("Show the gap"), id="gap", className="button", type="button", title=title, **named)
    rare = [html.Div(labelled(_("Attempts"), "attempts", attempts), id="attempts-choice", hidden=True), gap]
    opener = html.Summary(_("More"), className="button")
    return html.Details([opener, html.Div(rare, className="rare")], className="more")
