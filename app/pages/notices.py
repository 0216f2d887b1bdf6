"""Views for when there is nothing to show: each says what is the matter and what to do next. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from app.language import gettext as _
from app.markup import gap


def notice(title: str, *sentences: Component | str | Sequence[Component | str]) -> Component:
    """A card in the middle of the page."""
    paragraphs = [html.P(sentence) for sentence in sentences]
    return html.Section([html.H1(title), *paragraphs], className="card notice", role="status")


def no_runs(roots: Sequence[str]) -> Component:
    """Nothing found yet. ``roots`` are the directories that collectors follow."""
    looked = _(
        "Looked for: rank logs (info.log, worker_N.log), TensorBoard event files (events.out.tfevents.*) "
        "and MindSpore summaries (*_MS)."
    )
    if not roots:
        first = _("No collector is running. Start one on the training host:")
        start: list[Component | str] = [first, gap(first), html.Code("python -m collector follow output/")]
        return notice(_("No run yet"), looked, start)
    where = [said := _("Followed:"), gap(said), *[part for root in roots for part in (html.Code(root), " ")]]
    again = _("A run appears here by itself as soon as training writes the first of these files.")
    return notice(_("No run yet"), where, looked, again)


def no_such_run(name: str, home: str) -> Component:
    """404 for a run."""
    return notice(
        _("There is no run “%(name)s”", name=name),
        _(
            "It may have been deleted, or the address is misspelled: a run's address is its directory's name. "
            "If it is about to start, this page shows it as soon as training writes its first file."
        ),
        back(home),
    )


def no_such_page(home: str) -> Component:
    """404 for any other address."""
    return notice(_("There is nothing at this address"), back(home))


def back(home: str) -> Component:
    """The way out."""
    return html.A(_("All runs"), href=home)


def store_away() -> Component:
    """Redis does not answer."""
    return notice(
        _("Redis does not answer"),
        _(
            "Nothing is lost: collectors read on from the training files when it is back, and this page fills by "
            "itself. If it stays away, look at REDIS_URL and whether the server runs."
        ),
    )
