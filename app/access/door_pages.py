"""The pages to log in and out: forms that need no script, in the reader's language and theme. They stand by themselves:
nothing of a run is in them, and no script of the pages but the one for light and dark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal
from urllib.parse import urlencode

from dash import html
from dash.dcc import Input
from dash.development.base_component import Component
from flask import Response

from app.access.identity import Identity
from app.hypertext import hypertext
from app.language import LANGUAGES, LOCALES, language
from app.language import gettext as _
from app.markup import attributes

LONGEST_NAME = 80  # characters
DOCUMENT = """<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{title} · Tidewatch</title>
<link rel="icon" href="{home}assets/favicon.ico">
<link rel="stylesheet" href="{style}">
<script src="{home}assets/theme.js"></script>
</head>
<body>{body}</body>
</html>
"""


@dataclass(frozen=True, slots=True)
class Paper:
    """What both pages are written on: ``home`` is the address of the runs page, ``style`` that of the styles. ``team``
    says who else knows people, and ``asks`` whether there is a password or a token to ask for."""

    home: str
    style: str
    team: Literal["", "proxy", "oidc"] = ""
    asks: bool = True

    def page(self, title: str, body: Sequence[Component], status: int = 200) -> Response:
        """The answer. Its form says where it came from (Origin), which browsers leave out under a stricter policy."""
        text = DOCUMENT.format(
            language=LOCALES[language()].replace("_", "-"),
            title=escape(title),
            home=escape(self.home),
            style=escape(self.style),
            body=hypertext(html.Main(html.Section(list(body), className="card door"), className="door-page")),
        )
        response = Response(text, status, mimetype="text/html")
        response.headers["Referrer-Policy"] = "same-origin"
        return response


def login(paper: Paper, to: str, seal: str, trouble: str = "", status: int = 200) -> Response:
    """The page to log in; from there it goes ``to``, an address of ours."""
    title = _("Log in")
    secret = Input(
        id="secret", name="secret", type="password", required=True, autoComplete="current-password", autoFocus=True
    )
    name = Input(id="name", name="name", type="text", maxLength=LONGEST_NAME, autoComplete="name")
    fields: list[Component] = [
        hidden("form", seal),
        hidden("next", to),
        labelled("secret", _("Password or token"), secret),
        labelled("name", _("Your name (optional)"), name),
        html.P(_("It signs what you say of alerts and notes."), className="hint"),
        html.Button(title, type="submit", className="button primary"),
    ]
    help_ = _("The address with the token was printed where this dashboard was started; or ask who started it.")
    body = [logo(paper.home), other_language(paper.home, to), html.H1(title), *alarm(trouble), *of_team(paper, to)]
    form = html.Form(fields, method="POST", action=address(paper.home, language()))
    asked = [form, html.P(help_, className="hint")] if paper.asks else []
    return paper.page(title, [*body, *asked], status)


def of_team(paper: Paper, to: str) -> list[Component]:
    """The way in by who else knows people."""
    if paper.team == "proxy":
        told = _(
            "This dashboard is opened through its gateway, which says who you are. This request came past it, or "
            "nothing is open to the name that it gave."
        )
        return [html.P(told)]
    if paper.team != "oidc":
        return []
    onward = paper.home + "login/team?" + urlencode({"next": to})
    return [html.P(html.A(_("Log in with your team's account"), href=onward, className="button primary door-team"))]


def leaving(paper: Paper, who: Identity, seal: str, status: int = 200) -> Response:
    """The page that asks whether to log out."""
    title = _("Log out")
    trouble = _("The form was too old: try once more.") if status >= 400 else ""
    said = _("You are logged in as %(who)s.", who=called(who))
    button = html.Button(title, type="submit", className="button primary")
    form = html.Form([hidden("seal", seal), button], method="POST", action=paper.home + "logout")
    back = html.P(html.A(_("Back to the runs"), href=paper.home))
    return paper.page(title, [logo(paper.home), html.H1(title), *alarm(trouble), html.P(said), form, back], status)


def called(who: Identity) -> str:
    """Their name, or what they may do."""
    return who.name or (_("editor") if who.may_write else _("viewer"))


def labelled(field: str, words: str, control: Component) -> Component:
    """A field under its name."""
    return html.Div([html.Label(words, htmlFor=field), control], className="door-field")


def hidden(name: str, value: str) -> Component:
    """What a form sends besides."""
    return Input(name=name, type="hidden", value=value)


def alarm(trouble: str) -> list[Component]:
    """What went wrong, read out at once."""
    return [html.P(trouble, role="alert", className="door-trouble")] if trouble else []


def logo(home: str) -> Component:
    """As in the top bar."""
    return html.A("Tidewatch", href=home, className="logo")


def other_language(home: str, to: str) -> Component:
    """The same page in the other language, named in that language."""
    other = next(one for one in LANGUAGES if one != language())
    named = attributes(lang=LOCALES[other].replace("_", "-"))
    return html.A(
        {"en": "English", "zh": "中文"}[other], href=address(home, other, to), className="door-language", **named
    )


def address(home: str, spoken: str, to: str = "") -> str:
    """Of the page to log in, in a language."""
    return f"{home}login?" + urlencode({"lang": spoken} | ({"next": to} if to else {}))
