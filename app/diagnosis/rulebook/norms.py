"""What the rules of gradient norm, loss scale and learning rate say."""

from __future__ import annotations

import math
from collections.abc import Iterator

from app.diagnosis.rulebook.entry import Entry, grown, share
from app.diagnosis.rules import gradient, loss_scale, schedule, vanish


def gradients() -> Iterator[Entry]:
    """Of the gradient norm, relative to its baseline."""
    wild = grown(gradient.WILD)
    yield Entry(
        "grad_explode",
        "G1",
        "rows in turn are high",
        f"three of five at {grown(gradient.HIGH)}, or two at {grown(gradient.FARTHEST)}; more of a run that has many",
        "1 to 2",
    )
    yield Entry(
        "grad_explode",
        "G2",
        "a wild row",
        f"{wild} and another at {grown(gradient.HIGH)} within {gradient.NEAR}, or {grown(gradient.ALONE)} alone",
        "0 to 3",
    )
    yield Entry(
        "grad_explode",
        "G3",
        "most rows are raised",
        f"{gradient.MOST} of {gradient.RECENT} at {grown(gradient.RAISED)}",
        f"{gradient.MOST - 1}",
    )
    yield Entry(
        "grad_explode",
        "G4",
        "it grew little by little",
        f"{grown(gradient.SLOW_NOW)} the least block, its median {grown(gradient.SLOW_LEVEL)}",
        "with the growth",
    )
    yield Entry(
        "grad_explode",
        "G5",
        "quickly",
        f"{grown(gradient.HIGH)} within {gradient.LATELY} blocks",
        "12 or more",
    )


def vanishing() -> Iterator[Entry]:
    """The same, downwards."""
    sure = f"in {vanish.SURE} of 24 rows"
    yield Entry(
        "grad_vanish",
        "V1",
        "next to nothing is left",
        f"1/{math.exp(vanish.GONE):.0f} of the highest block, {sure}",
        "24",
    )
    yield Entry(
        "grad_vanish",
        "V2",
        "it fell, and the loss did not",
        f"1/{math.exp(vanish.FALLEN):.0f} beyond what the loss explains, {sure}",
        f"{24 + vanish.LATE}",
    )


def settings() -> Iterator[Entry]:
    """Of loss scale and learning rate."""
    yield Entry(
        "loss_scale",
        "L1",
        "it keeps being halved",
        f"{loss_scale.STEEP:.0f} times in {loss_scale.NEAR} rows, or {loss_scale.SLOW:.0f} in {loss_scale.FAR}",
        f"{loss_scale.NEAR} or fewer",
    )
    yield Entry(
        "loss_scale", "L2", "steps overflow", f"{loss_scale.OFTEN} of {loss_scale.SEEN}", f"{loss_scale.OFTEN} or more"
    )
    yield Entry("loss_scale", "L3", "it is at its floor", "1, and was above 4", "0")
    yield Entry(
        "lr_anomaly",
        "R1",
        "it jumps up",
        f"{schedule.UP}× in one row, after the peak; told once of a schedule that restarts",
        "0",
    )
    yield Entry("lr_anomaly", "R2", "it is gone", f"under {share(schedule.GONE)} in one row, before the end", "0")
    yield Entry("lr_anomaly", "R3", "it is zero", f"{schedule.ZEROS} rows, before the end", f"{schedule.ZEROS - 1}")
    yield Entry(
        "lr_anomaly",
        "R4",
        "a step done again has another one",
        f"{schedule.OFF}× off, {schedule.ROWS_OFF} rows",
        f"{schedule.ROWS_OFF - 1}",
    )
    yield Entry("lr_anomaly", "R5", "it rises", f"{schedule.RISEN}× the lowest since the peak", "with the rise")
