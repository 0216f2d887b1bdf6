"""``/``: the table of all runs, searched and sorted, renewed by the clock. What is searched for, the order and how many
rows are shown are in the address, where assets/runs.js writes them; runs that are ticked (assets/pick.js) are compared
on a page of their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import parse_qs, quote

from dash import dcc, html
from dash.development.base_component import Component

from app.alarms import counted
from app.figures import numbers
from app.hypertext import Content
from app.ids import Ids
from app.language import gettext as _
from app.language import ngettext
from app.markup import attributes
from app.pages import notices
from app.pages.header import bar, demo_mark, steps
from app.pages.page import Page
from app.pages.shown import RunShown
from app.pages.source import Source
from app.pages.troubles import TONES, gravest, troubles
from app.series.outline import Outline
from app.stored import StoreAway
from app.words.states import status_word

ids = Ids("runs")
FIRST, MORE = 50, 100  # rows that are shown, and that each press on "Show more" adds
PATH = ""

# What a column is sorted by.
VALUES: Mapping[str, Callable[[RunShown], float | None]] = {
    "step": lambda run: run.seen.step,
    "loss": lambda run: finite(run.seen.loss),
    "step_time_ms": lambda run: run.seen.progress.step_time_ms,
    "eta": lambda run: run.seen.progress.eta,
    "ranks": lambda run: len(run.ranks),
    "alerts": lambda run: counted(run.alerts),
    "updated": lambda run: run.touched,
}
TEXTS: Mapping[str, Callable[[RunShown], str]] = {
    "name": lambda run: run.name.casefold(),
    "status": lambda run: str(status_word(run.state).text),
}


@dataclass(frozen=True, slots=True)
class Order:
    """Which column the table is sorted by. As text: ``updated`` or, the other way round, ``-updated``."""

    key: str = "updated"
    descending: bool = True

    @classmethod
    def of(cls, text: str) -> Order:
        """The order that ``str`` wrote; the usual one for any other text."""
        key = text.removeprefix("-")
        return cls(key, text.startswith("-")) if key in VALUES or key in TEXTS else cls()

    def __str__(self) -> str:
        return f"-{self.key}" if self.descending else self.key

    def pressed(self, key: str) -> Order:
        """After a press on a column's head: another column, or the same the other way round."""
        return Order(key, not self.descending) if key == self.key else Order(key, key not in TEXTS)


def heads() -> list[tuple[str, str, bool]]:
    """Key, title and whether it is a number, column by column."""
    return [
        ("name", _("Run"), False),
        ("status", _("Status"), False),
        ("step", _("Step"), False),
        ("loss", _("Loss"), True),
        ("step_time_ms", _("Step time"), True),
        ("eta", _("Remaining"), True),
        ("ranks", _("Ranks"), True),
        ("alerts", _("Alerts"), True),
        ("updated", _("Updated"), True),
    ]


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address asks of the table."""

    text: str = ""
    order: Order = Order()
    rows: int = FIRST

    @classmethod
    def of(cls, query: str) -> Asked:
        """Of what the address says behind its path, ``?q=glm&sort=-loss&rows=150``; the usual for what is no use."""
        said = {name: values[0] for name, values in parse_qs(query.removeprefix("?")).items()}
        rows = said.get("rows", "")
        count = int(rows) if rows.isascii() and rows.isdecimal() and len(rows) < 7 else FIRST
        return cls(said.get("q", ""), Order.of(said.get("sort", "")), max(FIRST, count))


def page(source: Source, link: str, query: str = "") -> Page:
    """The page; ``link`` is the address of a run but for its id, ``query`` what the address says behind its path."""
    asked = Asked.of(query)
    shown, count, rest = view(source, link, asked.text, asked.order, asked.rows)
    parts: dict[str, Content] = {ids("table"): shown, ids("count"): count, ids("rest"): more(asked.rows, rest)}
    return Page(PATH, partial(frame, asked.text), parts)


def frame(text: str) -> Sequence[Component]:
    """Everything around the table; ``text`` is searched for."""
    hint = _("Search runs  ( / )")
    search = dcc.Input(id=ids("search"), type="search", placeholder=hint, autoComplete="off", value=text)
    label = html.Label(_("Search runs"), htmlFor=ids("search"), className="hidden-text")
    return [
        html.Div(
            [
                html.H1(_("Runs")),
                html.Span(id=ids("count"), className="hint"),
                picked(),
                html.Div([label, search], className="search"),
            ],
            className="runs-head",
        ),
        html.Div(id=ids("table")),
        html.Div(id=ids("rest")),
    ]


def more(rows: int, rest: int) -> Component | None:
    """The button for more rows than are shown; nothing where there are none."""
    if not rest:
        return None
    words = ngettext("Show more (%(num)d not shown)", "Show more (%(num)d not shown)", rest)
    return html.Button(words, className="button", type="button", **attributes(data_rows=str(rows + MORE)))


def picked() -> Component:
    """How many runs are ticked and, from two on, the way to compare them; assets/pick.js fills it."""
    said = html.Span(_("Tick runs to compare them"), id=ids("picked"), className="hint", role="status")
    return html.Span([said, html.A(id=ids("compare"), className="button primary", hidden=True)], className="picked")


def matching(runs: Sequence[RunShown], text: str) -> list[RunShown]:
    """The runs whose name has every word of ``text``."""
    words = text.casefold().split()
    return [run for run in runs if all(word in f"{run.name} {run.id}".casefold() for word in words)]


def ordered(runs: Sequence[RunShown], order: Order) -> list[RunShown]:
    """Sorted; a run that does not have the value comes last either way."""
    if order.key in TEXTS:
        return sorted(runs, key=TEXTS[order.key], reverse=order.descending)
    value = VALUES.get(order.key, VALUES["updated"])
    have = [run for run in runs if value(run) is not None]
    lack = [run for run in runs if value(run) is None]
    return sorted(have, key=lambda run: value(run) or 0, reverse=order.descending) + lack


def table(runs: Sequence[RunShown], order: Order, link: str, outlines: Callable[[str], Outline]) -> Component:
    """The runs as they come. ``link`` is the address of a run but for its id."""
    titles = {key: title for key, title, _number in heads()}
    rows = [
        html.Tr([pick(run), *cells(run, titles, link, outlines(run.id))], **attributes(data_key=run.id)) for run in runs
    ]
    first = html.Th(html.Span(_("Compare"), className="hidden-text"), scope="col")
    return html.Div(
        html.Table([html.Thead(html.Tr([first, *head_row(order)])), html.Tbody(rows)], className="runs"),
        className="card table-card",
    )


def head_row(order: Order) -> list[Component]:
    """Column heads: real buttons, which tell the order that a press on them gives; the sorted one marked for screen
    readers too."""
    return [
        html.Th(
            html.Button(title, type="button", **attributes(data_key=key, data_sort=str(order.pressed(key)))),
            className="number" if number else "",
            scope="col",
            **(attributes(aria_sort="descending" if order.descending else "ascending") if key == order.key else {}),
        )
        for key, title, number in heads()
    ]


def pick(run: RunShown) -> Component:
    """The box that picks a run for a comparison; assets/pick.js ticks it."""
    named = attributes(aria_checked="false", aria_label=_("Compare %(name)s", name=run.name), data_pick=run.id)
    return html.Td(html.Button(className="tick", type="button", role="checkbox", **named), className="pick")


def cells(run: RunShown, titles: dict[str, str], link: str, shape: Outline) -> list[Component]:
    """One row but for its box."""
    word, seen, progress = status_word(run.state), run.seen, run.seen.progress
    name = [html.A(run.name, href=link + quote(run.id, safe="")), *([demo_mark()] if run.run.record.demo else [])]
    going = html.Div([steps(seen.step, seen.total_steps), *bar(seen.step, seen.total_steps)])
    time_left = progress.eta if run.is_going else None
    return [
        html.Td(name, className="name"),
        html.Td(html.Span(str(word.text), className=f"status {word.tone}"), className="state"),
        html.Td(going, className="steps"),
        figure(
            titles["loss"],
            [spark(shape), html.Span(loss(seen.loss), className="last-loss")] if shape.points else loss(seen.loss),
        ),
        figure(titles["step_time_ms"], said(progress.step_time_ms, numbers.milliseconds)),
        figure(titles["eta"], said(time_left, numbers.duration)),
        figure(titles["ranks"], said(len(run.ranks) or None, numbers.count)),
        figure(titles["alerts"], alerts(run)),
        figure(titles["updated"], "" if run.touched is None else html.Time(**attributes(data_at=str(run.touched)))),
    ]


def said(value: float | None, words: Callable[[float], str]) -> str:
    """A number in words; nothing when there is none."""
    return "" if value is None else words(value)


def loss(value: float | None) -> Component | str:
    """The last loss; one that is no number stands out."""
    words = said(value, numbers.value)
    return words if value is None or math.isfinite(value) else html.Span(words, className="diverged")


def spark(shape: Outline) -> Component:
    """A small picture of the loss; assets/sparkline.js draws it. Gaps are where it is no number."""
    spelled = " ".join("-" if y is None else f"{x:g},{y:g}" for x, y in shape.points)
    ends = {"first": numbers.value(shape.first or 0.0), "last": numbers.value(shape.last or 0.0)}
    label = _("Loss from %(first)s to %(last)s", **ends)
    return html.Span(className="spark", role="img", **attributes(data_spark=spelled, aria_label=label))


def alerts(run: RunShown) -> Component | str:
    """How many alerts somebody has to know of, and which, on hover and for screen readers."""
    counting = [one for one in run.alerts if one.counts]
    worst = gravest(counting)
    if worst is None:
        return ""
    words = _(", ").join(f"{one.count} {one.said}" if one.count > 1 else one.said for one in troubles(counting))
    hidden = html.Span(words, className="hidden-text")
    return html.Span([numbers.count(len(counting)), hidden], className=f"alert-count {TONES[worst]}", title=words)


def finite(value: float | None) -> float | None:
    """None for what cannot be sorted."""
    return value if value is not None and math.isfinite(value) else None


def figure(title: str, value: Component | str | list[Component | str]) -> Component:
    """A cell with a number; its title stands in it on a narrow screen."""
    return html.Td(
        html.Span("–", className="quiet") if value == "" else value, className="number", **attributes(data_label=title)
    )


def view(source: Source, link: str, text: str, order: Order, most: int = FIRST) -> tuple[Component, str, int]:
    """The table, or why there is none; how many runs it is about; and how many of them are not shown."""
    try:
        runs = source.runs()
        if not runs:
            return notices.no_runs(source.roots()), "", 0
        found = matching(runs, text)
        count = f"{len(found)} / {len(runs)}" if text else numbers.count(len(runs))
        if not found:
            nothing = html.P(_("No run has “%(words)s” in its name.", words=text), className="card no-match")
            return nothing, count, 0
        shown = ordered(found, order)[:most]
        return table(shown, order, link, source.outline), count, len(found) - len(shown)
    except StoreAway:
        return notices.store_away(), "", 0
