"""How a run is spread, what it was made with, and where its time went, as names and values for readers. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from app.configuration import configuration, layout
from app.figures import numbers
from app.language import gettext as _
from app.ledgers import Books
from app.stored import StoredRun
from app.words.ledger import CAUSES

Section = tuple[str, Sequence[tuple[str, str]]]

# mindspore_version, version.mindformers, transformers_version
VERSION = re.compile(r"(?:^|[._])version(?:$|[._])", re.IGNORECASE)
MOST = 40


def facts(run: StoredRun, books: Books) -> Iterator[Section]:
    """Sections that have something to say."""
    found = (
        (_("Layout"), list(layout(run.facts).items())),
        (_("Versions"), [(key, one) for key, one in configuration(run.facts).items() if VERSION.search(key)][:MOST]),
        (_("Where the time went"), list(_time(books))),
    )
    yield from ((title, rows) for title, rows in found if rows)


def _time(books: Books) -> Iterator[tuple[str, str]]:
    book = books.ledger
    if book is None or not book.total:
        return
    yield _("effective training time"), numbers.percent(book.ratio or 0.0)
    for cause, name in CAUSES.items():
        if spent := book.parts.get(cause, 0):
            yield str(name), numbers.duration(round(spent / 1000))
    if book.steps_lost:
        yield _("steps done again"), numbers.count(book.steps_lost)
    if books.npu_hours_lost is not None:
        yield _("NPU-hours lost"), f"{books.npu_hours_lost:.1f}"
