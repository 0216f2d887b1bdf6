"""The numbers that a finding rests on, one by one, with their names: for those who want to check it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from app.diagnosis.alert import Alert
from app.figures import numbers
from app.language import gettext as _
from app.words.evidence import times

BESIDE: Mapping[str, Callable[[], str]] = {  # name of a number in Evidence.beside
    "peak": lambda: _("Peak"),
    "gradient_ratio": lambda: _("Gradient norm over its usual"),
    "overflows": lambda: _("Overflows"),
    "halvings": lambda: _("Halvings"),
    "least_step": lambda: _("Step of the lowest value"),
    "train_fell": lambda: _("Training loss since then (log)"),
    "threshold": lambda: _("Threshold"),
    "usual_sigma": lambda: _("Usual scatter"),
    "spread": lambda: _("Usual spread"),
    "rho": lambda: _("Autocorrelation"),
    "rows": lambda: _("Rows"),
    "ranks": lambda: _("Ranks compared"),
    "of_limit": lambda: _("Part of its limit"),
    "mean_rows": lambda: _("Rows of the mean"),
    "autocorrelation": lambda: _("Autocorrelation"),
    "deviation": lambda: _("Mean deviation"),
    "empty_files": lambda: _("Empty event files"),
    "sealed_files": lambda: _("Event files that cannot be read"),
    "patience": lambda: _("Patience (seconds)"),
    "steps_back": lambda: _("Steps back"),
    "loss_scale": lambda: _("Loss scale"),
}
COUNTS = {
    "overflows",
    "halvings",
    "least_step",
    "rows",
    "ranks",
    "steps_back",
    "mean_rows",
    "empty_files",
    "sealed_files",
}
UNSAID = {"own_level"}  # of use to a developer alone

Row = tuple[str, str]


def grounds(alert: Alert) -> list[Row]:
    """Name and number in words, in the order in which they are read."""
    told = alert.evidence
    rows = [
        (_("Value"), told.value, numbers.value),
        (_("Usual (median)"), told.median, numbers.value),
        (_("Scatter (σ)"), told.sigma, numbers.value),
        (_("Distance in σ"), told.z, lambda number: f"{number:.1f}".replace("-", "−")),
        (_("Ratio to the usual"), told.ratio, times),
        *((_name(name), number, _manner(name)) for name, number in told.beside if name not in UNSAID),
        (_("Points used"), float(told.points), numbers.count),
    ]
    said = [(name, say(number)) for name, number, say in rows if number is not None and not math.isnan(number)]
    return said if told.value is None or not math.isnan(told.value) else [(_("Value"), "NaN"), *said]


def _name(name: str) -> str:
    known = BESIDE.get(name)
    return known() if known else name.replace("_", " ")


def _manner(name: str) -> Callable[[float], str]:
    return numbers.count if name in COUNTS else numbers.value
