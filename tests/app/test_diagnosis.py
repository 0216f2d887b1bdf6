"""Findings from counts alone."""

from __future__ import annotations

import pytest

from app.diagnosis.finding import Finding
from app.diagnosis.tally import Tally, findings

CALM = Tally(not_finite=0, overflows=0, told_overflows=0, nan_stops=0, unreadable=0)


def test_a_calm_run_has_good_news() -> None:
    assert findings(CALM) == [Finding("nan_inf", "good"), Finding("overflow", "good")]


def test_a_run_that_does_not_say_whether_it_overflowed_has_no_verdict_on_it() -> None:
    quiet = Tally(not_finite=0, overflows=None, told_overflows=0, nan_stops=0, unreadable=0)
    assert findings(quiet) == [Finding("nan_inf", "good")]


@pytest.mark.parametrize(
    ("tally", "finding"),
    [
        (Tally(2, 0, 0, 1, 0), Finding("nan_inf", "critical", 2)),
        (Tally(0, 0, 0, 1, 0), Finding("nan_stop", "critical")),
        (Tally(0, 4, 0, 0, 0), Finding("overflow", "warning", 4)),
        (Tally(0, None, 3, 0, 0), Finding("overflow", "warning", 3)),
        (Tally(0, 0, 0, 0, 7), Finding("unreadable", "warning", 7)),
        (Tally(0, 0, 0, 0, 0, norm_stops=1), Finding("norm_stop", "critical")),
        (Tally(0, 0, 0, 0, 0, skipped=6), Finding("skipped", "warning", 6)),
        (Tally(0, 0, 0, 0, 0, unhealthy=1), Finding("unhealthy", "warning", 1)),
    ],
)
def test_bad_news_is_told_with_its_count(tally: Tally, finding: Finding) -> None:
    assert finding in findings(tally)
