"""Which curve shows what a rule looked at: where a page draws its window, its baseline and its value. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from app.diagnosis.signal import Class

METRICS: Mapping[Class, str] = {
    "nan_inf": "loss",
    "loss_spike": "loss",
    "divergence": "loss",
    "jitter": "loss",
    "plateau": "loss",
    "overfit": "eval_loss",
    "grad_explode": "grad_norm",
    "grad_vanish": "grad_norm",
    "loss_scale": "loss_scale",
    "throughput": "step_time",
    "lr_anomaly": "lr",
}
"""Class → metric whose unit the evidence is in; a class that is not here is about no curve of the run as a whole."""

NORM_NOT_FINITE = "N2"


def metric(about: Class, rule: str) -> str | None:
    """The metric of one rule's part; None where no curve of the run shows it."""
    return "grad_norm" if (about, rule) == ("nan_inf", NORM_NOT_FINITE) else METRICS.get(about)
