"""The gradient norm: explosions begin, grow graver and end; what is left of a norm; what other rules are told."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from app.diagnosis.row import Row
from app.diagnosis.watch import Watch
from tests.diagnosis.rows import raised, said, sound


def scaled(rows: list[Row], first: int, last: int, times: float) -> list[Row]:
    """The norm of the rows from ``first`` up to ``last`` is ``times`` what it was."""
    return [replace(row, grad_norm=(row.grad_norm or 0) * times) if first <= row.step < last else row for row in rows]


def test_an_explosion_is_one_episode_with_its_numbers() -> None:
    found = said(scaled(sound(), 200, 212, 12.0))
    about = [one for one in found if one.about == "grad_explode"]
    assert [(one.act, one.severity) for one in about] == [
        ("raise", "warning"),
        ("update", "critical"),
        ("clear", "critical"),
    ]
    assert (about[0].step, about[1].step) == (201, 202)
    assert about[0].evidence.ratio == pytest.approx(12, rel=0.4)
    assert about[0].evidence.median == pytest.approx(0.5, rel=0.1)
    assert 212 + 19 <= about[2].step <= 240


@pytest.mark.parametrize("times", [5.0, 20.0, 100.0])
def test_one_high_row_is_no_explosion(times: float) -> None:
    assert raised(said(scaled(sound(), 200, 201, times))) == []


def test_two_high_rows_are_an_explosion_but_where_high_rows_are_usual() -> None:
    usual = sound(700)
    for at in range(60, 600, 15):
        usual = scaled(usual, at, at + 1, 10.0)
    assert raised(said(usual)) == raised(said(scaled(usual, 650, 652, 10.0))) == []
    assert raised(said(scaled(sound(700), 650, 652, 10.0))) == [("grad_explode", 651)]
    assert raised(said(scaled(usual, 650, 700, 10.0)), "grad_explode")[0][1] <= 654


def test_a_norm_that_runs_away_is_told_before_its_peak() -> None:
    norms = {300: 0.95, 301: 2.4, 302: 15.9, 303: 145.0, 304: 960.0, 305: 40.0, 306: 1.9}
    rows = [replace(row, grad_norm=2 * norms[row.step] if row.step in norms else row.grad_norm) for row in sound()]
    assert raised(said(rows), "grad_explode") == [("grad_explode", 302)]


def test_what_stays_high_becomes_usual_and_is_said_once() -> None:
    found = said(scaled(sound(1500), 300, 1500, 15.0))
    assert [one.about for one in found if one.act == "raise"] == ["grad_explode"]
    assert [one.act for one in found] == ["raise", "update", "clear"]


def test_rows_that_overflowed_say_nothing_of_the_norm() -> None:
    rows = [
        replace(row, grad_norm=0.0 if row.step % 2 else 1e9, overflow=True) if 200 <= row.step < 240 else row
        for row in sound()
    ]
    assert raised(said(rows), "grad_explode") == raised(said(rows), "grad_vanish") == []


def test_a_norm_that_comes_back_ends_its_vanishing_and_is_no_explosion() -> None:
    found = said(scaled(sound(600), 200, 400, 1e-5))
    assert [(one.act, one.about) for one in found] == [("raise", "grad_vanish"), ("clear", "grad_vanish")]
    assert 219 <= found[0].step <= 280 and 400 <= found[1].step <= 430


def test_a_norm_that_falls_back_after_an_explosion_has_not_vanished() -> None:
    found = said(scaled(sound(1200), 200, 500, 40.0))
    assert [one.about for one in found if one.act == "raise"] == ["grad_explode"]


def test_a_fiftieth_counts_only_while_the_loss_does_not_fall() -> None:
    faint = scaled(sound(500), 200, 500, 0.02)
    falling = [replace(row, loss=(row.loss or 0) * 0.6 ** max(0.0, (row.step - 200) / 40)) for row in faint]
    assert raised(said(faint), "grad_vanish")
    assert raised(said(falling), "grad_vanish") == []


def test_a_fiftieth_counts_in_a_run_whose_loss_has_fallen_far() -> None:
    early = [
        replace(row, loss=(row.loss or 0) * (1.2 + 3 * fall), grad_norm=(row.grad_norm or 0) * (1 + 19 * fall))
        for row in sound(500)
        for fall in [math.exp(-row.step / 50)]
    ]
    assert raised(said(early), "grad_vanish") == []
    assert raised(said(scaled(early, 200, 500, 0.02)), "grad_vanish")


def test_other_rules_are_told_of_the_norm() -> None:
    watch = Watch()
    for row in scaled(sound(), 300, 400, 12.0):
        watch.take(row)
        if row.step == 303:
            assert watch.course.ratios.values[-1] == pytest.approx(12, rel=0.5)
            assert (watch.course.exploding, watch.course.open) == (3, ["grad_explode"])


def test_a_run_without_a_norm_is_quiet() -> None:
    assert raised(said([replace(row, grad_norm=None) for row in sound()])) == []
