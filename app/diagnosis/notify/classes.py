"""What the file of alerts says of built-in classes: ``throughput: {mute: true}``, ``jitter: {severity: info}``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast, get_args

from app.diagnosis.notify.section import Section
from app.diagnosis.opening import GRAVITY
from app.diagnosis.signal import Class, Severity
from app.diagnosis.tuning import Tuned, Tuning

CLASSES: Sequence[Class] = tuple(one for one in get_args(Class) if one != "custom")


def tuning_of(classes: Section) -> Tuning:
    """A table of classes; problems are noted in the section."""
    if classes.has("custom"):
        classes.asked.add("custom")
        classes.wrong("custom", "Rules of your own say their severity themselves: write it in “rules”.")
    found = {name: _tuned(one) for name in CLASSES if (one := classes.inner(name)) is not None}
    classes.finish()
    return found


def _tuned(one: Section) -> Tuned:
    mute = one.flag("mute", False)
    severity = cast(Severity, one.choice("severity", "warning", GRAVITY)) if one.has("severity") else None
    if mute and severity is not None:
        one.wrong("severity", f"{one.what} is muted, so nobody hears of its severity: remove one of the two.")
    if not one.has("mute") and severity is None:
        one.wrong("mute", f"{one.what} says nothing: add “mute: true” or “severity: info”.")
    one.finish()
    return Tuned(mute, severity)
