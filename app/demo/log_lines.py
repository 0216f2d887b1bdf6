"""The text of a MindFormers 2.1 log in graph mode (reference: MFLossMonitor.print_output_info, tools/logger.py)."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from app.demo.curves import (
    BATCH,
    CHECKPOINT_SECONDS,
    EPOCHS,
    EVAL_SECONDS,
    MODEL_FLOPS,
    NORM_THRESHOLD,
    RANKS,
    RESUMED,
    STEPS,
    STEPS_PER_EPOCH,
    Local,
    Step,
)

CALLBACK = "mindformers/core/callback/callback.py"
TRAINER = "mindformers/trainer/base_trainer.py"
TRAINING = "training_process"


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


def opening(attempt: int = 1) -> Iterator[Record]:
    """What is printed before the first step of an attempt."""
    per_card = BATCH // RANKS
    yield Record(
        f"{TRAINER}:241",
        "_check_global_batch_size_for_auto_parallel",
        "The current parallel mode is semi_auto_parallel, full batch is True,so global batch size will be changed: "
        "global_batch_size = batch_size * data_parallel * micro_batch_interleave_num * gradient_accumulation_steps = "
        f"{BATCH} = {per_card} * {RANKS} * 1 * 1",
    )
    yield Record(f"{TRAINER}:1128", TRAINING, ".........Build Dataset For Train..........")
    yield Record(f"{TRAINER}:1132", TRAINING, f"Create train dataset finish, dataset size:{STEPS_PER_EPOCH}")
    if attempt > 1:
        yield from _resuming()
    yield Record(f"{TRAINER}:1246", TRAINING, ".........Build Net For Train..........")
    yield Record(f"{TRAINER}:800", "count_parameters", "Network Parameters: 1051 M.")
    yield Record(f"{TRAINER}:1331", TRAINING, "Set tensorboard path to './tensorboard'")
    yield Record(f"{TRAINER}:1340", TRAINING, ".........Build Callbacks For Train..........")
    yield Record(f"{TRAINER}:1515", TRAINING, ".........Starting Init Train Model..........")
    if attempt > 1:
        yield Record(
            f"{TRAINER}:1578", TRAINING, ".............Start resume training from checkpoint.................."
        )
    yield Record(f"{TRAINER}:1585", TRAINING, ".........Build Evaluate in Training Callback..........")
    yield Record(f"{TRAINER}:1673", TRAINING, ".........Model Compiling, Please Wait a Moment...........")
    yield Record(f"{TRAINER}:1680", TRAINING, ".........Starting Training Model..........")
    yield Record(f"{CALLBACK}:603", "_calculate_flops_mcore", f"Full model flops calculated: {MODEL_FLOPS}")


def _resuming() -> Iterator[Record]:
    """That the attempt goes on from a checkpoint."""
    place, function = "mindformers/trainer/utils.py", "load_resume_context_from_checkpoint"
    yield Record(
        f"{TRAINER}:1178", TRAINING, ".............Start load resume context from checkpoint.................."
    )
    yield Record(f"{place}:435", function, f"initial epoch: {RESUMED // STEPS_PER_EPOCH}")
    yield Record(f"{place}:436", function, f"initial step: {RESUMED}")
    yield Record(f"{place}:437", function, "step scale: 1.000000")
    yield Record(f"{TRAINER}:1217", TRAINING, f"dataset skip {RESUMED} steps.")


def closing() -> Iterator[Record]:
    """What is printed after the last step."""
    yield Record(f"{TRAINER}:1689", TRAINING, ".........Training Over!.............")


def records(shared: Step, own: Local) -> Iterator[Record]:
    """The data line and the progress line of a step."""
    yield Record(f"{CALLBACK}:747", "print_output_info", data_line(shared, own))
    yield Record(f"{CALLBACK}:764", "print_output_info", progress_line(shared, own))


def saving(shared: Step) -> Iterator[Record]:
    """A checkpoint is begun."""
    place = f"{CALLBACK}:1874"
    yield Record(place, "save_checkpoint", "......Saving ckpt......")
    yield Record(f"{CALLBACK}:1932", "save_checkpoint", f"global_batch_size: {BATCH}")
    yield Record(f"{CALLBACK}:1933", "save_checkpoint", f"epoch_num: {epoch(shared.step)}")
    yield Record(f"{CALLBACK}:1934", "save_checkpoint", f"step_num: {shared.step}")


def saved(shared: Step) -> Iterator[Record]:
    """It is on disk. MindFormers counts its epoch and step from the start of the attempt."""
    where = f"epoch {epoch(shared.current)} step {within(shared.current)}"
    text = f"Finish saving ckpt of {where} using {CHECKPOINT_SECONDS:.3f} seconds"
    yield Record(f"{CALLBACK}:1785", "output_if_exists", text)


def evaluated(shared: Step) -> Iterator[Record]:
    """What an evaluation found, told when it is through."""
    if shared.eval_loss is not None:
        metric = {"PerplexityMetric": {"loss": round(shared.eval_loss, 6), "PPL": round(math.exp(shared.eval_loss), 4)}}
        yield Record(f"{CALLBACK}:2603", "_execute_eval", f"Eval result: {metric}, eval time is {EVAL_SECONDS:f} s.")


def stopped(shared: Step) -> Iterator[Record]:
    """The gradient norm ends the attempt (TrainingStateMonitor with check_for_global_norm)."""
    norm = f"Current global norm [{shared.grad_norm:.8g}] is greater equal than threshold {NORM_THRESHOLD}"
    yield Record(f"{CALLBACK}:1044", "abnormal_global_norm_check", f"{norm}, stop training...")
    yield Record(f"{CALLBACK}:1047", "abnormal_global_norm_check", "Call barrier before throw TREError.")
    yield Record(f"{CALLBACK}:1049", "abnormal_global_norm_check", "All stream execution completed.")


def epoch(step: int) -> int:
    """The epoch of a step, counted from 1."""
    return (step - 1) // STEPS_PER_EPOCH + 1


def within(step: int) -> int:
    """The step within its epoch, counted from 1."""
    return (step - 1) % STEPS_PER_EPOCH + 1


def data_line(shared: Step, own: Local) -> str:
    """Opened by a brace that the progress line closes."""
    return (
        f"{{ Epoch:[{epoch(shared.step):3d}/{EPOCHS:3d}], step:[{within(shared.step):5d}/{STEPS_PER_EPOCH:5d}], "
        f"loss: {shared.loss:5.6f}, per_step_time: {own.step_ms:.0f}ms, lr: {shared.lr:.8g}, "
        f"overflow cond: {shared.overflow}, loss_scale: {shared.loss_scale}, global_norm: [{shared.grad_norm:.8g}], "
        f"train_throughput_per_npu: {own.tflops:.3f}T"
    )


def progress_line(shared: Step, own: Local) -> str:
    """Percent, bar, throughput and the time that is left."""
    done = shared.step / STEPS
    left = timedelta(seconds=int((STEPS - shared.step) * own.step_ms / 1000))
    return f"  {done * 100:4.1f}% |{'█' * int(done * 50):<50}| {own.samples_per_second:.5f} samples/s/p  {left} }}"
