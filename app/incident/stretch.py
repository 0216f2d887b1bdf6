"""Which steps a bundle is about when nobody says: those around the worst open alert, else the newest. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.diagnosis.alert import Alert
from app.diagnosis.handling import Standing
from app.diagnosis.opening import GRAVITY
from app.incident.asked import Asked, Stretch
from app.series.curve import Ints

NEWEST = 1_000  # rows, where nothing was found
AROUND = 200  # rows on each side of a finding, or twice its own length where that is more
LONGEST = 20_000  # rows of a finding that has been open for long: of more the beginning tells


def stretch(asked: Asked, steps: Ints, standing: Sequence[Standing]) -> Stretch | None:
    """``steps`` are those of the run, at least of what is asked for; None where it has none."""
    if not len(steps):
        return None
    every = np.unique(steps)
    low, high = int(every[0]), int(every[-1])
    if not asked.is_open:
        return Stretch(low if asked.first is None else asked.first, high if asked.last is None else asked.last)
    worst = gravest(standing)
    if worst is None:
        return Stretch(int(every[-min(NEWEST, len(every))]), high)
    return around(worst.alert, every)


def gravest(standing: Sequence[Standing]) -> Standing | None:
    """The open alert that somebody has to know of first; of equally grave ones the newest."""
    counting = [one for one in standing if one.counts]
    return max(counting, key=lambda one: (GRAVITY[one.alert.severity], one.alert.raised_step), default=None)


def around(alert: Alert, every: Ints) -> Stretch:
    """The steps of a finding with as many before and after it that one sees what was usual."""
    ends = int(every[-1]) if alert.is_open else alert.last_step
    at = int(np.searchsorted(every, alert.first_step))
    end = min(int(np.searchsorted(every, ends, side="right")), at + LONGEST)
    beside = max(AROUND, min(2 * (end - at), NEWEST))
    return Stretch(int(every[max(0, min(at, len(every) - 1) - beside)]), int(every[min(len(every), end + beside) - 1]))
