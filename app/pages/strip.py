"""What stands below the curves, empty: attempt ribbon and event strip, which assets/timeline.js fills, and the log's
drawer, which assets/drawer.js fills."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from app.language import gettext as _
from app.markup import attributes


def lanes() -> tuple[tuple[str, str, str], ...]:
    """The strip's lanes as assets/event-shapes.js spells them: name in the margin, and what it holds."""
    return (
        ("run", _("Starts"), _("Start, compilation, resume, restart, end")),
        ("saved", _("Eval/save"), _("Checkpoints and evaluations")),
        ("scale", _("Optimiser"), _("Loss scale, overflow, skipped batches, learning rate")),
        ("trouble", _("Trouble"), _("Errors, NaN, gradient norm, silent data corruption")),
    )


def timeline(run_id: str) -> Component:
    """Ribbon, strip, filter and the tip over them; hidden as far as there is nothing to show."""
    rows = [
        html.Div(
            html.Span(name, className="lane-name", title=holds), className="strip-lane", **attributes(data_lane=lane)
        )
        for lane, name, holds in lanes()
    ]
    marks, chips = attributes(aria_label=_("Events along the axis")), attributes(aria_label=_("Kinds of event shown"))
    bands = [
        html.Div(rows, className="strip-lanes", role="toolbar", **marks),
        html.Div(className="strip-chips", role="group", **chips),
        html.P(className="strip-more"),
    ]
    strip = html.Div(bands, className="strip", hidden=True)
    tip = html.Div(className="strip-tip", role="tooltip", hidden=True)
    return html.Div([note_lane(), ribbon(), strip, tip], className="timeline", **attributes(data_timeline=run_id))


def note_lane() -> Component:
    """One button a note, or a few that lie near one another (assets/note-marks.js)."""
    name = html.Span(_("Notes"), className="lane-name")
    named = attributes(aria_label=_("Notes along the axis"))
    return html.Div(name, className="strip-lane note-lane", role="toolbar", hidden=True, **named)


def ribbon() -> Component:
    """One button an attempt."""
    band = html.Div(className="ribbon-band", role="toolbar", **attributes(aria_label=_("Attempts")))
    return html.Div([html.Span(_("Attempts"), className="lane-name"), band], className="ribbon", hidden=True)


def log_drawer(run_id: str) -> Component:
    """The panel that shows a rank's log, beside the page, which stays usable."""
    return html.Section(className="drawer", hidden=True, **attributes(data_drawer=run_id))
