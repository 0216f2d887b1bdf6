"""The table of all rules, as README has it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from app.diagnosis.rulebook.entry import Entry
from app.diagnosis.rulebook.loss import evaluations, level, loss
from app.diagnosis.rulebook.norms import gradients, settings, vanishing
from app.diagnosis.rulebook.runs import files, pace, ranks
from app.diagnosis.signal import Class

FITTING: Mapping[Class, str] = {
    "nan_inf": "`check_for_nan_in_loss_and_grad` stops the job there",
    "loss_spike": "clip gradients, so that the norm is printed",
    "jitter": "print the reduced loss",
    "divergence": "print the reduced loss",
    "plateau": "`warmup_steps` in the configuration",
    "overfit": "`eval_step_interval`: more evaluations tell sooner",
    "grad_explode": "gradient clipping prints the norm",
    "grad_vanish": "gradient clipping prints the norm",
    "loss_scale": "silent with BF16 or a fixed scale",
    "lr_anomaly": "total steps in the log: a schedule may end there",
    "throughput": "`log_timers_to_tensorboard`; a growing batch is no slow-down",
    "stall": "`per_print_times`: pauses are learnt in rows",
    "step_regress": "",
    "tb_missing": "`tensorboard_dir` below DIR",
    "rank_outlier": "`--layout`; `local_loss_format`",
}
"""What a job may tell or do so that a class fits it; muting and severity are the same for all."""


def entries() -> Iterator[Entry]:
    """All of them, class by class."""
    yield from (*loss(), *level(), *evaluations(), *gradients(), *vanishing(), *settings(), *pace(), *files(), *ranks())


def table() -> str:
    """As README has it."""
    head = ("class", "rule", "it says", "threshold", "rows until then", "to make it fit")
    seen: set[Class] = set()
    lines = [head, ("---",) * len(head), *(_cells(one, seen) for one in entries())]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _cells(one: Entry, seen: set[Class]) -> tuple[str, ...]:
    fits = "" if one.about in seen else FITTING[one.about]
    seen.add(one.about)
    return f"`{one.about}`", one.part, one.says, one.threshold, one.delay, fits
