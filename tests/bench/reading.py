"""Bytes to points: the project's parsers beside the plain way to do the same, on a file of the demonstration run."""

from __future__ import annotations

import importlib.util
import re
import struct
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tensorboardX.proto.event_pb2 import Event

from app.demo import curves, event_bytes, log_lines
from app.demo.job import tags
from collector.parse.parsers import parser_for
from collector.wire.records import Source
from tests.bench.rows import row

STEPS = 20_000

# { Epoch:[  1/  4], step:[    1/ 2500], loss: 11.051969, per_step_time: 30003ms, lr: 1e-06, overflow cond: False,
# loss_scale: 65536.0, global_norm: [6.0898537], train_throughput_per_npu: 3.333T
ALL_FIELDS = re.compile(
    r"^(?:\[INFO\] )?(\S+ \S+).*Epoch:\[ *(\d+)/ *\d+\], step:\[ *(\d+)/ *(\d+)\], loss: *(\S+),"
    r" per_step_time: *(\d+)ms, lr: (\S+), overflow cond: (\w+), loss_scale: (\S+), global_norm: \[(\S+)\],"
    r" train_throughput_per_npu: (\S+)T",
    re.MULTILINE,
)


def main() -> None:
    """Print two pairs of rows."""
    shared = [curves.step(number % curves.STEPS + 1) for number in range(STEPS)]
    own = [curves.local(one, 0) for one in shared]
    walls = [1_750_000_000 + 0.5 * number for number in range(STEPS)]
    triples = list(zip(shared, own, walls, strict=True))
    events = event_bytes.first_record(0.0) + b"".join(
        event_bytes.scalars(one.step, wall, tags(one, rank)) for one, rank, wall in triples
    )
    text = "".join(line.in_file(wall) for one, rank, wall in triples for line in log_lines.records(one, rank))
    event_rows(events)
    log_rows(text)


def event_rows(content: bytes) -> None:
    """An event file of one rank."""
    ours, points = timed(lambda: parsed("tensorboard", content))
    theirs, _ = timed(lambda: by_protobuf(content))
    row(
        "event file",
        rate(points, ours),
        f"protobuf, record by record: {rate(points, theirs)}, {theirs / ours:.1f} times ours",
    )
    if importlib.util.find_spec("tensorboard"):
        theirs, _ = timed(lambda: by_event_accumulator(content))
        row("", "", f"TensorBoard's EventAccumulator: {rate(points, theirs)}, {theirs / ours:.1f} times ours")
    else:
        row("", "", "TensorBoard's EventAccumulator: tensorboard is not installed, not measured")


def log_rows(text: str) -> None:
    """A log of one rank, two lines a step."""
    content = text.encode()
    ours, points = timed(lambda: parsed("log", content))
    theirs, _ = timed(lambda: by_expression(text))
    row(
        "rank log",
        f"{rate(points, ours)}, {len(content) / ours / 2**20:.0f} MiB/s",
        f"one regular expression for the data line alone: {theirs / ours:.1f} times ours",
    )


def timed(work: Callable[[], int]) -> tuple[float, int]:
    """Best of three, in seconds, and the count that the work returns."""
    best, count = float("inf"), 0
    for _ in range(3):
        began = time.perf_counter()
        count = work()
        best = min(best, time.perf_counter() - began)
    return best, count


def rate(points: int, seconds: float) -> str:
    return f"{points / seconds / 1000:.0f} k points/s"


def parsed(source: Source, content: bytes) -> int:
    return sum(len(block) // 24 for block in parser_for(source).parse(content, {}).scalars.values())


def by_protobuf(content: bytes) -> int:
    points: dict[str, list[tuple[int, float, float]]] = {}
    offset = 0
    while offset < len(content):
        (length,) = struct.unpack_from("<Q", content, offset)
        event = Event.FromString(content[offset + 12 : offset + 12 + length])
        for value in event.summary.value:
            points.setdefault(value.tag, []).append((event.step, event.wall_time, value.simple_value))
        offset += length + 16
    return sum(map(len, points.values()))


def by_event_accumulator(content: bytes) -> int:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / "events.out.tfevents.1.node0").write_bytes(content)
        accumulator = EventAccumulator(directory, size_guidance={"scalars": 0})
        accumulator.Reload()
        return sum(len(accumulator.Scalars(tag)) for tag in accumulator.Tags()["scalars"])


def by_expression(text: str) -> int:
    return sum(len([float(field) for field in found[4:7]]) for found in ALL_FIELDS.findall(text))
