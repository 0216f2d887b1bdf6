"""Findings from counts alone."""

from __future__ import annotations

import pytest

from app.diagnosis.finding import Finding
from app.diagnosis.stops import Stops, stops
from app.diagnosis.tally import Tally, findings

CALM = Tally(not_finite=0, overflows=0, told_overflows=0, nan_stops=Stops(), unreadable=0)


def test_a_calm_run_has_good_news() -> None:
    assert findings(CALM) == [Finding("nan_inf", "good"), Finding("overflow", "good")]


def test_a_run_that_does_not_say_whether_it_overflowed_has_no_verdict_on_it() -> None:
    quiet = Tally(not_finite=0, overflows=None, told_overflows=0, nan_stops=Stops(), unreadable=0)
    assert findings(quiet) == [Finding("nan_inf", "good")]


@pytest.mark.parametrize(
    ("tally", "finding"),
    [
        (Tally(2, 0, 0, Stops(1), 0), Finding("nan_inf", "critical", 2)),
        (Tally(0, 0, 0, Stops(1), 0), Finding("nan_stop", "critical")),
        (Tally(0, 4, 0, Stops(), 0), Finding("overflow", "warning", 4)),
        (Tally(0, None, 3, Stops(), 0), Finding("overflow", "warning", 3)),
        (Tally(0, 0, 0, Stops(), 7), Finding("unreadable", "warning", 7)),
        (Tally(0, 0, 0, Stops(), 0, norm_stops=Stops(1, past=40)), Finding("norm_stop", "critical")),
        (Tally(0, 0, 0, Stops(), 0, norm_stops=Stops(0, past=40)), Finding("norm_stop", "past", step=40)),
        (Tally(0, 0, 0, Stops(0, past=40), 0), Finding("nan_stop", "past", step=40)),
        (Tally(0, 0, 0, Stops(0, past=40), 0, redone=3), Finding("nan_inf", "past", 3)),
        (Tally(1, 0, 0, Stops(), 0, redone=3), Finding("nan_inf", "critical", 1)),
        (Tally(0, 0, 0, Stops(), 0, skipped=6), Finding("skipped", "warning", 6)),
        (Tally(0, 0, 0, Stops(), 0, unhealthy=1), Finding("unhealthy", "warning", 1)),
    ],
)
def test_bad_news_is_told_with_its_count(tally: Tally, finding: Finding) -> None:
    assert finding in findings(tally)


@pytest.mark.parametrize(
    ("steps", "newest", "found"),
    [
        ([], 100, Stops()),
        ([50, 50], None, Stops(2)),
        ([50, 50], 50, Stops(2)),
        ([50], 80, Stops(1)),  # three log intervals: these may be the last records of the attempt that it stopped
        ([50, 20], 81, Stops(0, past=50)),
        ([50, 90], 81, Stops(1, past=50)),
        ([None], 81, Stops(1)),
    ],
)
def test_a_stop_is_past_when_training_is_well_beyond_it(
    steps: list[int | None], newest: int | None, found: Stops
) -> None:
    assert stops(steps, newest, 10.0) == found
