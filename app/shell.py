"""What stands around every page: top bar, the one clock, the help dialog, the address."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache

from dash import dcc, html
from dash.development.base_component import Component

from app.access.door_pages import called
from app.access.identity import visit
from app.help import help_dialog
from app.ids import ASKED, NAV, PAGE, RENEWED, TICK, URL
from app.language import LANGUAGES, LOCALES, language
from app.language import gettext as _
from app.markup import attributes
from app.words.browser import browser_words

REFRESH_MS = 2_000
HIDDEN = attributes(aria_hidden="true")  # a sign, which is no word to be read out
WORKER = "assets/stream-worker.js"


def frame() -> Component:
    """What Dash itself keeps alive, which nobody sees: the clock, the address, a question and its answer."""
    parts = [
        dcc.Location(id=URL, refresh="callback-nav"),
        dcc.Interval(id=TICK, interval=REFRESH_MS),
        dcc.Store(id=ASKED),
        dcc.Store(id=RENEWED),
    ]
    return html.Div(parts, hidden=True)


def shell(prefix: str, now: float, way: Sequence[Component], page: Sequence[Component], told: str) -> Component:
    """What stands around a page, in the visitor's language. ``now`` (Unix seconds) tells the browser how far its clock
    is from ours, ``told`` (JSON of pages.page.Told) what it has."""
    return html.Div(
        [top_bar(prefix, way), html.Main(list(page), id=PAGE, className="page"), help_dialog()],
        id="shell",
        **attributes(data_words=words(language()), data_worker=prefix + WORKER, data_told=told),
        **attributes(data_now=str(now), data_language=LOCALES[language()].replace("_", "-")),
        **attributes(data_role=visit().identity.role, data_name=visit().identity.name, data_seal=visit().seal),
    )


@cache
def words(_language: str) -> str:
    """The scripts' sentences in the language of the request."""
    return json.dumps(browser_words())


def top_bar(home: str, way: Sequence[Component]) -> Component:
    """Logo, where we are, whether the page is live, and the switches."""
    return html.Header(
        [
            html.A("Tidewatch", href=home, className="logo"),
            html.Nav(list(way), id=NAV, className="nav", **attributes(aria_label=_("Pages"))),
            html.Div(className="space"),
            html.Span(id="live", className="live", role="status"),
            *way_out(home),
            language_switch(),
            theme_switch(),
            icon_button("?", "help-open", _("Keyboard help (?)")),
        ],
        className="top",
    )


def way_out(home: str) -> list[Component]:
    """Who is logged in, and the way to log out, which assets/access.js makes shorter; nothing where nobody has to."""
    came = visit()
    if not came.seal:
        return []
    may = _("May look and write.") if came.identity.may_write else _("May look, and not write.")
    who = html.Span(called(came.identity), className="who-name", title=may)
    faces = [html.Span(_("Log out"), className="for-wide"), html.Span("⇥", className="for-narrow", **HIDDEN)]
    out = html.A(faces, href=home + "logout", id="log-out", className="button", title=_("Log out"))
    return [html.Span([who] if came.identity.way == "proxy" else [who, out], className="who")]  # a gateway has its own


def icon_button(face: str | list[Component], component_id: str, label: str) -> Component:
    """A small button whose face is a sign; the label is read out and shown on hover."""
    named = attributes(aria_label=label)
    return html.Button(face, id=component_id, className="button icon-button", title=label, type="button", **named)


def theme_switch() -> Component:
    """A moon in the light and a sun in the dark; CSS shows the right one."""
    faces: list[Component] = [html.Span("☾", className="for-light"), html.Span("☀", className="for-dark")]
    return icon_button(faces, "theme-switch", _("Light or dark (t)"))


def language_switch() -> Component:
    """Named by the other language, in that language; assets/language.js keeps the choice."""
    other = next(one for one in LANGUAGES if one != language())
    label = {"en": "English", "zh": "中文"}[other]
    named = attributes(aria_label=label, data_language=other, lang=LOCALES[other].replace("_", "-"))
    face = LANGUAGES[other]
    return html.Button(face, id="language-switch", className="button icon-button", title=label, type="button", **named)
