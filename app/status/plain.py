"""A run as one plain line, for files, pipes and terminals without any control codes. Pure."""

from __future__ import annotations

from app.status import sentences
from app.status.sparkline import sparkline
from app.status.summary import Summary

BETWEEN = " | "
SPARKS = 40


def line(one: Summary) -> str:
    """Name, state, progress, values, pace, freshness, troubles and the loss; what a name hides in it is blanked out."""
    values = [f"{name} {value}" for name, value, _finite in sentences.values(one)]
    parts = [
        one.run.name,
        sentences.state(one),
        sentences.progress(one),
        *values,
        *sentences.pace(one),
        sentences.freshness(one),
        *sentences.troubles(one),
        sparkline(one.loss, SPARKS),
    ]
    return printable(BETWEEN.join(part for part in parts if part))


def printable(text: str) -> str:
    """The text without line breaks and control characters: a name is whatever a directory was called."""
    return "".join(one if one.isprintable() else " " for one in text)
