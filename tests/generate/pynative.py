"""What PyNative's LossCallback and TrainStateMonitor of 2.1 print and write. The last rank alone has an event file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from app.demo.log_lines import Record
from tests.generate.plan import BATCH, Plan

TAGS = ("loss", "grad-norm", "iteration-time", "learning-rate", "local_loss", "device_loss")
ALIKE = {"local_loss": "local_lm_loss", "device_loss": "loss"}  # device_loss is told after the reduction
SAID = Record("mindformers/pynative/callback/loss_callback.py:337", "_print_log", "")
MONITORED = Record("mindformers/pynative/tools/monitor.py:616", "flush", "")
NOT_HERE = "N/A (non-last PP stage, refer to last stage for real loss)"


def tags_of(plan: Plan, rank: int) -> tuple[str, ...]:
    """What a rank's event file holds; nothing where it has none."""
    local = plan.shape.pp == 1
    return tuple(one for one in TAGS if local or one not in ALIKE) if rank == plan.shape.world - 1 else ()


def records(plan: Plan, step: int, own: Mapping[str, float], *, has_loss: bool) -> Iterator[Record]:
    """One step of a rank. Losses of its own are told without a pipeline alone."""
    head, time = f"step:[{step:5d}/{plan.steps:5d}]", f"per_step_time: {own['iteration-time']:6.0f}ms"
    if not has_loss:
        yield said(
            f"{{ {head}, consumed_samples: None, global_batch_size: None, loss: {NOT_HERE}, {time}, grad_norm: NaN }}"
        )
        return
    samples = BATCH * plan.shape.dp
    yield said(
        f"{{ {head}, consumed_samples: {step * samples}, global_batch_size: {samples}, loss: {own['loss']:10.6f}, "
        f"{time}, lr: {own['learning-rate']:10.6e}, grad_norm: {own['grad-norm']:10.6f}, "
        f"throughput: {own['model-flops-throughput-per-npu']:6.2f}T }}"
    )
    if plan.shape.pp == 1:
        for name, of in ALIKE.items():
            number = repr(own[of]).replace("nan", "NaN").replace("inf", "Infinity")
            yield Record(
                MONITORED.place, MONITORED.function, f'{{"step": {step}, "micro_step": 1, "{name}": {number}}}'
            )


def said(text: str) -> Record:
    return Record(SAID.place, SAID.function, text)
