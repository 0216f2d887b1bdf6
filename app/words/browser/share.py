"""What the scripts behind "Share" say."""

from __future__ import annotations

from collections.abc import Mapping

from flask_babel.speaklater import LazyString

from app.language import lazy_gettext as _

WORDS: Mapping[str, LazyString] = {
    "share_link": _("Link to this view"),
    "share_link_copied": _("The link to this view is copied."),
    "copy_by_hand": _("This page may not write to the clipboard here; the text is chosen, press Ctrl+C or ⌘C."),
    "copied_short": _("Copied."),
    "link_newer": _(
        "This link was made by a newer version of Tidewatch; what this one does not know of it is left out."
    ),
}
