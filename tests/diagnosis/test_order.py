"""Which rows count, and what is said of a step that goes back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.diagnosis.course import HOLD
from app.diagnosis.row import Row
from app.diagnosis.watch import Watch
from tests.diagnosis.rows import raised, said, sound

HOUR = 3600.0


@pytest.mark.parametrize("interval", [1, 10, 50])
def test_lines_twice_and_a_little_out_of_order_are_passed_over(interval: int) -> None:
    rows = sound(100, interval=interval)
    mixed = [*rows[:50], rows[49], rows[47], *rows[50:]]
    whole, watch = Watch(), Watch()
    for row in rows:
        whole.take(row)
    for row in mixed:
        assert list(watch.take(row)) == []
    assert (watch.course.n, watch.gradient) == (whole.course.n, whole.gradient)


@pytest.mark.parametrize("interval", [1, 10, 50])
def test_a_resume_that_goes_back_is_said_once_and_is_over_soon(interval: int) -> None:
    rows = [*sound(100, interval=interval), *sound(60, interval=interval, first=1 + 80 * interval)]
    found = said(rows, clock=False)
    assert [(one.act, one.about, one.severity) for one in found] == [
        ("raise", "step_regress", "info"),
        ("clear", "step_regress", "info"),
    ]
    assert (found[0].step, found[1].step) == (1 + 80 * interval, 1 + (80 + HOLD) * interval)
    assert dict(found[0].evidence.beside) == {"steps_back": 19 * interval}


@pytest.mark.parametrize(("apart", "severity"), [(HOUR, "warning"), (13 * HOUR, "info")])
def test_the_third_resume_of_a_day_is_a_warning(apart: float, severity: str) -> None:
    parts = [[replace(row, t=(row.t or 0) + k * apart) for row in sound(60)] for k in range(4)]
    found = said([row for part in parts for row in part], clock=False)
    assert [one.severity for one in found if one.act == "raise"] == ["info", "info", severity]


@pytest.mark.parametrize("back", [20, 90, 180])
def test_a_loss_that_is_higher_where_the_run_goes_back_to_is_no_spike(back: int) -> None:
    def falling(rows: list[Row]) -> list[Row]:
        return [replace(row, loss=(row.loss or 0) * 3 / (1 + row.step / 100) ** 0.8) for row in rows]

    rows = falling([*sound(300), *sound(300, first=300 - back, seed=2)])
    assert [one.about for one in said(rows, clock=False) if one.act == "raise"] == ["step_regress"]


def test_a_spike_after_going_back_is_one_all_the_same() -> None:
    rows = [*sound(300), *sound(300, first=200, seed=2)]
    rows = [replace(row, loss=(row.loss or 0) * 1.4) if 340 <= k < 352 else row for k, row in enumerate(rows)]
    assert [one.about for one in said(rows, clock=False) if one.act == "raise"] == ["step_regress", "loss_spike"]


def test_a_resume_into_the_warm_up_follows_the_schedule() -> None:
    rates = [1e-4 * min(1.0, row.step / 100) for row in sound(300)]
    first = [replace(row, lr=rate) for row, rate in zip(sound(300), rates, strict=True)]
    assert raised(said([*first, *first[40:]], clock=False)) == [("step_regress", 41)]
