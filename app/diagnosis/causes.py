"""Which of the things that are wrong at once explain which: a consequence is kept under its cause and is no alert of
its own. One that came before its cause was the first sign, and stays an alert. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.diagnosis.row import Row
from app.diagnosis.signal import Class, Signal

CAUSES: Mapping[Class, Sequence[Class]] = {
    "grad_explode": ("nan_inf",),
    "divergence": ("nan_inf", "grad_explode"),
    "loss_spike": ("nan_inf", "grad_explode", "divergence"),
    "jitter": ("nan_inf", "grad_explode", "divergence", "loss_spike"),
    "loss_scale": ("nan_inf",),
    "grad_vanish": ("nan_inf", "loss_scale"),
    "plateau": ("nan_inf", "lr_anomaly", "grad_vanish", "divergence"),
}
"""Class → what explains it when it is open, the gravest first."""


def explained(said: Sequence[Signal], open_before: Sequence[str], row: Row) -> Sequence[Signal]:
    """The signals of one row, each that is raised with its cause among what was open and what the row itself opened;
    ``nan_inf`` with the loss scale of its row."""
    if not said:
        return said
    standing = {*open_before, *(one.about for one in said if one.act == "raise")}
    return [_explained(one, standing, row) for one in said]


def _explained(said: Signal, standing: set[str], row: Row) -> Signal:
    if said.act != "raise":
        return said
    if said.about == "nan_inf" and row.loss_scale is not None:
        beside = (*said.evidence.beside, ("loss_scale", row.loss_scale))
        return replace(said, evidence=replace(said.evidence, beside=beside))
    cause = next((one for one in CAUSES.get(said.about, ()) if one in standing), None)
    return said if cause is None else replace(said, cause=cause)
