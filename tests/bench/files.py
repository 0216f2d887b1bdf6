"""Files to read: the same bytes on every machine, of the sizes that the goals name."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from tests.support.event_writer import _field, _varint, header, record, scalar

TAGS = (
    "train/loss",
    "train/lr",
    "train/grad_norm",
    "train/loss_scale",
    "perf/step_time_ms",
    "perf/throughput_per_npu",
    "eval/loss",
    "eval/accuracy",
    "moe/aux_loss",
    "memory/max_allocated_gb",
)
BEGAN = 1_760_000_000.0
EVENTS, SUMMARY = "events.out.tfevents.1760000000.node0", "events.out.events.summary.1760000000.0.node0_MS"


def event_file(directory: Path, tags: Sequence[str], steps: int, seed: int = 0) -> Path:
    """One record a point, the tags in turn, as add_scalar writes them."""
    rng = random.Random(seed)
    points = (
        scalar(step, BEGAN + step / 2 + number / 1e4, tag, 8 / (1 + step / steps) + rng.random())
        for step in range(steps)
        for number, tag in enumerate(tags)
    )
    return _written(directory / EVENTS, header(BEGAN), points)


def uneven_event_file(directory: Path, steps: int) -> Path:
    """Tags on schedules of their own, a text now and then, tags of other lengths: nothing repeats for long."""
    rng = random.Random(5)
    every = (1, 1, 1, 1, 2, 3, 100, 100, 7, 50)
    words = b"\x08\x07" + _field(8, b"x" * 300)  # a TensorProto of strings
    text = record(b"\x09" + struct.pack("<d", BEGAN) + _field(5, _field(1, _field(1, b"text") + _field(8, words))))

    def points() -> Iterable[bytes]:
        for step in range(steps):
            for tag, stride in zip(TAGS, every, strict=True):
                if step % stride == 0 and rng.random() < 0.999:
                    yield scalar(step, BEGAN + step / 2, tag, rng.random())
            if step % 500 == 0:
                yield text

    return _written(directory / EVENTS, header(BEGAN), points())


def summary_file(directory: Path, tags: Sequence[str], steps: int) -> Path:
    """One record a step with all tags, as MindSpore's SummaryRecord writes them."""
    rng = random.Random(1)

    def event(step: int) -> bytes:
        values = (_field(1, tag.encode()) + b"\x1d" + struct.pack("<f", rng.random()) for tag in tags)
        body = b"".join(_field(1, value) for value in values)
        return record(b"\x09" + struct.pack("<d", BEGAN + step / 2) + b"\x10" + _varint(step) + _field(5, body))

    first = record(b"\x09" + struct.pack("<d", BEGAN) + _field(3, b"MindSpore.Event:1"))
    return _written(directory / SUMMARY, first, (event(step) for step in range(1, steps + 1)))


def metric_log(directory: Path, count: int) -> Path:
    """The line that MindFormers 1.6 to 2.1 print each step in graph mode."""
    rng = random.Random(2)

    def line(number: int) -> bytes:
        return (
            f"{_clock(number)} - mindformers./output/log[mindformers/core/callback/callback.py:748] - INFO - "
            f"{{ Epoch:[  1/  1], step:[{number:5d}/{count}], loss: {8 * rng.random():.6f}, "
            f"per_step_time: {700 + 40 * rng.random():.0f}ms, lr: {1e-4 * rng.random():.6e}, overflow cond: False, "
            f"loss_scale: 65536.0, global_norm: [{1 + rng.random():.6f}], "
            f"train_throughput_per_npu: {165 + 10 * rng.random():.3f}T\n"
        ).encode()

    return _written(directory / "info.log", b"", map(line, range(1, count + 1)))


def other_log(directory: Path, count: int) -> Path:
    """What nearly all lines of a worker's log are: configuration, warnings, plans, tables. No metric among them."""
    rng = random.Random(3)
    said = (
        "[WARNING] ME({0}:281473,MainProcess):{1} [mindspore/parallel/_utils.py:{2}] The parameter {2} of the "
        "optimizer has a different layout than the checkpoint",
        "{1} - mindformers./output/log[mindformers/models/build.py:{2}] - INFO - "
        "layers.{2}.attention.wq.weight [4096, 128]",
        "[INFO] PARALLEL({0},ffff,python):{1} [mindspore/ccsrc/step_parallel.cc:{2}] Insert AllReduce "
        "for node {2}, group 8",
        "    hidden_size: {0}",
        "{1} - mindformers./output/log[mindformers/trainer/base.py:{2}] - INFO - "
        ".........Build Dataset {2} For Train..........",
        "| {0} | {2} | 0.125 | bfloat16 |",
        "",
    )

    def line(number: int) -> bytes:
        text = said[rng.randrange(len(said))]
        return (text.format(rng.randrange(99999), _clock(number), rng.randrange(999)) + "\n").encode()

    return _written(directory / "info.log", b"", map(line, range(count)))


def _clock(number: int) -> str:
    return datetime.fromtimestamp(BEGAN + number * 0.72, UTC).strftime("%Y-%m-%d %H:%M:%S,%f")[:-3]


def _written(path: Path, first: bytes, rest: Iterable[bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb", buffering=1 << 20) as file:
        file.write(first)
        file.writelines(rest)
    return path
