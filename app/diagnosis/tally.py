"""Rules that need no more than counts of what was read: NaN and infinities, stops, overflows, skipped batches,
checkpoints that are not healthy, unreadable records. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from app.diagnosis.finding import Finding, Rule
from app.diagnosis.stops import Stops

NONE = Stops()


@dataclass(frozen=True, slots=True)
class Tally:
    """What was counted in a run. ``overflows`` is None when no file says whether steps overflowed."""

    not_finite: int  # points of the run's curves that are NaN or infinite, as far as they stand
    overflows: int | None  # steps marked as overflown by a series
    told_overflows: int  # steps whose line said so, as far as the events reach
    nan_stops: Stops  # where training stopped itself at a NaN
    unreadable: int  # records given up
    norm_stops: Stops = NONE  # where training stopped itself at a gradient norm
    skipped: int = 0  # steps whose batch was thrown away, as far as the events reach
    unhealthy: int = 0  # checkpoints that are not to be gone back to
    redone: int = 0  # NaN or infinite points of steps that a later attempt has done again


def findings(tally: Tally) -> list[Finding]:
    """What the counts say, good news included, the gravest first."""
    found = [nan_inf(tally), norm_stop(tally), overflow(tally), skipped(tally), unhealthy(tally), unreadable(tally)]
    return [one for one in found if one is not None]


def nan_inf(tally: Tally) -> Finding:
    """A NaN or infinity in a curve; else the line that training stopped by; else what is past; else the good news."""
    if tally.not_finite:
        return Finding("nan_inf", "critical", tally.not_finite)
    if tally.nan_stops.open:
        return Finding("nan_stop", "critical")
    if tally.redone:
        return Finding("nan_inf", "past", tally.redone)
    return stop("nan_stop", tally.nan_stops) or Finding("nan_inf", "good")


def norm_stop(tally: Tally) -> Finding | None:
    """That the gradient norm ended the run, or an attempt of it."""
    return stop("norm_stop", tally.norm_stops)


def stop(rule: Rule, told: Stops) -> Finding | None:
    """One that training has not gone past, else the furthest one that it has."""
    if told.open:
        return Finding(rule, "critical")
    return None if told.past is None else Finding(rule, "past", step=told.past)


def skipped(tally: Tally) -> Finding | None:
    """How many batches were thrown away."""
    return Finding("skipped", "warning", tally.skipped) if tally.skipped else None


def unhealthy(tally: Tally) -> Finding | None:
    """How many checkpoints are not to be gone back to."""
    return Finding("unhealthy", "warning", tally.unhealthy) if tally.unhealthy else None


def overflow(tally: Tally) -> Finding | None:
    """How many steps overflowed; nothing when the run does not say."""
    count = tally.overflows or tally.told_overflows
    if count:
        return Finding("overflow", "warning", count)
    return None if tally.overflows is None else Finding("overflow", "good")


def unreadable(tally: Tally) -> Finding | None:
    """Records that could not be read."""
    return Finding("unreadable", "warning", tally.unreadable) if tally.unreadable else None
