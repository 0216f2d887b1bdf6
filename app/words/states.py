"""What states and kinds of event are called, and how they sound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from flask_babel.speaklater import LazyString

from app.language import lazy_gettext as _

Tone = Literal["good", "warn", "bad", "info", ""]


@dataclass(frozen=True, slots=True)
class Word:
    """What a state is called and how it sounds; the colour is never alone."""

    text: LazyString
    tone: Tone = ""


STATUSES: Mapping[str, Word] = {
    "running": Word(_("Running"), "good"),
    "quiet": Word(_("Quiet"), "warn"),
    "finished": Word(_("Finished")),
    "failed": Word(_("Failed"), "bad"),
    "waiting": Word(_("Waiting")),
    "collector_away": Word(_("Not followed"), "warn"),
    "catching_up": Word(_("Catching up")),
}

EVENTS: Mapping[str, Word] = {
    "start": Word(_("Start"), "info"),
    "resume": Word(_("Resume"), "info"),
    "compile": Word(_("Compile"), "info"),
    "train": Word(_("Training begins"), "info"),
    "checkpoint": Word(_("Checkpoint"), "good"),
    "eval": Word(_("Evaluation"), "good"),
    "overflow": Word(_("Overflow"), "warn"),
    "skip": Word(_("Batch skipped"), "warn"),
    "nan_stop": Word(_("Stopped by NaN"), "bad"),
    "norm_spike": Word(_("Gradient norm spike"), "warn"),
    "norm_stop": Word(_("Stopped by gradient norm"), "bad"),
    "sdc": Word(_("Silent data corruption"), "bad"),
    "stress": Word(_("Stress test"), "info"),
    "moe": Word(_("Expert load"), "info"),
    "error": Word(_("Error"), "bad"),
    "traceback": Word(_("Traceback"), "bad"),
    "end": Word(_("End"), "good"),
}

DERIVED: Mapping[str, Word] = {  # not told by a line: found by looking at the curves
    "restart": Word(_("Restart"), "info"),
    "loss_scale": Word(_("Loss scale changed"), "info"),
    "lr_phase": Word(_("Learning-rate phase"), "info"),
}


def status_word(status: str) -> Word:
    """The word of a status; one that is not known yet is said as it is spelled."""
    return STATUSES.get(status) or Word(LazyString(lambda: status.replace("_", " ").capitalize()))


def event_word(kind: str) -> Word:
    """The word of an event's kind; one that is not known yet is said as it is spelled."""
    return EVENTS.get(kind) or DERIVED.get(kind) or Word(LazyString(lambda: kind.replace("_", " ").capitalize()))
