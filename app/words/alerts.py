"""What the severities of alerts and the turns of an episode are called."""

from __future__ import annotations

from collections.abc import Mapping

from flask_babel.speaklater import LazyString

from app.diagnosis.notify.letter import Kind
from app.diagnosis.signal import Severity
from app.language import lazy_gettext as _

SEVERITIES: Mapping[Severity, LazyString] = {
    "info": _("information"),
    "warning": _("warning"),
    "critical": _("critical"),
}
KINDS: Mapping[Kind, LazyString] = {
    "begin": _("began"),
    "escalation": _("needs attention"),
    "end": _("over"),
}
