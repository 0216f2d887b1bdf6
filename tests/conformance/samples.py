"""Event files and summaries to read: those of the tests, real ones beside the project, and fresh ones of every kind."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from tensorboard.util import tensor_util

from tests.bench import files
from tests.conftest import SHARED
from tests.support.event_writer import _field, _varint, record

DATA = Path(__file__).parents[1] / "data"
PLACES = (DATA, SHARED / "corpus", SHARED / "cases")

DTYPES = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
STEPS = (0, 1, 127, 128, 300, 2**31, 2**32 + 7, 2**53, 2**63 - 1, -1, -(2**40), 5, 5)
TAGS = ("loss", "a b/c=d:e", "损失", "x" * 200, "\U0001f4c9", "per cent % and \\ and '")


def directories(pattern: str) -> list[Path]:
    """Every directory with a file of this name, in the tests' data and beside the project; of equal ones one."""
    found = sorted({path.parent for place in PLACES for path in place.rglob(pattern) if path.is_file()})
    return list({_content(directory, pattern): directory for directory in found}.values())


def _content(directory: Path, pattern: str) -> str:
    parts = [path.name.encode() + path.read_bytes() for path in sorted(directory.glob(pattern)) if path.is_file()]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def tensors(directory: Path) -> None:
    """TensorBoard's own writer: a number of each type, raw, in its typed field, and as a vector of one."""
    with_writer = EventFileWriter(str(directory))
    plugin = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="scalars"))
    for step in STEPS:
        for dtype in DTYPES:
            for form, tensor in forms(np.dtype(dtype), step):
                value = Summary.Value(tag=f"{dtype}/{form}", tensor=tensor, metadata=plugin)
                event = Event(wall_time=1.7e9 + abs(step) % 1000 / 8, step=step, summary=Summary(value=[value]))
                with_writer.add_event(event)
    with_writer.close()


def forms(dtype: np.dtype, step: int) -> Iterator[tuple[str, TensorProto]]:
    """One number in the ways in which a TensorProto may hold it."""
    number = np.array(step % 100 - (50 if dtype.kind != "u" else 0)).astype(dtype)
    if dtype.kind == "f":
        number = (number / np.array(3, dtype)).astype(dtype)
    typed = tensor_util.make_tensor_proto(number)
    raw = TensorProto(dtype=typed.dtype, tensor_content=number.tobytes())
    raw.tensor_shape.SetInParent()
    yield "raw", raw
    if dtype.str not in ("<u4", "<u8"):  # TensorBoard writes these two in their typed field and cannot read them there
        yield "typed", typed
        yield "vector of one", tensor_util.make_tensor_proto(number.reshape(1))


def simple(directory: Path) -> None:
    """TensorBoard's own writer: simple values under odd tags, NaN, infinities, several a record, clocks that jump."""
    with_writer = EventFileWriter(str(directory))
    numbers = (0.1, -0.0, float("nan"), float("inf"), -float("inf"), 1e-45, 3.4e38)
    for count, step in enumerate(STEPS * 3):
        values = [
            Summary.Value(tag=tag, simple_value=numbers[(count + n) % len(numbers)]) for n, tag in enumerate(TAGS)
        ]
        wall = 1.7e9 + (count if count % 5 else -count * 1e6)
        with_writer.add_event(Event(wall_time=wall, step=step, summary=Summary(value=values[: 1 + count % len(TAGS)])))
    with_writer.close()


def regular(directory: Path) -> None:
    """Records that repeat, as training runs write them, and then records that do not."""
    files.event_file(directory, files.TAGS, 700)
    files.uneven_event_file(directory / "uneven", 900)


def summary(directory: Path, steps: int) -> None:
    """A MindSpore summary of ten tags."""
    files.summary_file(directory, files.TAGS, steps)


def odd_summary(directory: Path) -> None:
    """A MindSpore summary of extreme numbers, several records a step, and the version after the first scalar."""
    numbers = (0.1, float("nan"), float("inf"), -float("inf"), 1e-45, 3.4e38)
    content = b""
    for step in range(1, 41):
        value = _field(1, b"loss/auto") + b"\x1d" + struct.pack("<f", numbers[step % len(numbers)])
        body = b"\x09" + struct.pack("<d", 1.7e9 + step) + b"\x10" + _varint(step * 10**9) + _field(5, _field(1, value))
        content += record(body)
        if step == 1:
            content += record(b"\x09" + struct.pack("<d", 1.8e9) + _field(3, b"MindSpore.Event:1"))
    directory.mkdir(parents=True, exist_ok=True)
    (directory / files.SUMMARY).write_bytes(content)
