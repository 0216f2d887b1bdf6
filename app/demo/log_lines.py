"""The text of a MindFormers 2.1 log in graph mode (reference: MFLossMonitor.print_output_info, tools/logger.py)."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from app.demo.curves import EPOCHS, EVAL_SECONDS, MODEL_FLOPS, STEPS, STEPS_PER_EPOCH, Local, Step

CALLBACK = "mindformers/core/callback/callback.py"
TRAINER = "mindformers/trainer/base_trainer.py"


@dataclass(frozen=True, slots=True)
class Record:
    """One message and where in MindFormers it comes from."""

    place: str  # file:line
    function: str
    text: str

    def in_file(self, wall: float) -> str:
        """As ``info.log`` has it; ``wall`` in Unix seconds, printed in local time as MindFormers does."""
        return f"[INFO] {clock(wall)} [{self.place}] {self.function}: {self.text}\n"

    def on_console(self, wall: float) -> str:
        """As msrun's ``worker_N.log`` has it."""
        return f"{clock(wall)} - mindformers/home/user/work/output/log[{self.place}] - INFO - {self.text}\n"


def clock(wall: float) -> str:
    """logging's asctime: local time with milliseconds, no zone."""
    return f"{time.strftime('%Y-%m-%d %H:%M:%S', time.localtime(wall))},{int(wall % 1 * 1000):03d}"


def opening() -> Iterator[Record]:
    """What is printed before the first step."""
    yield Record(f"{TRAINER}:67", "set_model_flops", f"Full model flops calculated: {MODEL_FLOPS}")
    yield Record(f"{TRAINER}:124", "training_process", ".........Build Callbacks For Train..........")
    yield Record(f"{TRAINER}:125", "training_process", ".........Starting Init Train Model..........")
    yield Record(f"{TRAINER}:126", "training_process", ".........Model Compiling, Please Wait a Moment...........")
    yield Record(f"{TRAINER}:127", "training_process", ".........Starting Training Model..........")


def closing() -> Iterator[Record]:
    """What is printed after the last step."""
    yield Record(f"{TRAINER}:131", "training_process", ".........Training Over!.............")


def records(shared: Step, own: Local) -> Iterator[Record]:
    """The data line and the progress line of a step, and its evaluation where there was one."""
    yield Record(f"{CALLBACK}:747", "print_output_info", data_line(shared, own))
    yield Record(f"{CALLBACK}:764", "print_output_info", progress_line(shared, own))
    if shared.eval_loss is not None:
        metric = {"PerplexityMetric": {"loss": round(shared.eval_loss, 6), "PPL": round(math.exp(shared.eval_loss), 4)}}
        yield Record(f"{CALLBACK}:2603", "_execute_eval", f"Eval result: {metric}, eval time is {EVAL_SECONDS:f} s.")


def data_line(shared: Step, own: Local) -> str:
    """Opened by a brace that the progress line closes."""
    epoch, within = divmod(shared.step - 1, STEPS_PER_EPOCH)
    return (
        f"{{ Epoch:[{epoch + 1:3d}/{EPOCHS:3d}], step:[{within + 1:5d}/{STEPS_PER_EPOCH:5d}], "
        f"loss: {shared.loss:5.6f}, per_step_time: {own.step_ms:.0f}ms, lr: {shared.lr:.8g}, "
        f"overflow cond: {shared.overflow}, loss_scale: {shared.loss_scale}, global_norm: [{shared.grad_norm:.8g}], "
        f"train_throughput_per_npu: {own.tflops:.3f}T"
    )


def progress_line(shared: Step, own: Local) -> str:
    """Percent, bar, throughput and the time that is left."""
    done = shared.step / STEPS
    left = timedelta(seconds=int((STEPS - shared.step) * own.step_ms / 1000))
    return f"  {done * 100:4.1f}% |{'█' * int(done * 50):<50}| {own.samples_per_second:.5f} samples/s/p  {left} }}"
