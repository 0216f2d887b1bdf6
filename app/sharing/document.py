"""The page of a snapshot: the run's own page as it was, in one document, without the frame that keeps others live.

Nothing of Dash is in it, so no clock asks for anything and no configuration is told; what the scripts ask they ask
below the link itself (``data-home``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from html import escape

from dash.development.base_component import Component

from app.hypertext import hypertext
from app.language import LOCALES, language
from app.language import gettext as _
from app.markup import attributes
from app.pages import ranks, run
from app.pages.head import description, head
from app.pages.page import Page
from app.pages.parts import rendered
from app.pages.pictured import pictured
from app.pages.shown import RunShown
from app.pages.site import asked_ahead, joined, link
from app.sharing.banner import banner
from app.sharing.frozen import Altered
from app.sharing.shelf import Opened
from app.sharing.snapshot import PageName
from app.shell import shell

DOCUMENT = """<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
{head}
<link rel="icon" type="image/x-icon" href="{icon}">
<link id="plot-library" {library}>
<link rel="stylesheet" href="{styles}">
</head>
<body>
{page}
<script src="{scripts}"></script>
</body>
</html>"""

TOLD = json.dumps({"kind": "frozen", "parts": {}})  # nothing will be renewed


@dataclass(frozen=True, slots=True)
class Files:
    """Where the files of every page are: the bundles, the plot library, the sign in the tab."""

    scripts: str
    styles: str
    library: str
    icon: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a snapshot is: ``home`` of all pages and ``here`` of the snapshot's own, both with a slash at their ends;
    ``there`` is ``home`` with the server's name; ``live`` where the run goes on, and ``query`` what the address says
    behind it."""

    home: str
    here: str
    there: str
    live: str
    query: str = ""


def document(opened: Opened, name: PageName, place: Place, files: Files) -> str:
    """The page as HTML. Raises StoreAway, Altered."""
    run_shown = _run(opened, place)
    shown = _page(opened, run_shown, name, place)
    around = shell(
        place.home,
        opened.label.created,
        _way(opened, name, place),
        _content(opened, shown, place, run_shown.seen.step),
        TOLD,
    )
    for one, value in _frozen(opened, name, place).items():
        setattr(around, one, value)
    library = 'rel="preload" as="script"' if name == "run" else 'rel="later"'
    return DOCUMENT.format(
        language=LOCALES[language()].replace("_", "-"),
        title=escape(f"{_title(opened)} · Tidewatch"),
        head=_head(opened, run_shown, name, place),
        icon=escape(files.icon),
        library=f'{library} href="{escape(files.library)}"',
        styles=escape(files.styles),
        page="".join(map(asked_ahead, shown.ahead())) + hypertext(around, shown.written()),
        scripts=escape(files.scripts),
    )


def _frozen(opened: Opened, name: PageName, place: Place) -> Mapping[str, str]:
    """What the scripts are told: of when everything is, where to ask, and what to show."""
    moment = datetime.fromtimestamp(opened.label.created, UTC).isoformat(timespec="milliseconds")
    view = _view(opened, name, place)
    return attributes(data_frozen=moment, data_home=place.here, data_view="" if place.query else view)


def _view(opened: Opened, name: PageName, place: Place) -> str:
    """What the address says, else what the author saw, if it was this page."""
    return place.query or (opened.label.view if name == opened.label.page else "")


def _run(opened: Opened, place: Place) -> RunShown:
    shown = opened.assembly.source.run(opened.label.run)
    if shown is None:
        raise Altered
    return replace(shown, ranks_at=f"{place.here}ranks")


def _page(opened: Opened, shown: RunShown, name: PageName, place: Place) -> Page:
    if name == "ranks":
        query = _view(opened, name, place)
        return ranks.page(opened.assembly.source, place.here, name, opened.label.run, query)
    return Page(name, partial(run.frame, opened.label.run), {**rendered(shown), run.BANNER: ""})


def _content(opened: Opened, page: Page, place: Place, step: int | None) -> Sequence[Component]:
    return [banner(opened, place.live, step), *page.frame()]


def _way(opened: Opened, name: PageName, place: Place) -> Sequence[Component]:
    """This run / its ranks, both as they were."""
    return [
        link(place.here.rstrip("/"), opened.label.run, current=name == "run"),
        link(f"{place.here}ranks", _("Rank map"), current=name == "ranks"),
    ]


def _head(opened: Opened, shown: RunShown, name: PageName, place: Place) -> str:
    page = _there(place, "/ranks" if name == "ranks" else "", place.query)
    picture = pictured(_view(opened, name, place), of_ranks=name == "ranks")
    return head(_title(opened), description(shown), page, _there(place, "/preview.png", picture))


def _title(opened: Opened) -> str:
    return _("%(name)s, frozen", name=opened.label.run)


def _there(place: Place, path: str, query: str) -> str:
    """An absolute address of the snapshot."""
    return joined(place.there + place.here.removeprefix(place.home).rstrip("/") + path, query)
