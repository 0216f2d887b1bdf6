"""The row of short verdicts under the header, good news included. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from dash import html
from dash.development.base_component import Component

from app.figures import numbers
from app.language import gettext as _
from app.language import ngettext
from app.pages.shown import RunShown
from app.words import Tone


@dataclass(frozen=True, slots=True)
class Badge:
    """One verdict: a count where there is one, and words."""

    text: str
    tone: Tone = ""
    count: int | None = None


def badges(run: RunShown) -> list[Badge]:
    """What can be said of the run from its events, its values and its files."""
    if run.seen.step is None:
        return []
    found = [not_finite(run), overflow(run), checkpoints(run), unreadable(run)]
    return [badge for badge in found if badge is not None]


def not_finite(run: RunShown) -> Badge:
    """Points that are NaN or infinite, or the line that training stopped by."""
    if run.counts.not_finite:
        return Badge(_("NaN or Inf"), "bad", run.counts.not_finite)
    return Badge(_("Stopped by NaN"), "bad") if run.events_of("nan_stop") else Badge(_("No NaN or Inf"), "good")


def overflow(run: RunShown) -> Badge | None:
    """How many steps overflowed; nothing when the run does not say."""
    count = run.counts.overflows or run.events_of("overflow")
    if count:
        return Badge(ngettext("Overflow", "Overflows", count), "warn", count)
    return None if run.counts.overflows is None else Badge(_("No overflow"), "good")


def checkpoints(run: RunShown) -> Badge | None:
    """How many checkpoints were written, as far as the events reach."""
    count = run.events_of("checkpoint")
    return Badge(ngettext("Checkpoint", "Checkpoints", count), "", count) if count else None


def unreadable(run: RunShown) -> Badge | None:
    """Records that could not be read."""
    count = run.unreadable
    return Badge(ngettext("Unreadable record", "Unreadable records", count), "warn", count) if count else None


def badge_row(run: RunShown) -> list[Component]:
    """The badges as list items."""
    return [show(badge) for badge in badges(run)]


def show(badge: Badge) -> Component:
    """One badge."""
    number = [html.B(numbers.count(badge.count))] if badge.count is not None else []
    return html.Li([*number, badge.text], className=f"badge {badge.tone}")
