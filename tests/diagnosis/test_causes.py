"""What is open explains what begins: a consequence has its cause, the first sign has none."""

from __future__ import annotations

import math
from dataclasses import replace

from app.diagnosis.causes import explained
from app.diagnosis.row import Row
from app.diagnosis.signal import Class, Signal
from tests.diagnosis.rows import said, sound


def begins(about: Class) -> Signal:
    return Signal("raise", about, "X1", "warning", 10, 10, 100.0)


def cause(about: Class, *standing: Class) -> Class | None:
    (found,) = explained([begins(about)], standing, Row(10, 100.0))
    return found.cause


def test_the_gravest_open_cause_explains() -> None:
    assert cause("loss_spike", "jitter") is None
    assert cause("loss_spike", "grad_explode", "nan_inf") == "nan_inf"
    assert cause("divergence", "loss_spike", "grad_explode") == "grad_explode"
    assert cause("plateau", "lr_anomaly") == "lr_anomaly"
    assert cause("nan_inf", "grad_explode", "divergence") is None


def test_what_begins_at_the_same_row_explains_too() -> None:
    found = explained([begins("grad_explode"), begins("nan_inf")], (), Row(10, 100.0))
    assert [one.cause for one in found] == ["nan_inf", None]


def test_an_explosion_before_the_nan_stays_a_sign_of_its_own() -> None:
    rows = [
        replace(row, grad_norm=row.grad_norm * 15 ** (row.step - 199))
        if 200 <= row.step < 206 and row.grad_norm
        else row
        for row in sound()
    ]
    rows = [replace(row, loss=math.nan, grad_norm=math.nan, loss_scale=1.0) if row.step >= 206 else row for row in rows]
    found = [one for one in said(rows) if one.act == "raise"]
    assert [(one.about, one.cause) for one in found[:2]] == [("grad_explode", None), ("nan_inf", None)]
    assert found[1].evidence.beside[-1] == ("loss_scale", 1.0)
