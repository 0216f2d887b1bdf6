"""Event files of TensorBoard and MindSpore: against other writers, other readers, and damage."""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tensorboardX import SummaryWriter
from tensorboardX.proto.event_pb2 import Event
from tensorboardX.proto.summary_pb2 import Summary
from tensorboardX.proto.tensor_pb2 import TensorProto

from collector.parse.event.crc import masked_crc
from collector.parse.parsers import parser_for
from tests.support import event_files as files
from tests.support.scalars import Followed, comparable, curve, points

FIXTURES = Path(__file__).parents[1] / "data" / "fixtures"
TENSORBOARD, MINDSPORE = parser_for("tensorboard"), parser_for("mindspore")


def frame(data: bytes) -> bytes:
    head = struct.pack("<Q", len(data))
    return head + struct.pack("<I", masked_crc(head)) + data + struct.pack("<I", masked_crc(data))


def event(step: int, *values: Summary.Value, wall: float = 1.5) -> bytes:
    return frame(Event(wall_time=wall, step=step, summary=Summary(value=values)).SerializeToString())


def scalar(tag: str, value: float) -> Summary.Value:
    return Summary.Value(tag=tag, simple_value=value)


VERSION = frame(Event(wall_time=1.0, file_version="brain.Event:2").SerializeToString())
SMALL = VERSION + event(1, scalar("loss", 2.5)) + event(200, scalar("loss", 2.25), scalar("lr", 0.5)) + event(-3)


def oracle(data: bytes) -> dict[str, list[tuple[int, float | str, float | str]]]:
    """The simple values of a whole file, decoded by tensorboardX's own protobuf classes."""
    found: dict[str, list[tuple[int, float | str, float | str]]] = {}
    at = 0
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        record = Event.FromString(data[at + 12 : at + 12 + length])
        at += 16 + length
        for value in record.summary.value:
            if value.HasField("simple_value"):
                point = (record.step, comparable(record.wall_time), comparable(value.simple_value))
                found.setdefault(value.tag, []).append(point)
    return found


@pytest.mark.parametrize("path", sorted(FIXTURES.rglob("*tfevents*")), ids=lambda path: "/".join(path.parts[-3:]))
def test_every_fixture_gives_what_the_protobuf_library_reads(path: Path) -> None:
    data = path.read_bytes()
    parsed = TENSORBOARD.parse(data, {}, final=True)
    assert {tag: points(block) for tag, block in parsed.scalars.items()} == oracle(data)
    assert parsed.consumed == len(data) and not parsed.counts


def test_a_real_writer_is_read_back(tmp_path: Path) -> None:
    steps = [-5, 0, 1, 127, 128, 2**31, 2**53]
    with SummaryWriter(str(tmp_path)) as writer:
        for step in steps:
            writer.add_scalar("train/loss", step / 2, step, walltime=1.7e9 + 0.25)
        writer.add_scalar("broken", math.nan, 1)
        writer.add_scalar("broken", math.inf, 2)
        writer.add_text("model", "layers: 32", 1)
        writer.add_histogram("weights", [1.0, 2.0], 1)
    (path,) = tmp_path.iterdir()
    parsed = TENSORBOARD.parse(path.read_bytes(), {})
    assert curve(parsed, "train/loss") == [(step, pytest.approx(step / 2)) for step in steps]
    assert curve(parsed, "broken") == [(1, "NaN"), (2, math.inf)]
    assert set(parsed.scalars) == {"train/loss", "broken"}
    assert parsed.facts == {"text:model/text_summary": "layers: 32"}


def tensor(**fields: Any) -> Summary.Value:
    return Summary.Value(tag="t", tensor=TensorProto(**fields))


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (tensor(dtype=1, tensor_content=struct.pack("<f", 0.5)), 0.5),
        (tensor(dtype=1, float_val=[0.25]), 0.25),
        (tensor(dtype=2, double_val=[1e-300]), 1e-300),
        (tensor(dtype=2, tensor_content=struct.pack("<d", -1.5)), -1.5),
        (tensor(dtype=3, int_val=[-7]), -7.0),
        (tensor(dtype=9, int64_val=[-(2**40)]), -(2.0**40)),
        (tensor(dtype=9, tensor_content=struct.pack("<q", 12)), 12.0),
        (tensor(dtype=19, half_val=[0x3E00]), 1.5),
        (tensor(dtype=19, tensor_content=struct.pack("<e", 1.5)), 1.5),
        (tensor(dtype=14, tensor_content=b"\xc0\x3f"), 1.5),
        (tensor(dtype=14, half_val=[0x3FC0]), 1.5),
        (tensor(dtype=10, bool_val=[True]), 1.0),
        (tensor(dtype=10, tensor_content=b"\x01"), 1.0),
        (tensor(dtype=10, bool_val=[False]), 0.0),
        (tensor(dtype=4, int_val=[200]), 200.0),
        (tensor(dtype=4, tensor_content=b"\xc8"), 200.0),
        (tensor(dtype=5, tensor_content=struct.pack("<h", -2)), -2.0),
        (tensor(dtype=6, int_val=[-128]), -128.0),
        (tensor(dtype=17, tensor_content=b"\xff\xff"), 65535.0),
        (tensor(dtype=22, tensor_content=b"\xff\xff\xff\xff"), 2.0**32 - 1),
        (tensor(dtype=23, tensor_content=b"\xff" * 8), 2.0**64),
        (tensor(dtype=1, float_val=[0.5], tensor_shape={"dim": [{"size": 1}, {"size": 1}]}), 0.5),
        (tensor(dtype=1, tensor_shape={"dim": [{"size": 1}]}), 0.0),
        (tensor(dtype=1, tensor_shape={"dim": [{"size": 0}]}), None),
        (tensor(dtype=8, tensor_content=bytes(8)), None),
        (tensor(dtype=1), 0.0),
        (tensor(dtype=7, string_val=[b"text"]), None),
        (tensor(dtype=1, float_val=[1.0, 2.0], tensor_shape={"dim": [{"size": 2}]}), None),
    ],
)
def test_a_scalar_that_is_a_tensor_is_a_number(value: Summary.Value, number: float | None) -> None:
    expected = [] if number is None else [(3, number)]
    assert curve(TENSORBOARD.parse(event(3, value), {}), "t") == expected


@pytest.mark.parametrize(
    ("dtype", "raw", "number"),
    [
        (1, b"\x2d\0\0\0\x3f", 0.5),
        (2, b"\x31" + struct.pack("<d", 0.1), 0.1),
        (3, b"\x38\x07", 7.0),
        (10, b"\x58\x01", 1.0),
    ],
)
def test_a_number_that_is_not_packed_is_read_as_well(dtype: int, raw: bytes, number: float) -> None:
    """The encoding of proto2, which older writers use for repeated fields."""
    content = files.message(1, b"t") + files.message(8, bytes([8, dtype]) + raw)
    assert curve(TENSORBOARD.parse(files.event(3, 1.0, content), {}), "t") == [(3, number)]


def test_any_cut_gives_the_same_points() -> None:
    whole = Followed(TENSORBOARD, SMALL).all()
    for cut in range(len(SMALL)):
        assert Followed(TENSORBOARD, SMALL, [cut]).all() == whole


@settings(max_examples=25)
@given(st.lists(st.integers(0, 2100), max_size=8).map(sorted))
def test_any_cuts_of_a_summary_file_give_the_same_points(cuts: list[int]) -> None:
    (path,) = (FIXTURES / "mindspore_summary/ms_truncated_tail").rglob("*_MS")
    data = path.read_bytes()
    assert Followed(MINDSPORE, data, cuts).all() == Followed(MINDSPORE, data).all()


@given(st.binary(max_size=64))
def test_a_record_of_any_bytes_costs_that_record_alone(junk: bytes) -> None:
    after = event(9, scalar("after", 1.0))
    parsed = TENSORBOARD.parse(frame(junk) + after, {})
    assert parsed.consumed == len(frame(junk)) + len(after)
    assert curve(parsed, "after")[-1:] == [(9, 1.0)]


def test_a_bad_data_checksum_costs_one_record_and_is_counted() -> None:
    first, second = event(1, scalar("loss", 1.0)), event(2, scalar("loss", 2.0))
    damaged = first[:-6] + bytes([first[-6] ^ 1]) + first[-5:]
    parsed = TENSORBOARD.parse(damaged + second, {})
    assert curve(parsed, "loss") == [(2, 2.0)]
    assert parsed.counts == {"bad_data_crc": 1} and parsed.consumed == len(damaged + second)


@pytest.mark.parametrize("tail", [bytes(64), b"\x01" * 64], ids=["zeros", "junk"])
def test_a_bad_length_checksum_waits_and_consumes_nothing_of_it(tail: bytes) -> None:
    parsed = TENSORBOARD.parse(SMALL + tail, {})
    assert parsed.retry and parsed.consumed == len(SMALL)


def test_an_incomplete_tail_is_no_error() -> None:
    parsed = TENSORBOARD.parse(SMALL[:-1], {})
    assert not parsed.retry and not parsed.counts and parsed.consumed < len(SMALL)


def test_a_wall_time_of_nan_is_kept() -> None:
    (point,) = points(TENSORBOARD.parse(event(1, scalar("loss", 1.0), wall=math.nan), {}).scalars["loss"])
    assert point == (1, "NaN", 1.0)


def test_the_separator_of_series_names_never_gets_into_a_tag() -> None:
    assert list(TENSORBOARD.parse(event(1, scalar("a\x1fb", 1.0)), {}).scalars) == ["a\ufffdb"]


@pytest.mark.parametrize(
    ("run", "tag", "count", "first", "last"),
    [
        ("ms_collector_default", "mean_output", 61, (1, 0.46476474), (120, -0.29896718)),
        ("ms_collector_loss_only", "loss/auto", 122, (1, 8.5487146), (120, 0.0057014641)),
        ("ms_record_scalars", "loss", 300, (1, 11.28446), (300, 2.16398)),
        ("ms_record_scalars", "loss_scale", 300, (1, 65536.0), (300, 65536.0)),
        ("ms_record_mixed", "loss", 40, (1, 4.0), (40, 0.1)),
        ("ms_truncated_tail", "loss", 20, (1, 11.28446), (20, 9.4632044)),
    ],
)
def test_mindspore_summaries_give_their_scalars(
    run: str, tag: str, count: int, first: tuple[int, float], last: tuple[int, float]
) -> None:
    (path,) = (FIXTURES / "mindspore_summary" / run).rglob("*_MS")
    found = curve(MINDSPORE.parse(path.read_bytes(), {}), tag)
    assert len(found) == count
    assert (found[0], found[-1]) == (pytest.approx(first), pytest.approx(last))


def test_mindspore_keeps_nan_and_both_infinities() -> None:
    (path,) = (FIXTURES / "mindspore_summary/ms_record_nan_inf").rglob("*_MS")
    found = dict(curve(MINDSPORE.parse(path.read_bytes(), {}), "loss"))
    assert (found[60], found[80], found[81]) == ("NaN", math.inf, -math.inf)


def test_graphs_images_tensors_and_histograms_of_mindspore_are_skipped() -> None:
    (path,) = (FIXTURES / "mindspore_summary/ms_record_mixed").rglob("*_MS")
    parsed = MINDSPORE.parse(path.read_bytes(), {})
    assert parsed.consumed == path.stat().st_size and not parsed.counts
    assert set(parsed.scalars) == {"loss", "mean_output"}


def test_a_field_of_another_wire_type_is_one_that_nobody_knows() -> None:
    """As protobuf has it: 2d is field 5, the summary, as four fixed bytes."""
    body = (
        b"\x09"
        + struct.pack("<d", 1.5)
        + b"\x10\x03"
        + files.message(5, files.message(1, files.simple("loss", bytes(4))))
    )
    parsed = TENSORBOARD.parse(frame(body + b"\x2d\x0a\x7f\x0a\x7f"), {})
    assert (curve(parsed, "loss"), parsed.counts) == ([(3, 0.0)], {})
