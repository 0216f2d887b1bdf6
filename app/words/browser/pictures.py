"""What pictures of curves and maps say, and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping

from flask_babel.speaklater import LazyString

from app.language import lazy_gettext as _

WORDS: Mapping[str, LazyString] = {
    "picture_between": _(" · "),
    "picture_steps": _("steps {first} to {last}"),
    "picture_by": _("by {axis}"),
    "picture_x_step": _("step"),
    "picture_x_samples": _("samples"),
    "picture_x_tokens": _("tokens"),
    "picture_x_relative": _("time since the first point"),
    "picture_x_wall": _("wall clock ({zone})"),
    "picture_smoothing": _("smoothing {weight}"),
    "picture_all_attempts": _("all attempts"),
    "picture_clipped": _("outliers may lie outside"),
    "picture_smoothed": _("{name}, smoothed {weight}"),
    "picture_earlier": _("earlier attempts"),
    "picture_outside": _("outside of the panel"),
    "picture_baseline": _("{run} (baseline)"),
    "picture_nan": _("NaN"),
    "picture_inf": _("±Inf"),
    "picture_frozen": _("as of {time}"),
    "picture_log": _("logarithmic"),
    "picture_rows": _("{count} rows"),
    "picture_in_sight": _("those in sight of {count}"),
    "picture_odd": _("{count} odd"),
    "picture_more": _("and {count} more"),
    "picture_smaller": _("The picture is so large that it was made less fine: {width} × {height} pixels."),
    "picture_no_clipboard": _(
        "No page may copy a picture here: browsers want https or this machine's own address. Save it instead."
    ),
    "picture_copied": _("Picture copied"),
    "picture_failed": _("The picture could not be made: {reason}"),
}
