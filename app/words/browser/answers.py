"""What scripts say of the server's answers where the server says nothing itself."""

from __future__ import annotations

from collections.abc import Mapping

from flask_babel.speaklater import LazyString

from app.language import lazy_gettext as _

WORDS: Mapping[str, LazyString] = {
    "answer_none": _("The server cannot be reached."),
    "answer_bad": _("The server answered with the error {status}."),
}
