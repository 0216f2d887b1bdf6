"""What the rules of the loss say row by row: numbers that are none, spikes, divergences, jitter, plateaus."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from app.diagnosis.row import Declared, Plan, Row
from app.diagnosis.signal import Signal
from tests.diagnosis.rows import raised, said, sound

LOSS = {"nan_inf", "loss_spike", "divergence", "jitter", "plateau"}
AT = 250  # row at which something happens; its step is one more


def changed(rows: Sequence[Row], at: Iterable[int], change: Callable[[Row], Row]) -> list[Row]:
    chosen = set(at)
    return [change(row) if k in chosen else row for k, row in enumerate(rows)]


def times(factor: float) -> Callable[[Row], Row]:
    return lambda row: replace(row, loss=(row.loss or 0.0) * factor)


def raised_norm(factor: float) -> Callable[[Row], Row]:
    return lambda row: replace(row, grad_norm=(row.grad_norm or 0.0) * factor)


def with_losses(losses: Iterable[float], rows: Sequence[Row]) -> list[Row]:
    return [replace(row, loss=float(loss)) for row, loss in zip(rows, losses, strict=True)]


def of_loss(found: Sequence[Signal]) -> list[tuple[str, str, int]]:
    return [(one.act, one.about, one.step) for one in found if one.about in LOSS]


# ---- nan_inf
@pytest.mark.parametrize(
    ("change", "part"),
    [
        (lambda row: replace(row, loss=math.nan), "N1"),
        (lambda row: replace(row, loss=math.inf), "N1"),
        (lambda row: replace(row, grad_norm=math.inf), "N2"),
        (lambda row: replace(row, loss=0.0, grad_norm=math.nan), "N2"),
        (lambda row: replace(row, loss=0.0, grad_norm=None), "N3"),
    ],
    ids=["loss", "infinite", "norm", "zero beside a norm", "zero alone"],
)
def test_what_is_no_number_is_said_at_its_row_and_over_after_twenty(change: Callable[[Row], Row], part: str) -> None:
    found = said(changed(sound(), [AT], change))
    assert of_loss(found) == [("raise", "nan_inf", AT + 1), ("clear", "nan_inf", AT + 21)]
    assert next((one.rule, one.severity) for one in found if one.about == "nan_inf") == (part, "critical")


def test_an_overflow_that_is_skipped_is_a_warning_until_it_comes_again() -> None:
    rows = changed(sound(), [AT, AT + 1], lambda row: replace(row, loss=math.nan, overflow=True))
    found = [one for one in said(rows) if one.about == "nan_inf"]
    assert [(one.act, one.severity) for one in found] == [
        ("raise", "warning"),
        ("update", "critical"),
        ("clear", "critical"),
    ]
    assert raised(said(changed(sound(), [AT], lambda row: replace(row, grad_norm=math.inf, overflow=True)))) == []


def test_a_loss_of_zero_with_a_norm_is_a_loss() -> None:
    assert "nan_inf" not in {one.about for one in said(changed(sound(), [AT], lambda row: replace(row, loss=0.0)))}


# ---- loss_spike
def test_a_small_spike_is_said_with_its_numbers_and_its_end() -> None:
    found = said(changed(sound(), range(AT, AT + 12), times(1.09)))
    assert [(act, about) for act, about, _ in of_loss(found)] == [("raise", "loss_spike"), ("clear", "loss_spike")]
    begin, end = (one for one in found if one.about == "loss_spike")
    assert (begin.severity, begin.first_step) == ("warning", AT + 1)
    assert begin.step <= AT + 4
    assert end.step == AT + 12 + 5
    told = begin.evidence
    assert told.value is not None and told.median is not None and told.ratio is not None and told.z is not None
    assert told.median == pytest.approx(2.5 * 2.25**-0.05, rel=0.02)
    assert told.ratio == pytest.approx(1.09, abs=0.04)
    assert told.z > 5
    assert dict(told.beside)["gradient_ratio"] < 2


def test_a_hard_batch_is_no_spike_whatever_its_norm() -> None:
    rows = changed(sound(), range(60, 400, 30), times(1.85))
    assert of_loss(said(rows)) == []
    assert of_loss(said(changed(rows, range(60, 400, 60), raised_norm(4)))) == []


def test_two_rows_are_a_spike_in_a_quiet_run_and_none_where_hard_batches_are_usual() -> None:
    rows = sound(1200)
    often = changed(rows, range(60, 1100, 12), times(1.5))
    two = [1100, 1101]
    assert raised(said(changed(rows, two, times(1.5))), "loss_spike") == [("loss_spike", 1102)]
    assert raised(said(changed(often, two, times(1.5))), "loss_spike") == []


def test_two_hard_batches_with_a_usual_row_between_them_are_no_spike() -> None:
    assert raised(said(changed(sound(1200), [1100, 1102], times(1.5))), "loss_spike") == []


def test_one_row_is_a_spike_where_the_norm_had_been_rising() -> None:
    rows = changed(sound(), range(AT - 3, AT + 1), raised_norm(4))
    found = [one for one in said(changed(rows, [AT], times(1.6))) if one.about == "loss_spike"]
    assert [(one.act, one.rule, one.step) for one in found][:1] == [("raise", "S2", AT + 1)]


def test_a_norm_that_has_been_high_for_long_foretells_no_spike() -> None:
    rows = changed(sound(600), range(AT, 600), raised_norm(14))
    assert raised(said(changed(rows, [AT + 80], times(1.6))), "loss_spike") == []


def test_a_norm_that_explodes_tells_two_high_rows_from_hard_batches() -> None:
    often = changed(sound(1200), range(60, 1100, 300), times(1.4))
    two = changed(often, [1100, 1101], times(1.4))
    assert raised(said(two), "loss_spike") == []
    assert raised(said(changed(two, range(1100, 1103), raised_norm(20))), "loss_spike") == [("loss_spike", 1102)]


def test_a_loss_that_is_autocorrelated_does_not_spike_by_itself() -> None:
    rng, n = np.random.default_rng(8), 3000
    wave = np.empty(n)
    last = 0.0
    for k, shock in enumerate(0.02 * rng.standard_t(4, n)):
        wave[k] = last = 0.6 * last + shock
    assert of_loss(said(with_losses(3.0 * np.exp(wave), sound(n)))) == []


def test_nothing_is_said_after_a_declared_change() -> None:
    rows = changed(sound(600), range(AT, 600), times(1.12))
    plan = Plan(declared=(Declared(AT + 1, "data_mix_change"),))
    assert of_loss(said(rows, plan)) == []
    assert raised(said(rows), "loss_spike") != []


# ---- divergence
def test_a_spike_that_does_not_come_back_is_a_divergence_until_it_does() -> None:
    found = [one for one in said(changed(sound(700), range(AT, AT + 200), times(1.5))) if one.about == "divergence"]
    assert [(one.act, one.rule, one.severity) for one in found] == [
        ("raise", "D1", "critical"),
        ("clear", "D1", "critical"),
    ]
    assert found[0].step <= AT + 75
    assert found[0].first_step == AT + 1
    assert AT + 200 < found[1].step <= AT + 251


def test_a_loss_that_stays_three_sigmas_up_has_not_come_back() -> None:
    wide = with_losses(3.0 * np.exp(0.03 * np.random.default_rng(9).standard_normal(600)), sound(600))
    stays = changed(changed(wide, range(AT, AT + 30), times(1.5)), range(AT + 30, 600), times(1.1))
    assert [one.about for one in said(stays) if one.act == "raise" and one.about in LOSS] == [
        "loss_spike",
        "divergence",
    ]


def test_a_spike_that_is_on_its_way_back_is_no_divergence() -> None:
    losses = [row.loss or 0.0 for row in sound(600)]
    back = [loss * (1 + (0.8 * math.exp(-(k - AT) / 40) if k >= AT else 0)) for k, loss in enumerate(losses)]
    found = said(with_losses(back, sound(600)))
    assert [(act, about) for act, about, _ in of_loss(found)] == [("raise", "loss_spike"), ("clear", "loss_spike")]


def test_a_slow_rise_is_a_divergence() -> None:
    losses = [row.loss or 0.0 for row in sound(700)]
    up = [loss * (1 + 0.08 * min(1.0, max(0, k - 300) / 150)) for k, loss in enumerate(losses)]
    found = [one for one in said(with_losses(up, sound(700))) if one.about in LOSS]
    assert [(one.act, one.about, one.rule) for one in found] == [("raise", "divergence", "D2")]
    assert 300 < found[0].step < 480
    assert found[0].evidence.ratio is not None and found[0].evidence.ratio > 1.03


# ---- jitter
def noisier(at: int, factor: float, count: int = 700) -> list[Row]:
    noise = 0.012 * np.random.default_rng(5).standard_normal(count)
    noise[at:] *= factor
    return with_losses(3.0 * np.exp(noise), sound(count))


def test_noise_is_jitter_when_it_has_more_than_doubled_and_ends() -> None:
    found = [one for one in said(noisier(400, 2.6)) if one.about == "jitter"]
    assert [(one.act, one.rule) for one in found] == [("raise", "J1")]
    assert 400 < found[0].step <= 560
    assert found[0].evidence.ratio is not None and 1.9 < found[0].evidence.ratio < 3
    both = noisier(400, 2.6)[:600] + [replace(row, step=row.step + 600) for row in noisier(0, 1.0)]
    assert [one.act for one in said(both, clock=False) if one.about == "jitter"] == ["raise", "clear"]


def test_noise_that_has_grown_by_half_is_none() -> None:
    assert of_loss(said(noisier(400, 1.5))) == []


def test_hard_batches_near_one_another_are_no_noise() -> None:
    rows = changed(sound(700), [400, 409, 418, 427, 436, 445], times(1.4))
    assert of_loss(said(rows)) == []


def test_large_waves_are_jitter_though_rows_follow_one_another() -> None:
    rng, wave, last = np.random.default_rng(10), [], 0.0
    for _ in range(500):
        last = 0.6 * last + 0.8 * 0.15 * float(rng.standard_normal())
        wave.append(last)
    found = [one for one in said(with_losses(3.0 * np.exp(wave), sound(500))) if one.about == "jitter"]
    assert [(one.act, one.rule) for one in found] == [("raise", "J2")]


def test_a_saw_tooth_is_jitter_and_a_step_is_none() -> None:
    rows = changed(sound(), range(AT, 400, 2), times(1.3))
    assert "jitter" in {one.about for one in said(rows)}
    assert of_loss(said(changed(sound(), range(AT, 400), times(0.7)))) == []


def test_a_loss_near_nothing_is_not_said_to_jitter() -> None:
    noise = 0.4 * np.random.default_rng(6).standard_normal(400)
    assert of_loss(said(with_losses(0.05 * np.exp(noise), sound(400)))) == []


# ---- plateau
def from_scratch(losses: Iterable[float]) -> list[Row]:
    noise = np.exp(0.01 * np.random.default_rng(7).standard_normal(700))
    return with_losses((loss * float(one) for loss, one in zip(losses, noise, strict=True)), sound(700))


def test_a_run_that_never_learns_is_a_plateau_and_a_graver_one_after_two_warm_ups() -> None:
    found = [one for one in said(from_scratch([10.8] * 700), Plan(warmup=150)) if one.about == "plateau"]
    assert [(one.act, one.rule, one.severity) for one in found] == [
        ("raise", "P1", "warning"),
        ("update", "P1", "critical"),
    ]


def test_a_run_that_is_stuck_high_is_a_plateau() -> None:
    found = [one for one in said(from_scratch(6.5 + 4 * math.exp(-k / 30) for k in range(700))) if one.about in LOSS]
    assert [(one.act, one.about, one.rule) for one in found] == [("raise", "plateau", "P2")]
    assert 400 <= found[0].step <= 560


def test_a_slow_learner_is_not_stuck() -> None:
    assert of_loss(said(from_scratch(10.8 / (1 + k / 60) ** 0.2 for k in range(700)))) == []


@pytest.mark.parametrize("loss", [6.0, 40.0])
def test_a_flat_run_that_did_not_begin_near_a_vocabulary_is_no_plateau(loss: float) -> None:
    """Forty nats are a loss of something else than tokens."""
    assert of_loss(said(from_scratch([loss] * 700))) == []


# ---- order and gaps
def test_rows_without_a_loss_change_nothing() -> None:
    rows = changed(sound(), range(AT, AT + 12), times(1.3))
    with_gaps = changed(rows, range(5, 400, 9), lambda row: replace(row, loss=None))
    assert raised(said(with_gaps), "loss_spike") != []
    assert of_loss(said(changed(sound(), range(5, 400, 9), lambda row: replace(row, loss=None)))) == []
