"""What scripts say of sessions."""

from __future__ import annotations

from collections.abc import Mapping

from flask_babel.speaklater import LazyString

from app.language import lazy_gettext as _

WORDS: Mapping[str, LazyString] = {
    "access_ended": _(
        "You are logged out: the session has ended, or the password is another one now. What is shown here is not "
        "renewed any more."
    ),
    "access_out": _("Logged out"),
    "access_log_in": _("Log in"),
}
