"""The page that every address answers with before Dash builds the real one: what a browser reads first, in which order.

Dash's own page has everything in the order in which it was named. Here our scripts come first, since they ask for what
the page will show while the others are read; what nothing here uses is left out, and the plot library, which is the
largest and needed last, is fetched at once but run by assets/library.js when the rest is done.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import escape

from dash import Dash
from flask import has_request_context, request

from app.bundle import APART
from app.figures.panels import described

# <script src="/_dash-component-suites/dash/dash_table/bundle.v7_4_1m1795975091.js"></script>
SCRIPT = re.compile(r'<script src="([^"]*)"></script>')
# Tables are plain HTML here; and every browser that reads our own scripts knows what the polyfill would teach it.
UNUSED = ("/dash/dash_table/", "/dash/deps/polyfill@")


class Index(Dash):
    """Dash with our order of scripts."""

    knows: Callable[[str], bool] = staticmethod(
        lambda _run: False
    )  # whether there is such a run: it has curves to ask for

    def interpolate_index(self, metas: str = "", scripts: str = "", **parts: str) -> str:  # type: ignore[override]
        """The page; Dash names the parts."""
        home = self.config.requests_pathname_prefix
        path = request.path.removeprefix(home) if has_request_context() else ""
        addresses = [one for one in SCRIPT.findall(scripts) if not any(part in one for part in UNUSED)]
        library = [one for one in addresses if any(name in one for name in APART)]
        told = [metas, *(plot_library(one, needed=path.startswith(("run/", "compare"))) for one in library)]
        if path.startswith("run/") and self.knows(path.removeprefix("run/").strip("/")):
            told.append(panels_told())
        ours = f"{home}bundle/"
        read = sorted((one for one in addresses if one not in library), key=lambda one: not one.startswith(ours))
        tags = "\n".join(f'<script src="{one}"></script>' for one in read)
        page: str = super().interpolate_index(metas="\n".join(told), scripts=tags, **parts)  # type: ignore[no-untyped-call]
        return page


def plot_library(address: str, *, needed: bool) -> str:
    """Where it is, for assets/library.js; fetched at once where it is ``needed``, else when there is nothing to do."""
    how = 'rel="preload" as="script"' if needed else 'rel="prefetch"'
    return f'<link id="plot-library" {how} href="{address}">'


def panels_told() -> str:
    """The standard panels, for assets/ahead.js."""
    return f'<meta name="tidewatch-panels" content="{escape(json.dumps(described()))}">'
