"""The language of a page: Chinese or English, by the link that led there (``?lang=zh``), else by the visitor's cookie,
else by what the browser prefers.

``gettext``, ``ngettext`` and ``lazy_gettext`` are Flask-Babel's, with types; outside a request they speak English,
or, within ``speaking``, the language that it names: a terminal has no request.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

import flask_babel
from babel.support import NullTranslations, Translations
from flask import Flask, has_request_context, request
from flask_babel.speaklater import LazyString

COOKIE = "tidewatch_language"  # set by assets/language.js
HEADER = "X-Tidewatch-Language"  # sent by assets/language.js in a tab whose link says ?lang=
LANGUAGES = {"en": "EN", "zh": "中"}  # language → what its switch is called
LOCALES = {"en": "en", "zh": "zh_Hans"}
CATALOGUES = Path(__file__).parent / "translations"
HAN = r"[\u4e00-\u9fff]"
# the blank of "%(age)s 前"
GAP = re.compile(rf"(%\((\w+)\)s) (?={HAN})")
_SPOKEN: ContextVar[tuple[str, NullTranslations] | None] = ContextVar("spoken", default=None)


def install(server: Flask) -> None:
    """Make ``server`` answer each visitor in a language of theirs."""
    flask_babel.Babel(server, default_translation_directories=str(CATALOGUES), locale_selector=locale)


def locale() -> str:
    """The catalogue for this request."""
    return LOCALES[language()]


def language() -> str:
    """``en`` or ``zh``."""
    spoken = _SPOKEN.get()
    if spoken is not None:
        return spoken[0]
    if not has_request_context():
        return "en"
    chosen = (request.headers.get(HEADER, ""), primary(request.args.get("lang", "")), request.cookies.get(COOKIE, ""))
    return next((one for one in chosen if one in LANGUAGES), preferred(request.accept_languages.values()))


def preferred(tags: Iterable[str]) -> str:
    """The first language of ours among a browser's, best first: ``en-GB`` is English."""
    return next((one for one in map(primary, tags) if one in LANGUAGES), "en")


def primary(tag: str) -> str:
    """``en`` of ``en-GB``."""
    return tag.split("-")[0].lower()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Everything that is said within the block is said in ``language``, a key of LANGUAGES, in a request or not."""
    before = _SPOKEN.set((language, Translations.load(str(CATALOGUES), [LOCALES[language]])))
    try:
        yield
    finally:
        _SPOKEN.reset(before)


def gettext(text: str, /, **values: object) -> str:
    """``text`` in the request's language, with ``%(name)s`` filled in."""
    return _filled(str(_catalogue().ugettext(text)), values)


def ngettext(one: str, many: str, num: int, **values: object) -> str:
    """The same for a count, which is ``%(num)d`` in the text."""
    return _filled(str(_catalogue().ungettext(one, many, num)), {"num": num, **values})


def _catalogue() -> NullTranslations:
    spoken = _SPOKEN.get()
    return flask_babel.get_translations() if spoken is None else spoken[1]


def _filled(text: str, values: Mapping[str, object]) -> str:
    """``text`` with its values. Between two Chinese characters no blank is left: "12 秒" and " 前" are "12 秒前"."""
    if not values:
        return text
    ends_in_han = {name for name, value in values.items() if re.search(HAN + "$", str(value))}
    return GAP.sub(lambda found: found[1] + ("" if found[2] in ends_in_han else " "), text) % values


def sentences(*several: str) -> str:
    """Whole sentences one after the other; Chinese has no blank between them."""
    return ("" if language() == "zh" else " ").join(one for one in several if one)


def lazy_gettext(text: str) -> LazyString:
    """For constants: translated when it is turned into a string."""
    return LazyString(gettext, text)
