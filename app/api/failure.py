"""What went wrong, told to who asked: JSON to scripts, and to a person who opened a page a page.

It stands by itself: what failed may be just what the other pages are made of.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from string import Template
from typing import TypeVar

from flask import Response, request
from werkzeug.exceptions import HTTPException

from app.language import LOCALES, language
from app.language import gettext as _

E = TypeVar("E", bound=Exception)
Answer = Response | HTTPException  # Flask takes either

PAGE = Template("""\
<!doctype html>
<html lang="$language">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title · Tidewatch</title>
<link rel="icon" href="${home}assets/favicon.ico">
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.6 system-ui, sans-serif; max-width: 40rem; margin: 15vh auto 0; padding: 0 20px; }
h1 { font-size: 1.4rem; }
</style>
</head>
<body>
<main>
<h1>$title</h1>
<p>$sentence</p>
<p><a href="$home">$back</a></p>
</main>
</body>
</html>
""")


def told(answered: Callable[[E], Answer], home: str) -> Callable[[E], Answer]:
    """A handler of errors that says what ``answered`` says, and as a page where one was opened. ``home`` is the
    address of all runs."""

    def handle(error: E) -> Answer:
        response = answered(error)
        if not isinstance(response, Response) or response.status_code < 400 or not is_page(home):
            return response
        sentence = (response.get_json(silent=True) or {}).get("error", "")
        return page(response.status_code, sentence, home)

    return handle


def is_page(home: str) -> bool:
    """Whether the address of this request is one that people open: neither the API's nor a file of the page."""
    below = request.path.removeprefix(home)
    known = (request.endpoint or "").startswith(("api.", "share_api.")) or below.startswith(("api/", "assets/", "_"))
    accepted = request.accept_mimetypes
    opens = request.method == "GET" or (request.endpoint or "").startswith("access.")  # whose forms people send
    return opens and not known and (not accepted or accepted.accept_html)


def page(status: int, sentence: str, home: str) -> Response:
    """The page; of an error that is our own it says what that means for training."""
    title = _("This page cannot be shown")
    if status == 500:
        sentence = _(
            "An error inside Tidewatch is the cause; the server's log has its details. Training and collectors are not "
            "touched by it. Reload the page; other runs may still open."
        )
    filled = {"title": title, "sentence": sentence, "home": home, "back": _("All runs")}
    spoken = LOCALES[language()].replace("_", "-")
    return Response(PAGE.substitute({name: escape(one) for name, one in filled.items()}, language=spoken), status)
