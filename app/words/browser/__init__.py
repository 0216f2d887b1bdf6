"""The dictionary that the browser's scripts speak from: one module a part of the page, each with its ``WORDS``.

``{name}`` in a sentence is filled in by assets/words.js.
"""

from __future__ import annotations

from collections.abc import Mapping

from flask_babel.speaklater import LazyString

from app.words.browser import (
    access,
    alerts,
    answers,
    bundle,
    compare,
    curves,
    drawer,
    exports,
    notes,
    panels,
    pictures,
    ranks,
    share,
    strip,
    told,
)

PARTS = (
    access,
    alerts,
    answers,
    bundle,
    compare,
    curves,
    drawer,
    exports,
    notes,
    panels,
    pictures,
    ranks,
    share,
    strip,
    told,
)

BROWSER: Mapping[str, LazyString] = {key: sentence for part in PARTS for key, sentence in part.WORDS.items()}


def browser_words() -> dict[str, str]:
    """The scripts' dictionary in the language of this request."""
    return {key: str(sentence) for key, sentence in BROWSER.items()}
