"""What the scripts of the panels, of their heads and menus, and of the search for tags say."""

from __future__ import annotations

from collections.abc import Mapping

from flask_babel.speaklater import LazyString

from app.language import lazy_gettext as _

WORDS: Mapping[str, LazyString] = {
    "x_step": _("Step"),
    "x_samples": _("Samples"),
    "x_tokens": _("Tokens"),
    "x_relative": _("Time since the start"),
    "x_wall": _("Wall clock"),
    "x_step_at": _("Step {x}"),
    "x_samples_at": _("{x} samples"),
    "x_tokens_at": _("{x} tokens"),
    "x_relative_at": _("{x} s since the start"),
}
