"""The card beside the curves: what happened, newest first. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from app.figures import numbers
from app.language import gettext as _
from app.language import ngettext
from app.markup import attributes
from app.pages.sentences import sentence
from app.pages.shown import RunShown
from app.series.happening import Happening
from app.words.states import event_word

SHOWN = 60  # newest events in the card; the API has more


def event_card(run: RunShown) -> list[Component]:
    """Heading, count and list."""
    top = html.Header([html.H2(_("Events")), html.Span(summary(run.events), className="hint")])
    return [top, event_list(run.events, ranks=len(run.ranks))]


def event_list(events: Sequence[Happening], *, ranks: int = 2) -> Component:
    """The newest events, or a sentence when there are none. Of a run of one rank the rank need not be said."""
    if not events:
        return html.P(
            _("Starts, checkpoints, evaluations, overflows and errors will be listed here."), className="events-empty"
        )
    rows = [show(event, at, ranks > 1) for event, at in zip(events[:SHOWN], whereabouts(events), strict=False)]
    return html.Ol(rows, className="events")


def whereabouts(events: Sequence[Happening]) -> list[int]:
    """At which step the run was at each of the events, newest first: what names no step happened after what did."""
    found, at = [], 0
    for event in reversed(events):
        at = at if event.step is None else event.step
        found.append(at)
    return found[::-1]


def summary(events: Sequence[Happening]) -> str:
    """ "12 events", or how many of them are listed."""
    if len(events) > SHOWN:
        return _("newest %(shown)d of %(all)d", shown=SHOWN, all=len(events))
    return ngettext("%(num)d event", "%(num)d events", len(events)) if events else ""


def show(event: Happening, at: int, of_many: bool) -> Component:
    """One event: its kind in words, where, when; what its numbers say or the line that tells it; its log, where the run
    was ``at`` a step."""
    word = event_word(event.kind)
    what: list[Component] = [html.Span(str(word.text), className=f"kind {word.tone}")]
    if where := place(event, of_many=of_many):
        what.append(html.Span(where, className="where"))
    if event.wall is not None:
        what.append(html.Time(**attributes(data_clock=str(event.wall))))
    numbered = sentence(event)
    told = [html.P(numbered or event.text, title=event.text, className="told")] if numbered or event.text else []
    row = [html.Div(what, className="what"), html.Div([*told, way_to_log(event, at)], className="how")]
    return html.Li(row, className="event", **attributes(data_kind=event.kind))


def way_to_log(event: Happening, at: int) -> Component:
    """A button that opens the log where it tells of the event."""
    rank = event.ranks[0] if event.ranks else 0
    label = _("Log of rank %(rank)d at step %(step)s", rank=rank, step=numbers.count(at))
    named = attributes(data_log=f"{rank}@{at}", aria_label=label)
    return html.Button(_("Log"), className="to-log", type="button", title=label, **named)


def place(event: Happening, *, of_many: bool = True) -> str:
    """The step or steps, and the rank where one alone tells."""
    parts = [] if event.step is None else [steps(event.step, event.last_step)]
    if len(event.ranks) == 1 and of_many:
        parts.append(_("rank %(rank)d", rank=event.ranks[0]))
    elif len(event.ranks) > 1:
        parts.append(_("%(count)d ranks", count=len(event.ranks)))
    return _(", ").join(parts)


def steps(first: int, last: int | None) -> str:
    """One step, or the first and last of a burst."""
    if last is None or last == first:
        return _("step %(step)s", step=numbers.count(first))
    return _("steps %(first)s to %(last)s", first=numbers.count(first), last=numbers.count(last))
