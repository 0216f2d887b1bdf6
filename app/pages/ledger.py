"""The card that says where a run's time went: one bar, its parts in words and numbers, what was lost. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from app.figures import numbers
from app.language import gettext as _
from app.language import ngettext, sentences
from app.ledgers import Books
from app.markup import attributes
from app.pages.shown import RunShown
from app.series.ledger import Cause, Ledger
from app.words.ledger import CAUSES, MEANINGS, UNKNOWN

LABELLED = 0.12  # of the bar's length; a shorter part has no room for its share
LEAST_MS = 1000  # of a run that has lived no second nothing is worth saying


def ledger_card(run: RunShown) -> list[Component]:
    """Heading, headline, bar, table; nothing while no clock tells time."""
    book = run.books.ledger if run.books else None
    if run.books is None or book is None or book.total < LEAST_MS:
        return []
    top = html.Header([html.H2(_("Where the time went")), html.Span(measured(run.books, book), className="hint")])
    body = [headline(run.books, book), bar(book), table(run.books, book), *notes(book)]
    return [top, html.Div(body, className="ledger")]


def measured(books: Books, book: Ledger) -> str:
    """What the whole is: the run's life, and how many NPUs it has."""
    life = numbers.duration(round(book.total / 1000))
    if books.npus is None:
        return _("of %(life)s", life=life)
    return _("of %(life)s on %(count)s NPUs", life=life, count=numbers.count(books.npus))


def headline(books: Books, book: Ledger) -> Component:
    """The ratio, and what was lost."""
    pairs = [(numbers.percent(book.ratio or 0.0), _("effective training time"))]
    if books.npu_hours_lost is not None:
        pairs.append((hours(books.npu_hours_lost), _("NPU-hours lost")))
    else:
        pairs.append((numbers.duration(round(book.lost / 1000)), _("lost")))
    return html.Dl([html.Div([html.Dt(name), html.Dd(value)]) for value, name in pairs], className="ledger-head")


def hours(npu_hours: float) -> str:
    """NPU-hours: one decimal, none from a thousand on."""
    return numbers.count(npu_hours) if npu_hours >= 1000 else f"{npu_hours:.1f}"


def ordered(book: Ledger) -> list[Cause]:
    """Training first, then what was lost, largest first."""
    lost = sorted((one for one in book.parts if one != "productive"), key=lambda one: -book.parts[one])
    causes: list[Cause] = ["productive", *lost]
    return [one for one in causes if book.parts[one] or one == "productive"]


def bar(book: Ledger) -> Component:
    """One part a cause; its words are in the table, so that a screen reader need not read both."""
    parts = []
    for cause in ordered(book):
        share = book.parts[cause] / book.total
        label = numbers.percent(share) if share >= LABELLED else ""
        parts.append(
            html.Span(
                label,
                className=f"ledger-slice {cause}",
                style={"flexGrow": book.parts[cause]},
                title=f"{CAUSES[cause]} {label}",
            )
        )
    return html.Div(parts, className="ledger-bar", **attributes(aria_hidden="true"))


def table(books: Books, book: Ledger) -> Component:
    """Cause, time, share, NPU-hours."""
    names = [_("What for"), _("Time"), _("Share of the time")] + ([_("NPU-hours")] if books.npus is not None else [])
    head = html.Thead(html.Tr([html.Th(name, scope="col") for name in names]))
    rows = [row(books, book, cause) for cause in ordered(book)]
    return html.Table([head, html.Tbody(rows)], className="ledger-table")


def row(books: Books, book: Ledger, cause: Cause) -> Component:
    """One cause."""
    ms = book.parts[cause]
    cells = [numbers.duration(round(ms / 1000, 1)), numbers.percent(ms / book.total)]
    if books.npus is not None:
        cells.append(hours(ms / 3.6e6 * books.npus))
    swatch = html.Span(className=f"ledger-swatch {cause}", **attributes(aria_hidden="true"))
    name = html.Th([swatch, str(CAUSES[cause])], scope="row", title=str(MEANINGS[cause]))
    return html.Tr([name, *(html.Td(cell) for cell in cells)])


def notes(book: Ledger) -> Sequence[Component]:
    """Steps done twice, the longest stall, and what cannot be told."""
    said = []
    if book.steps_lost:
        said.append(ngettext("%(num)d step was done twice.", "%(num)d steps were done twice.", book.steps_lost))
    if book.stalls and book.stall_step is not None:
        longest = numbers.duration(round(book.longest_stall_ms / 1000, 1))
        told = ngettext(
            "%(num)d stall, of %(longest)s after step %(step)s.",
            "%(num)d stalls, the longest of %(longest)s after step %(step)s.",
            book.stalls,
            longest=longest,
            step=numbers.count(book.stall_step),
        )
        said.append(told)
    said += [str(UNKNOWN[one]) for one in book.unknown]
    return [html.P(sentences(*said), className="ledger-notes")] if said else []
