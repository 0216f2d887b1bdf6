"""What the scripts of the curves and of the live indicator say."""

from __future__ import annotations

from collections.abc import Mapping

from flask_babel.speaklater import LazyString

from app.language import lazy_gettext as _

WORDS: Mapping[str, LazyString] = {
    "just_now": _("just now"),
    "ago": _("{age} ago"),
    "off": _("off"),
    "smoothed": _("{name}, smoothed"),
    "no_points": _("no points yet"),
    "drawn": _("{total} points, {drawn} drawn"),
    "stream_connecting": _("Connecting"),
    "stream_live": _("Live"),
    "stream_behind": _("Live, {seconds} s behind"),
    "stream_reconnecting": _("Reconnecting"),
    "stream_refused": _("Asking every 2 s"),
    "stream_away": _("Server away, trying again"),
    "stream_finished": _("Run is over"),
}
