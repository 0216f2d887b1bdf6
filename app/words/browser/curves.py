"""What the scripts of the curves and of the live indicator say."""

from __future__ import annotations

from collections.abc import Mapping

from flask_babel.speaklater import LazyString

from app.language import lazy_gettext as _

WORDS: Mapping[str, LazyString] = {
    "just_now": _("just now"),
    "ago": _("{age} ago"),
    "smoothed_to": _("smoothed {value}"),
    "of_attempt": _("{name}, attempt {attempt}"),
    "attempt_alone": _("Attempt {attempt} alone"),
    "at_step": _("step {step}"),
    "gap": _("evaluation minus training"),
    "source_tensorboard": _("event file"),
    "source_mindspore": _("summary file"),
    "source_log": _("log"),
    "x_lacks_clock": _("no point has a time: the log's lines have no clock that could be read"),
    "x_lacks_batch": _("the global batch size is not known: let the log print the configuration"),
    "x_lacks_length": _("global batch size or seq_length is not known: let the log print the configuration"),
    "stream_connecting": _("Connecting"),
    "stream_live": _("Live"),
    "stream_behind": _("Live, {seconds} s behind"),
    "stream_reconnecting": _("Reconnecting"),
    "stream_refused": _("Asking every 2 s"),
    "stream_away": _("Server away, trying again"),
    "stream_finished": _("Run is over"),
}
