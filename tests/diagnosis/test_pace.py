"""Learning rate, step time, silence, summaries and loss scale, each by rows made for it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from app.diagnosis.row import Declared, Plan, Row
from app.diagnosis.watch import Watch
from tests.diagnosis.rows import SECONDS, raised, said, sound


def rated(rates: list[float], *, first: int = 1) -> list[Row]:
    """A sound run with these learning rates."""
    return [replace(row, lr=rate) for row, rate in zip(sound(len(rates), first=first), rates, strict=True)]


def cosine(count: int, part: float = 1.0) -> list[float]:
    return [5e-5 * (1 + math.cos(math.pi * part * k / count)) for k in range(count)]


# ---- learning rate
def test_a_jump_of_the_learning_rate_is_told_at_once_and_ends_with_it() -> None:
    rates = cosine(600)
    rates[300:320] = [10 * one for one in rates[300:320]]
    found = [one for one in said(rated(rates)) if one.about == "lr_anomaly"]
    assert [(one.act, one.step) for one in found] == [("raise", 301), ("clear", 332)]
    assert found[0].evidence.ratio == pytest.approx(10, rel=0.02)


def test_a_learning_rate_that_is_gone_before_the_end_is_told() -> None:
    rates = [1e-4] * 200 + [0.0] * 100
    assert raised(said(rated(rates), Plan(1000)), "lr_anomaly") == [("lr_anomaly", 201)]


def test_schedules_that_end_at_nothing_are_sound() -> None:
    assert raised(said(rated([*cosine(390), *[0.0] * 10]), Plan(400))) == []


def test_a_step_decay_to_a_tenth_is_sound() -> None:
    assert raised(said(rated([1e-3] * 150 + [1e-4] * 150 + [1e-5] * 100))) == []


@pytest.mark.parametrize("digits", [6, 7])
def test_a_learning_rate_printed_with_six_decimals_moves_in_quanta(digits: int) -> None:
    up = [3e-5 * (k + 1) / 300 for k in range(300)]
    down = [1.5e-5 * (1 + math.cos(math.pi * k / 600)) for k in range(600)]
    assert raised(said(rated([round(one, digits) for one in up + down]))) == []


def test_a_second_warm_up_is_told_unless_it_was_declared() -> None:
    rates = [1e-4 * (k + 1) / 40 for k in range(40)] + [1e-4] * 160 + [1e-4 * (k + 1) / 100 for k in range(100)]
    rows = rated(rates + [1e-4] * 100)
    declared = Plan(declared=(Declared(201, "resume_rewarm"),))
    assert raised(said(rows), "lr_anomaly") == [("lr_anomaly", 201)]
    assert raised(said(rows, declared), "lr_anomaly") == []


@pytest.mark.parametrize("rows", [200, 600, 3000])
def test_a_run_that_begins_again_from_its_first_step_warms_up_again(rows: int) -> None:
    """However long it was: what is remembered of a schedule becomes coarser, but not shorter."""
    rates = [1e-4 * min(1.0, (k + 1) / 40) for k in range(rows)]
    assert raised(said(rated(rates) + rated(rates)), "lr_anomaly") == []


@pytest.mark.parametrize("rows", [100, 260, 400])
def test_a_schedule_that_restarts_is_told_once(rows: int) -> None:
    again = [one + 5e-6 for one in cosine(rows)] * (1600 // rows)
    assert raised(said(rated(again)), "lr_anomaly") == [("lr_anomaly", rows + 1)]


def test_a_resume_whose_learning_rate_is_not_what_it_was_is_told() -> None:
    rates = cosine(400)
    same = rated(rates) + rated(rates, first=1)[300:]
    other = rated(rates) + [replace(row, lr=(row.lr or 0) * 5) for row in rated(rates)[300:]]
    assert raised(said(same, clock=False), "lr_anomaly") == []
    assert raised(said(other, clock=False), "lr_anomaly") == [("lr_anomaly", 304)]


# ---- step time
def timed(rows: list[Row], times: float, first: int) -> list[Row]:
    return [replace(row, step_time=SECONDS * times) if row.step >= first else row for row in rows]


def test_five_percent_slower_is_told_and_how_much_slower() -> None:
    found = [one for one in said(timed(sound(600), 1.06, 300)) if one.about == "throughput"]
    assert [(one.act, one.severity) for one in found] == [("raise", "warning")]
    assert 350 <= found[0].step <= 420 and found[0].evidence.ratio == pytest.approx(1.06, rel=0.01)


def test_far_slower_is_critical_and_ends_when_it_is_over() -> None:
    rows = timed(timed(sound(900), 1.5, 300), 1.0, 600)
    found = [one for one in said(rows) if one.about == "throughput"]
    assert [(one.act, one.severity) for one in found] == [("raise", "critical"), ("clear", "critical")]


def test_a_larger_batch_may_take_longer() -> None:
    rows = [replace(row, gbs=64.0 * (1 + row.step // 200)) for row in sound(600)]
    rows = [replace(row, step_time=SECONDS * (row.gbs or 0) / 64) for row in rows]
    assert raised(said(rows), "throughput") == []


def test_a_run_that_prints_no_step_time_is_judged_by_its_clock() -> None:
    rows = [replace(row, step_time=None, t=1000 + row.step * 10 + max(0, row.step - 300) * 2) for row in sound(600)]
    assert len(raised(said(rows), "throughput")) == 1


def test_a_restart_may_be_slow_at_first() -> None:
    rows = [*sound(300), *timed(sound(300, first=280), 1.0, 0)]
    rows[300:303] = [replace(row, step_time=300.0) for row in rows[300:303]]
    assert raised(said(rows, clock=False), "throughput") == []


# ---- silence
def paused(rows: list[Row], at: int, seconds: float) -> list[Row]:
    return [replace(row, t=(row.t or 0) + seconds) if row.step > at else row for row in rows]


def test_a_stall_is_told_before_the_next_row_and_ends_with_it() -> None:
    found = [one for one in said(paused(sound(), 200, 600)) if one.about == "stall"]
    assert [(one.act, one.step, one.severity) for one in found] == [
        ("raise", 200, "critical"),
        ("clear", 201, "critical"),
    ]
    assert found[0].t is not None and found[0].t < (sound()[200].t or 0) + 600


def test_silence_is_no_stall_after_the_last_planned_step_nor_before_ten_rows() -> None:
    rows = sound(100)
    done, young = Watch.of(Plan(100)), Watch.of(Plan(1000))
    for row in rows:
        done.take(row)
    for row in rows[:5]:
        young.take(row)
    assert (done.at(1e9), young.at((rows[4].t or 0) + 1700)) == ((), ())
    assert [one.about for one in young.at((rows[4].t or 0) + 1900)] == ["stall"]


def test_the_last_planned_step_may_not_be_logged() -> None:
    watch = Watch.of(Plan(996, interval=10))
    for row in sound(100, interval=10, first=0):
        watch.take(row)
    assert watch.at(1e9) == ()


def test_a_stall_is_said_once() -> None:
    watch = Watch.of(Plan(1000))
    for row in sound(100):
        watch.take(row)
    assert [len(watch.at(3000.0 + 100 * k)) for k in range(3)] == [1, 0, 0]


def test_long_pauses_at_regular_steps_are_learnt() -> None:
    rows = sound(6000)
    for at in range(1000, 6000, 1000):
        rows = paused(rows, at, SECONDS * 18)
    assert raised(said(rows), "stall") == []


# ---- summaries
def test_summaries_that_hold_nothing_are_told_until_the_first_scalar() -> None:
    rows, watch = sound(120), Watch.of(Plan(), expects=True)
    found = [one for row in rows[:100] for one in watch.take(row)]
    watch.show()
    found += [one for row in rows[100:] for one in watch.take(row)]
    assert [(one.act, one.about, one.step) for one in found] == [
        ("raise", "tb_missing", 51),
        ("clear", "tb_missing", 101),
    ]


def test_summaries_that_nobody_expects_are_not_missed() -> None:
    assert raised(said(sound(120)), "tb_missing") == []


# ---- loss scale
def test_a_loss_scale_at_its_floor_is_critical() -> None:
    scales = [2.0**14] * 100 + [2.0 ** max(0, 14 - k // 2) for k in range(100)]
    rows = [replace(row, loss_scale=scale) for row, scale in zip(sound(200), scales, strict=True)]
    found = [one for one in said(rows) if one.about == "loss_scale"]
    assert [(one.act, one.severity) for one in found] == [("raise", "warning"), ("update", "critical")]


def test_a_scale_that_is_searched_for_or_never_moves_is_sound() -> None:
    searched = [2.0 ** max(12, 32 - k) for k in range(200)]
    for scales in (searched, [1.0] * 200):
        rows = [replace(row, loss_scale=scale) for row, scale in zip(sound(200), scales, strict=True)]
        assert raised(said(rows), "loss_scale") == []
