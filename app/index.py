"""The document that every address answers with: the whole page as HTML, then what makes it alive, as it is needed.

Dash's own document has nothing but a mark of waiting, and everything in the order in which it was named. Here the page
is there at once; our scripts come first, since they ask for what the page will show; the plot library, which is the
largest, is fetched beside them and run by assets/library.js. Dash's scripts wait in a ``<template>`` until the curves
are drawn (assets/frame.js): they keep the page up to date, which can begin a second later. What nothing here uses is
left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from dash import Dash
from flask import request

from app.bundle import APART
from app.language import LOCALES, language
from app.pages.site import Written

# <script src="/_dash-component-suites/dash/dash_table/bundle.v7_4_1m1795975091.js"></script>
SCRIPT = re.compile(r'<script src="([^"]*)"></script>')
# Tables are plain HTML, as is all of the page; and every browser that reads our own scripts knows what the polyfill
# would teach it.
UNUSED = ("/dash/dash_table/", "/dash/deps/polyfill@")
PLOTTING = ("run/", "compare")
# run/gpt-1/ranks
UNPLOTTED = re.compile(r"run/[^/]+/ranks/?")
DOCUMENT = """<!DOCTYPE html>
<html lang="{language}">
<head>
{metas}
<title>{title}</title>
{about}
{favicon}
{library}
{css}
</head>
<body>
{page}
{app_entry}
{config}
{scripts}
<template id="dash-scripts">{later}{renderer}</template>
</body>
</html>"""


class Index(Dash):
    """Dash with a document of ours."""

    shell: Callable[[str, str], Written] = staticmethod(lambda _path, _query: Written("", ""))  # the page at an address

    def interpolate_index(self, scripts: str = "", **parts: str) -> str:  # type: ignore[override]
        """The document; Dash names the parts."""
        addresses = [one for one in SCRIPT.findall(scripts) if not any(part in one for part in UNUSED)]
        library = [one for one in addresses if any(name in one for name in APART)]
        shown = self.shell(request.path, request.query_string.decode(errors="replace"))
        ours = f"{self.config.requests_pathname_prefix}bundle/"
        return DOCUMENT.format(
            language=LOCALES[language()].replace("_", "-"),
            library="\n".join(plot_library(one, needed=is_plotting(self.path())) for one in library),
            page=shown.page,
            about=shown.head,
            scripts=tags(one for one in addresses if one.startswith(ours)),
            later=tags(one for one in addresses if not one.startswith(ours) and one not in library),
            **parts,
        )

    def path(self) -> str:
        """The address within the application."""
        return request.path.removeprefix(self.config.requests_pathname_prefix)


def is_plotting(path: str) -> bool:
    """Whether the page there draws curves; the map of a run's ranks is no such."""
    return path.startswith(PLOTTING) and not UNPLOTTED.fullmatch(path)


def tags(addresses: Iterable[str]) -> str:
    """Scripts, run in this order."""
    return "\n".join(f'<script src="{one}"></script>' for one in addresses)


def plot_library(address: str, *, needed: bool) -> str:
    """Where it is, for assets/library.js; fetched at once where it is ``needed``, else when the page has long been
    there: no other answer waits for it."""
    how = 'rel="preload" as="script"' if needed else 'rel="later"'
    return f'<link id="plot-library" {how} href="{address}">'
