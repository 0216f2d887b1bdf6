"""What time goes to is called, and what cannot be told of it."""

from __future__ import annotations

from collections.abc import Mapping

from flask_babel.speaklater import LazyString

from app.language import lazy_gettext as _
from app.series.ledger import Cause, Unknown

CAUSES: Mapping[Cause, LazyString] = {
    "productive": _("Training that counts"),
    "redone": _("Thrown away and done again"),
    "evaluation": _("Evaluation"),
    "checkpoint": _("Saving checkpoints"),
    "startup": _("Start-up and compilation"),
    "stalled": _("Stalled"),
    "down": _("No job running"),
}

MEANINGS: Mapping[Cause, LazyString] = {
    "productive": _("Steps that are in the model, at whatever speed."),
    "redone": _("Steps after a checkpoint that a later attempt began from; the model holds nothing of them."),
    "evaluation": _("What evaluations took beyond the steps beside them."),
    "checkpoint": _("What saving took beyond the steps beside it; a checkpoint saved in the background costs nothing."),
    "startup": _("From the start of a job to its first step."),
    "stalled": _("Pauses of more than twice the usual length that nothing in the log explains."),
    "down": _("From the last sign of one job to the start of the next."),
}

UNKNOWN: Mapping[Unknown, LazyString] = {
    "no_log": _(
        "No log tells of starts, evaluations and checkpoints: they count as stalled or as no job running, and what "
        "lies before the first point does not count."
    ),
    "no_start": _(
        "Of some attempts no line tells when they began: their start-up is counted as no job running, or not at all."
    ),
    "clock_back": _("The clock of the files went back at least once; such a pause counts nothing."),
}
