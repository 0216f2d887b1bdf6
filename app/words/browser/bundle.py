"""What is said while an incident bundle is made."""

from __future__ import annotations

from collections.abc import Mapping

from flask_babel.speaklater import LazyString

from app.language import lazy_gettext as _

WORDS: Mapping[str, LazyString] = {
    "bundle_making": _("Making the incident bundle of steps {first} to {last} …"),
    "bundle_making_worst": _("Making the incident bundle …"),
    "bundle_saved": _("The incident bundle is saved."),
    "bundle_failed": _("No incident bundle: {reason}"),
}
