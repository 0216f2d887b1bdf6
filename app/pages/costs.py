"""The card that says what watching a run costs, and which setting would cost less. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dash import html
from dash.development.base_component import Component

from app.figures import numbers
from app.language import gettext as _
from app.language import ngettext
from app.pages.shown import RunShown
from app.series.costs import FLUSH_SECONDS, QUEUE_USUAL, Code, Costs, Growth, Hint, Lag


def costs_card(run: RunShown) -> list[Component]:
    """Heading, facts, hints; nothing while no file was read."""
    if run.books is None or not run.books.costs.growth:
        return []
    known = run.books.costs
    hint = html.Span(_("as far as the files are read"), className="hint")
    top = html.Header([html.H2(_("What watching costs")), hint])
    facts = html.Dl([html.Div([html.Dt(name), html.Dd(value)]) for name, value in rows(known)], className="costs-facts")
    return [top, html.Div([facts, hints(known)], className="costs")]


def rows(known: Costs) -> list[tuple[str, str]]:
    """What is known, in words."""
    found = [(source_name(one), growth(one)) for one in known.growth]
    found.append((_("Points"), points(known)))
    if known.every is not None and known.step_ms is not None:
        found.append((_("Log lines"), every(known.every, known.step_ms)))
    if known.lag is not None:
        found.append((_("Event files behind the log"), late(known.lag)))
    return found


def source_name(one: Growth) -> str:
    """What grows."""
    names = {"log": _("Logs"), "tensorboard": _("TensorBoard event files"), "mindspore": _("MindSpore summary files")}
    return names[one.source]


def growth(one: Growth) -> str:
    """How much, and how fast."""
    said = ngettext("%(size)s in %(num)d file", "%(size)s in %(num)d files", one.files, size=numbers.size(one.bytes))
    return said if one.per_hour is None else said + _(", %(size)s an hour", size=numbers.size(one.per_hour))


def points(known: Costs) -> str:
    """How many, in how many series, how often."""
    count = numbers.count(known.points) if known.points < 100_000 else numbers.compact(known.points)
    said = ngettext("%(count)s in %(num)d series", "%(count)s in %(num)d series", known.series, count=count)
    if known.points_per_second is None:
        return said
    return said + _(", %(rate)s a second", rate=numbers.compact(known.points_per_second))


def every(steps: float, step_ms: float) -> str:
    """How often the log has a line."""
    seconds = numbers.milliseconds(steps * step_ms)
    if round(steps) == 1:
        return _("every step, %(time)s apart", time=seconds)
    return _("every %(count)s steps, %(time)s apart", count=numbers.count(steps), time=seconds)


def late(lag: Lag) -> str:
    """How far, and what of it the writer's settings explain."""
    if not lag.steps:
        said = _("not at all")
    else:
        said = ngettext("%(num)d step", "%(num)d steps", lag.steps)
        said += "" if lag.seconds is None else f" ({numbers.duration(round(lag.seconds, 1))})"
    flush = numbers.duration(FLUSH_SECONDS)
    if lag.queue is None:
        return said + _("; the writer holds back up to its queue, for %(flush)s at most", flush=flush)
    return said + _(
        "; its queue holds %(size)s values, for %(flush)s at most", size=numbers.count(lag.queue), flush=flush
    )


def hints(known: Costs) -> Component:
    """One sentence and one key each, or that nothing is wrong."""
    if not known.hints:
        return html.P(_("No setting seen here is costly for this run's cadence."), className="costs-fine")
    return html.Ul([hint(one) for one in known.hints], className="costs-hints")


def hint(one: Hint) -> Component:
    """Why, and what to change."""
    change = html.Code(f"{one.key}: {one.value}")
    return html.Li([html.Span(WHY[one.code](one)), html.Span([_("Set"), " ", change], className="change")])


def print_often(one: Hint) -> str:
    """Every step is printed."""
    return _(
        "Every step is printed, and a step takes %(time)s: the host writes lines that nobody can read as fast.",
        time=numbers.milliseconds(one.number),
    )


def write_often(one: Hint) -> str:
    """Every step is written."""
    return _(
        "Every step goes into the event file, and a step takes %(time)s: a curve needs fewer points.",
        time=numbers.milliseconds(one.number),
    )


def monitor_long(one: Hint) -> str:
    """The state monitor in a long run."""
    return _(
        "The training-state monitor has been on for %(time)s: it slows each step down and is made for debugging.",
        time=numbers.duration(one.number * 3600),
    )


def many_series(one: Hint) -> str:
    """The state monitor on many ranks and parameters."""
    return _(
        "The training-state monitor writes %(count)s series, one a rank and parameter: restrict it, for example to "
        "the parameters in question.",
        count=numbers.count(one.number),
    )


def queue_large(one: Hint) -> str:
    """A large queue of the event writer."""
    return _(
        "The event writer holds back up to %(count)s values (usual: %(usual)d): curves come late, a crash loses them, "
        "and they cost memory.",
        count=numbers.count(one.number),
        usual=QUEUE_USUAL,
    )


def writer_late(one: Hint) -> str:
    """Event files far behind the log."""
    return _(
        "Event files are %(time)s behind the log: their writer empties its queue when it is full, or after %(flush)s.",
        time=numbers.duration(round(one.number)),
        flush=numbers.duration(FLUSH_SECONDS),
    )


WHY: Mapping[Code, Callable[[Hint], str]] = {
    "print_often": print_often,
    "write_often": write_often,
    "monitor_long": monitor_long,
    "many_series": many_series,
    "queue_large": queue_large,
    "writer_late": writer_late,
}
