"""The card beside the curves: what happened, newest first. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from app.figures import numbers
from app.language import gettext as _
from app.language import ngettext
from app.markup import attributes
from app.pages.shown import EventShown, RunShown
from app.words.states import event_word

SHOWN = 60  # newest events in the card; the API has more


def event_card(run: RunShown) -> list[Component]:
    """Heading, count and list."""
    top = html.Header([html.H2(_("Events")), html.Span(summary(run.events), className="hint")])
    return [top, event_list(run.events, ranks=len(run.ranks))]


def event_list(events: Sequence[EventShown], *, ranks: int = 2) -> Component:
    """The newest events, or a sentence when there are none. Of a run of one rank the rank need not be said."""
    if not events:
        return html.P(
            _("Starts, checkpoints, evaluations, overflows and errors will be listed here."), className="events-empty"
        )
    return html.Ol([show(event, ranks > 1) for event in events[:SHOWN]], className="events")


def summary(events: Sequence[EventShown]) -> str:
    """ "12 events", or how many of them are listed."""
    if len(events) > SHOWN:
        return _("newest %(shown)d of %(all)d", shown=SHOWN, all=len(events))
    return ngettext("%(num)d event", "%(num)d events", len(events)) if events else ""


def show(event: EventShown, of_many: bool) -> Component:
    """One event: its kind in words, where, when, and the line that tells it."""
    word = event_word(event.kind)
    what: list[Component] = [html.Span(str(word.text), className=f"kind {word.tone}")]
    if where := place(event, of_many=of_many):
        what.append(html.Span(where, className="where"))
    if event.wall is not None:
        what.append(html.Time(**attributes(data_clock=str(event.wall))))
    told = [html.P(event.text, title=event.text)] if event.text else []
    return html.Li([html.Div(what, className="what"), *told], className="event")


def place(event: EventShown, *, of_many: bool = True) -> str:
    """The step or steps, and the rank where one alone tells."""
    parts = [] if event.step is None else [steps(event.step, event.last_step)]
    if len(event.ranks) == 1 and of_many:
        parts.append(_("rank %(rank)d", rank=event.ranks[0]))
    elif len(event.ranks) > 1:
        parts.append(_("%(count)d ranks", count=len(event.ranks)))
    return ", ".join(parts)


def steps(first: int, last: int | None) -> str:
    """One step, or the first and last of a burst."""
    if last is None or last == first:
        return _("step %(step)s", step=numbers.count(first))
    return _("steps %(first)s to %(last)s", first=numbers.count(first), last=numbers.count(last))
