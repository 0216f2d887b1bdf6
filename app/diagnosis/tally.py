"""Rules that need no more than counts of what was read: NaN and infinities, stops, overflows, skipped batches,
checkpoints that are not healthy, unreadable records. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from app.diagnosis.finding import Finding


@dataclass(frozen=True, slots=True)
class Tally:
    """What was counted in a run. ``overflows`` is None when no file says whether steps overflowed."""

    not_finite: int  # points of the run's curves that are NaN or infinite
    overflows: int | None  # steps marked as overflown by a series
    told_overflows: int  # steps whose line said so, as far as the events reach
    nan_stops: int  # lines by which training stopped itself at a NaN
    unreadable: int  # records given up
    norm_stops: int = 0  # lines by which training stopped itself at a gradient norm
    skipped: int = 0  # steps whose batch was thrown away, as far as the events reach
    unhealthy: int = 0  # checkpoints that are not to be gone back to


def findings(tally: Tally) -> list[Finding]:
    """What the counts say, good news included, the gravest first."""
    found = [nan_inf(tally), norm_stop(tally), overflow(tally), skipped(tally), unhealthy(tally), unreadable(tally)]
    return [one for one in found if one is not None]


def nan_inf(tally: Tally) -> Finding:
    """A NaN or infinity in a curve; else the line that training stopped by; else the good news."""
    if tally.not_finite:
        return Finding("nan_inf", "critical", tally.not_finite)
    return Finding("nan_stop", "critical") if tally.nan_stops else Finding("nan_inf", "good")


def norm_stop(tally: Tally) -> Finding | None:
    """That the gradient norm ended the run, or an attempt of it."""
    return Finding("norm_stop", "critical") if tally.norm_stops else None


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
