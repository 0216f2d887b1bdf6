"""The parts of a bundle's page, as elements. Whatever is foreign in them is text, its unseen characters spelled.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import cast

from dash import html
from dash.development.base_component import Component

from app.api.answers import Json
from app.figures.numbers import count
from app.incident.drawing import RANKS
from app.incident.finding_part import finding
from app.incident.report import Event, LogSlice, Panel, Report
from app.language import gettext as _
from app.language import ngettext
from app.markup import attributes
from app.notes.plain import shown

Parts = Sequence[Component]
Told = Mapping[str, Json]


def body(report: Report, held: Sequence[str]) -> Parts:
    """The whole page."""
    several = [
        ("curves", _("Curves"), _curves(report.panels)),
        ("findings", _("Findings"), _findings(report)),
        ("notes", _("Notes"), [_note(one) for one in report.notes]),
        ("events", _("Events"), _events(report.events)),
        ("logs", _("Logs"), [_log(one) for one in report.logs]),
        ("configuration", _("Configuration"), _configuration(report)),
        ("facts", _("The run"), _facts(report)),
        ("about", _("About this file"), _about(report, held)),
    ]
    there = [(key, title, content) for key, title, content in several if content]
    sections = [
        html.Section(
            [html.H2(title, id=f"{key}-title"), *content], id=key, **attributes(aria_labelledby=f"{key}-title")
        )
        for key, title, content in there
    ]
    links = [html.A(title, href=f"#{key}") for key, title, _content in there]
    return [_top(report, links), html.Main(sections)]


def steps(first: int, last: int) -> str:
    """ "step 5", "steps 5 to 9"."""
    if first == last:
        return _("step %(step)s", step=count(first))
    return _("steps %(first)s to %(last)s", first=count(first), last=count(last))


def moment(wall: float | None) -> str:
    """In UTC: who reads it may be anywhere."""
    if wall is None:
        return ""
    try:
        return datetime.fromtimestamp(wall, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return ""


def _top(report: Report, links: Parts) -> Component:
    head, first = report.head, next(iter(report.findings), None)
    lead = (
        []
        if first is None
        else [html.P(shown(_("%(what)s: %(why)s", what=first["name"], why=first["says"])), className="lead")]
    )
    at = [] if head.step is None else [_("step %(step)s", step=count(head.step))]
    if head.step is not None and head.total:
        at = [_("step %(step)s of %(total)s", step=count(head.step), total=count(head.total))]
    ranks = [ngettext("%(num)d rank", "%(num)d ranks", head.ranks)] if head.ranks else []
    made = _("made %(time)s", time=moment(head.made))
    told = _(" · ").join([steps(head.stretch.first, head.stretch.last), *at, *ranks, made])
    state = html.Span(head.state, className=f"state {head.tone}".strip())
    named = attributes(aria_label=_("Parts of this page"))
    parts = [
        html.H1(shown(head.name)),
        html.P([state, " ", html.Span(told, className="quiet")]),
        html.Nav(links, **named),
    ]
    return html.Header([*parts[:2], *lead, parts[2]], className="top")


def _curves(panels: Sequence[Panel]) -> Parts:
    if not panels:
        return [html.P(_("There are no points to show."), className="quiet")]
    ways = (
        ("in", _("Zoom in")), ("out", _("Zoom out")), ("left", _("Earlier")), ("right", _("Later")), ("all", _("All")),
    )  # fmt: skip
    buttons = [html.Button(text, type="button", **attributes(data_zoom=key)) for key, text in ways]
    shown_steps = html.Span(id="window", className="quiet number", role="status")
    bar = html.Div([*buttons, shown_steps], className="bar", role="group", **attributes(aria_label=_("Zoom")))
    hint = html.P(
        _("Drag across a panel to zoom all of them; a double click shows everything again."), className="quiet"
    )
    return [hint, bar, *(_panel(one) for one in panels)]


def _panel(panel: Panel) -> Component:
    totals = [one.total for one in panel.lines]
    total = max(totals, default=0) if panel.key.startswith(RANKS) else sum(totals)
    told = _("%(points)s points", points=count(total))
    more = sum(one.hidden for one in panel.lines)
    strange = sum(len(one.spans) for one in panel.lines) + more
    odd = [ngettext("%(num)d stretch of NaN or Inf", "%(num)d stretches of NaN or Inf", strange)] if strange else []
    title = html.H3(shown(panel.title), id=f"panel-{panel.key}")
    log = html.Button(_("Log axis"), type="button", **attributes(data_log=panel.key, aria_pressed="false"))
    head = html.Div(
        [
            title,
            html.Span(_(" · ").join([*([panel.unit] if panel.unit else []), told, *odd]), className="quiet number"),
            log,
        ],
        className="panel-head",
    )
    plot = html.Div(id=f"plot-{panel.key}", className="plot", role="img", **attributes(aria_label=shown(panel.title)))
    return html.Div([head, plot], className="panel")


def _findings(report: Report) -> Parts:
    if not report.findings:
        return [html.P(_("No finding lies in these steps."), className="quiet")]
    return [finding(one, number) for number, one in enumerate(report.findings, 1)]


def _note(note: Told) -> Component:
    first, last = (cast(int, note[name]) for name in ("first", "last"))
    where = steps(first, last)
    said = _(" · ").join(
        [one for one in (where, shown(str(note["author"])), moment(cast(float, note["created"]))) if one]
    )
    way = html.Button(_("Show"), type="button", **attributes(data_steps=f"{first},{last}"))
    return html.Article(
        [html.Div([html.H3(said), way], className="what"), html.Pre(shown(str(note["text"])), className="note")]
    )


def _events(events: Sequence[Event]) -> Parts:
    if not events:
        return []
    head = html.Tr([html.Th(one, scope="col") for one in (_("Step"), _("Time"), _("What happened"), _("Details"))])
    rows = [_event(one) for one in events]
    table = html.Table([html.Thead(head), html.Tbody(rows)])
    told = ngettext("%(num)d event", "%(num)d events", len(events))
    return [html.Details([html.Summary(told), html.Div(table, className="wide")], open=len(events) <= 60)]


def _event(event: Event) -> Component:
    step = "" if event.step is None else count(event.step)
    if event.last_step is not None and event.last_step != event.step:
        step = f"{step}–{count(event.last_step)}"
    what = html.Span(event.what, className=event.tone)
    ranks = _(" (rank %(rank)d)", rank=event.ranks[0]) if len(event.ranks) == 1 else ""
    cells = [html.Td(step, className="number"), html.Td(moment(event.wall), className="number")]
    return html.Tr([*cells, html.Td([what, ranks]), html.Td(shown(event.said))])


def _log(log: LogSlice) -> Component:
    rank = _("The run") if log.rank is None else _("Rank %(rank)d", rank=log.rank)
    told = [
        one
        for one in (rank, shown(log.host), shown(log.file), _("around step %(step)s", step=count(log.around)))
        if one
    ]
    if not log.lines:
        return html.Article([html.H3(_(" · ").join(told)), html.P(shown(log.why), className="quiet")])
    inside = html.Pre(list(_lines(log)), tabIndex="0", role="region", **attributes(aria_label=_(" · ").join(told)))
    return html.Article([html.H3(_(" · ").join(told)), inside])


def _lines(log: LogSlice) -> Iterator[Component | str]:
    wide = len(str((log.number or 0) + len(log.lines)))
    for at, line in enumerate(log.lines):
        if log.number is not None:
            yield html.Span(f"{log.number + at:>{wide}}  ", className="line")
        text = shown(line)
        yield html.Mark(text) if at == log.match else text
        yield "\n"


def _configuration(report: Report) -> Parts:
    """By section, folded; what stands alone in its section first, unfolded."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for key, value in report.configuration.items():
        groups.setdefault(key.partition(".")[0], []).append((key, value))
    alone = [row for rows in groups.values() if len(rows) == 1 for row in rows]
    return [
        *([html.Div(_table(alone), className="wide")] if alone else []),
        *(_group(name, rows) for name, rows in groups.items() if len(rows) > 1),
    ]


def _group(name: str, rows: Sequence[tuple[str, str]]) -> Component:
    summary = html.Summary([shown(name), html.Span(f" ({len(rows)})", className="quiet")])
    return html.Details([summary, html.Div(_table(rows), className="wide")])


def _table(rows: Sequence[tuple[str, str]]) -> Component:
    return html.Table(
        html.Tbody([html.Tr([html.Th(shown(key), scope="row"), html.Td(shown(one))]) for key, one in rows])
    )


def _facts(report: Report) -> Parts:
    found: list[Component] = []
    for title, rows in report.facts:
        found += [
            html.H3(title),
            html.Dl([one for row in rows for one in (html.Dt(shown(row[0])), html.Dd(shown(row[1])))]),
        ]
    if len(report.attempts) > 1:
        found += [html.H3(_("Attempts")), html.Ul([html.Li(_attempt(one)) for one in report.attempts])]
    return found


def _attempt(one: Told) -> str:
    number, first, last, redone = (
        cast(int, one[name]) for name in ("attempt", "first_step", "last_step", "steps_redone")
    )
    told = [_("attempt %(attempt)d", attempt=number), steps(first, last)]
    if redone:
        told.append(_("%(count)s steps done again", count=count(redone)))
    return _(" · ").join([*told, *([moment(cast(float, one["started"]))] if one["started"] is not None else [])])


def _about(report: Report, held: Sequence[str]) -> Parts:
    head = report.head
    kept = [
        _("Secrets in settings and logs are masked (•••).")
        if head.masked
        else _("Secrets are NOT masked in this file."),
        _("Names of hosts and paths are as they are.")
        if head.named
        else _("Names of hosts and paths are told in other words."),
        _("The settings are those of the newest start; earlier ones are not kept."),
        _("Curves are drawn of fewer points, with every extreme kept."),
    ]
    found: list[Component] = [html.P(one) for one in kept]
    if held:
        found.append(html.P(_("Beside this page: %(files)s.", files=", ".join(held))))
    if report.left_out:
        found += [html.H3(_("What is not here, and why")), html.Ul([html.Li(shown(one)) for one in report.left_out])]
    return found
