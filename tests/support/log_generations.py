"""Records of every generation of MindFormers, and of other programs, generated with what a reader should find."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
from hypothesis import strategies as st

CLOCKS = ("2025-06-01 10:00:{second:02d},{ms:03d}", "2025-06-01 1{second:d}:59:59,{ms:03d}")
PREFIXES = (
    "{clock} - mindformers - INFO - ",
    "{clock} - mindformers[callback.py:312] - INFO - ",
    "{clock} - mindformers./output/log[mindformers/core/callback/callback.py:494] - INFO - ",
    "{clock} - mindformers/home/user/work/output/log[mindformers/core/callback/callback.py:747] - INFO - ",
    "[INFO] {clock} [mindformers/core/callback/callback.py:313] print_output_info: ",
    "- INFO - ",
    "",
)


@dataclass(frozen=True, slots=True)
class Job:
    """What stays the same in a log."""

    epochs: int
    steps: int  # an epoch
    prefix: str
    clock: str

    def before(self, number: int) -> str:
        return self.prefix.format(
            clock=self.clock.format(second=number % 60 if "59:59" not in self.clock else number % 10, ms=number % 1000)
        )


@dataclass(frozen=True, slots=True)
class Step:
    """The values of one record."""

    number: int  # over all epochs, from 1 on
    loss: float
    lr: float
    norm: float
    ms: int
    overflow: bool


Found = dict[str, float]
Writer = Callable[[Job, Step], tuple[list[str], Found]]


def place(job: Job, step: Step) -> tuple[int, int]:
    epoch, within = divmod(step.number - 1, job.steps)
    return epoch + 1, within + 1


def graph(job: Job, step: Step, loss: str, behind: str) -> str:
    epoch, within = place(job, step)
    return (
        f"{{ Epoch:[{epoch:3d}/{job.epochs:3d}], step:[{within:5d}/{job.steps:5d}], {loss}, "
        f"per_step_time: {step.ms}ms, lr: {np.float32(step.lr)!s}, overflow cond: {step.overflow}, "
        f"loss_scale: 65536.0{behind}"
    )


def bar(job: Job, step: Step) -> str:
    done = step.number / (job.steps * job.epochs)
    left = timedelta(seconds=(job.steps * job.epochs - step.number) * 700)
    return f"  {done * 100:4.1f}% |{'█' * int(50 * done):<50}| {3.14159:.5f} samples/s/p  {left} }}"


def old(job: Job, step: Step) -> tuple[list[str], Found]:
    """0.3, without sink: current and mean, one line."""
    epoch, within = place(job, step)
    line = (
        f"Epoch:[{epoch:3d}/{job.epochs:3d}], step:[{within:5d}/{job.steps:5d}], "
        f"loss:[{step.loss:5.3f}/{9.5:5.3f}], time:{float(step.ms):5.3f} ms, lr:{np.float32(step.lr)!s}, "
        f"overflow cond: {step.overflow}, loss_scale: 65536.0"
    )
    return [line], {"loss": float(f"{step.loss:5.3f}"), "time": float(step.ms), "lr": shown(step.lr)}


def shown(number: float) -> float:
    return float(str(np.float32(number)))


def sink(job: Job, step: Step) -> tuple[list[str], Found]:
    """0.8 to 1.2."""
    line = graph(job, step, f"loss: {step.loss:5.3f}", "")
    found = {"loss": float(f"{step.loss:5.3f}"), "per_step_time": float(step.ms), "lr": shown(step.lr)}
    return [line, bar(job, step)], found | {"samples/s/p": 3.14159, "overflow cond": float(step.overflow)}


def norm(job: Job, step: Step) -> tuple[list[str], Found]:
    """1.3 to 1.6."""
    behind = f", global_norm: [{np.float32(step.norm)!s}], train_throughput_per_npu: {166.25:.3f}T"
    lines, found = sink(job, step)
    return [lines[0] + behind, lines[1]], found | {
        "global_norm": shown(step.norm),
        "train_throughput_per_npu": 166.25,
    }


def separate(job: Job, step: Step) -> tuple[list[str], Found]:
    """1.7 to 2.1 in graph mode."""
    loss = f"loss: {step.loss:5.6f}, lm_loss: {1.5:5.6f}, load_balancing_loss: {0.25:5.6f}"
    line = graph(job, step, loss, f", global_norm: [{np.float32(step.norm)!s}]")
    found = {"loss": float(f"{step.loss:5.6f}"), "lm_loss": 1.5, "load_balancing_loss": 0.25}
    return [line, bar(job, step)], found | {"global_norm": shown(step.norm), "samples/s/p": 3.14159}


def pynative(job: Job, step: Step) -> tuple[list[str], Found]:
    """2.1; counts its steps over all epochs itself."""
    line = (
        f"{{ step:[{step.number:5d}/{job.epochs * job.steps:5d}], consumed_samples: {step.number * 64}, "
        f"global_batch_size: 64, loss: {step.loss:10.6f}, per_step_time: {step.ms:6d}ms, lr: {step.lr:10.6e}, "
        f"grad_norm: {step.norm:10.6f}, throughput: {715.78:6.2f}T }}"
    )
    found = {"loss": float(f"{step.loss:10.6f}"), "lr": float(f"{step.lr:10.6e}"), "throughput": 715.78}
    return [line], found | {"consumed_samples": step.number * 64.0, "grad_norm": float(f"{step.norm:10.6f}")}


def loss_monitor(job: Job, step: Step) -> tuple[list[str], Found]:
    """MindSpore's LossMonitor, and TimeMonitor at the end of an epoch."""
    epoch, within = place(job, step)
    time = [f"Train epoch time: {720.5 * job.steps:.3f} ms, per step time: {720.5:.3f} ms"]
    ends = time if within == job.steps else []
    return [f"epoch: {epoch} step: {within}, loss is {step.loss}", *ends], {"loss": step.loss}


def zoo(job: Job, step: Step) -> tuple[list[str], Found]:
    """As the model zoo prints it."""
    epoch, within = place(job, step)
    line = (
        f"epoch: [{epoch}/{job.epochs}] step: [{within}/{job.steps}], loss: {step.loss:.6f}, lr: {step.lr:.6f}, "
        f"per step time: {float(step.ms):.3f} ms, fps per card: 4.47 img/s"
    )
    return [line], {"loss": float(f"{step.loss:.6f}"), "per step time": float(step.ms), "fps per card": 4.47}


def megatron(job: Job, step: Step) -> tuple[list[str], Found]:
    """Bars between the fields, units in the names."""
    line = (
        f" iteration {step.number:8d}/{job.epochs * job.steps:8d} | consumed samples: {step.number * 64:12d} | elapsed "
        f"time per iteration (ms): {float(step.ms):.1f} | learning rate: {step.lr:.6E} | lm loss: {step.loss:.6E} |"
    )
    return [line], {"lm loss": float(f"{step.loss:.6E}"), "elapsed time per iteration (ms)": float(step.ms)}


WRITERS: dict[str, Writer] = {
    "0.3": old,
    "0.8": sink,
    "1.3": norm,
    "1.7": separate,
    "pynative": pynative,
    "LossMonitor": loss_monitor,
    "zoo": zoo,
    "megatron": megatron,
}

jobs = st.builds(Job, st.integers(1, 4), st.integers(1, 40), st.sampled_from(PREFIXES), st.sampled_from(CLOCKS))
SPECIAL = (0.0, 1.0, 10.0, 1e-7, 9.9999995, 1e4)


def steps_of(job: Job, seed: int) -> list[Step]:
    """A run's steps: all of them, each with values of its own."""
    generator = random.Random(seed)

    def value() -> float:
        return generator.choice((generator.choice(SPECIAL), generator.uniform(0, 20), 10 ** generator.uniform(-9, 4)))

    return [
        Step(number, value(), 10 ** generator.uniform(-9, -2), value(), generator.randint(1, 10**6), not number % 17)
        for number in range(1, job.epochs * job.steps + 1)
    ]
