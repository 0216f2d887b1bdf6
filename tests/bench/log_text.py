"""Realistic text of logs, generated: the records of a long run, and what fills a log beside them.

The forms are those of mindformers 2.1 (MFLossMonitor.print_output_info, tools/logger.py) and of MindSpore's own lines;
values change their width as real ones do.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from datetime import timedelta

import numpy as np

EPOCHS = 2
CALLBACK = "mindformers/core/callback/callback.py"
BEGAN = time.mktime((2026, 1, 2, 3, 4, 5, 0, 0, -1))


def metric_log(lines: int, seed: int) -> bytes:
    """A console log of records alone: a data line and a progress line for each step."""
    generator = random.Random(seed)
    steps = -(-lines // 2)
    text = [line for step in range(1, steps + 1) for line in _step(generator, step, -(-steps // EPOCHS))]
    return "".join(text[:lines]).encode()


def other_log(lines: int, seed: int) -> bytes:
    """A console log without any record: dumped configuration, INFO lines of 80 to 150 bytes, warnings of MindSpore."""
    generator = random.Random(seed)
    return "".join(_other(generator, number) for number in range(lines)).encode()


def _step(generator: random.Random, step: int, of: int) -> Iterator[str]:
    epoch, within = divmod(step - 1, of)
    wall = BEGAN + 0.72 * step
    loss = 11.0 * step**-0.13 + generator.gauss(0, 0.05)
    rate = np.float32(1e-5 * min(step / 2000, 1.0) * (1 - step / (of * EPOCHS + 1)))
    norm = np.float32(abs(generator.gauss(1.2, 0.4)))
    yield (
        f"{_console(wall, CALLBACK, 747)}{{ Epoch:[{epoch + 1:3d}/{EPOCHS:3d}], step:[{within + 1:5d}/{of:5d}], "
        f"loss: {loss:5.6f}, per_step_time: {generator.gauss(720, 15):.0f}ms, lr: {rate!s}, overflow cond: False, "
        f"loss_scale: 65536.0, global_norm: [{norm!s}], train_throughput_per_npu: {generator.gauss(165, 4):.3f}T\n"
    )
    done = step / (of * EPOCHS)
    left = timedelta(seconds=int((of * EPOCHS - step) * 0.72))
    yield (
        f"{_console(wall, CALLBACK, 764)}  {done * 100:4.1f}% |{'█' * int(done * 50):<50}| "
        f"{generator.gauss(89, 2):.5f} samples/s/p  {left} }}\n"
    )


def _console(wall: float, file: str, line: int) -> str:
    clock = f"{time.strftime('%Y-%m-%d %H:%M:%S', time.localtime(wall))},{int(wall % 1 * 1000):03d}"
    return f"{clock} - mindformers./output/log[{file}:{line}] - INFO - "


_KEYS = ("hidden_size", "num_heads", "ffn_concat", "seq_length", "offset", "rotary_dim", "qkv_has_bias", "vocab_size")
_SAID = (
    "initial moe_config from dict: {{'expert_num': {0}, 'capacity_factor': 1.1, 'aux_loss_factor': 0.05}}",
    "Parameter decoder.layers.{0}.mlp.linear_fc2.weight is loaded from shard {0} of the strategy",
    "The current parallel mode is semi_auto_parallel, full batch is True, offset {0}",
    "Network layer {0} uses flash attention, causal mask is generated on the device",
    "worker {0} joined the communication group, backend hccl, local group size 8",
)


def _other(generator: random.Random, number: int) -> str:
    """One line: of ten, four of a configuration, five INFO, one of MindSpore."""
    kind, wall = generator.randrange(10), BEGAN + 0.01 * number
    if kind < 4:
        key, width = generator.choice(_KEYS), generator.randrange(1, 40)
        return f"{' ' * width}'{key}': {generator.randrange(10**6)}, '{key}_{number}': {generator.random():.6f},\n"
    if kind < 9:
        said = generator.choice(_SAID).format(generator.randrange(1000))
        return f"{_console(wall, 'mindformers/trainer/base_trainer.py', generator.randrange(1000))}{said}\n"[-151:]
    told = time.strftime("%Y-%m-%d-%H:%M:%S", time.localtime(wall))
    return (
        f"[WARNING] PARALLEL(121096,ffff816dc010,python):{told}.122.{number % 1000:03d} "
        f"[mindspore/ccsrc/frontend/parallel/ops_info/matmul_info.cc:{generator.randrange(2000)}] CheckStrategy\n"
    )
