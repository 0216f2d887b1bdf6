"""Event files read many records at a time give bit for bit what reading them one by one gives."""

from __future__ import annotations

import random
import struct
import time
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from collector.parse.event import cycle, scan
from collector.parse.parsed import Parser
from collector.parse.parsers import parser_for
from collector.wire.records import unpack_points
from tests.support import event_files as files
from tests.support.event_files import Outcome, event, frame, one_by_one

TENSORBOARD, MINDSPORE = parser_for("tensorboard"), parser_for("mindspore")
Value = Callable[[str, bytes], bytes]

FIRST_STEPS = (0, 100, 16_000, 2**21 - 50, 2**31, 2**62, -200)
TAGS = ("loss", "learning-rate", "grad-norm", "a" * 130, "b", "c", "学习率", "x\x1fy", "d\n\0e", "lm-loss")


def training(seed: int, kind: str, first: int, count: int) -> bytes:
    """Records of ``count`` steps; every wall, value and order is drawn from ``seed``."""
    draw = random.Random(seed)
    tags = draw.sample(TAGS, draw.randint(1, len(TAGS)))
    if kind == "odd":
        tags = [f"{tag}{number}" for number, tag in enumerate(draw.choices(TAGS, k=draw.randint(1, 12)))]
    wall = draw.choice([1.7e9, float("nan"), 0.0, -1e300])
    records = []
    for step in range(first, first + count):
        wall += draw.choice([0.5, 0.25, draw.random(), -3.0])
        records.append(_step(draw, kind, step, wall, tags))
    return b"".join(records)


def _raw(dtype: int, size: int, field: bytes) -> Value:
    """A tensor scalar whose bytes stand in ``field``; 4-byte draws are repeated to the size of the type."""
    return lambda tag, value: (
        files.message(1, tag.encode()) + files.message(8, bytes([8, dtype]) + field + (value * 2)[:size])
    )


def _plugin(tag: str, value: bytes) -> bytes:
    return files.simple(tag, value) + files.message(9, files.message(1, files.message(1, b"scalars")))


FORMS: tuple[Value, ...] = (
    lambda tag, value: b"\x15" + value + files.message(1, tag.encode()),
    lambda tag, value: files.simple(tag, value) + b"\x15" + value,  # the second number overrules the first
    lambda tag, value: files.simple("x", value) + files.message(1, tag.encode()),
    lambda tag, value: b"\x15" + value,  # no tag at all
    _plugin,
    files.simple,
    files.tensor,
    files.mindspore,  # which is no value to TensorBoard
    _raw(1, 4, b"\x2d"),
    _raw(1, 4, b"\x2a\x04"),
    _raw(2, 8, b"\x31"),
    _raw(2, 8, b"\x22\x08"),
    _raw(9, 8, b"\x22\x08"),
    _raw(19, 2, b"\x22\x02"),
    _raw(14, 2, b"\x22\x02"),
    _raw(10, 1, b"\x22\x01"),
    _raw(4, 1, b"\x22\x01"),
    _raw(23, 8, b"\x22\x08"),
    _raw(1, 3, b"\x22\x03"),  # not a float
)


def _odd(draw: random.Random, step: int, wall: float, tags: list[str]) -> bytes:
    """Each tag has a form of its own; few events have their fields in another order, or none of the usual ones."""
    head, steps = b"\x09" + struct.pack("<d", wall), b"\x10" + files.varint(step)
    records = []
    for tag in tags:
        form = FORMS[hash_of(tag) % len(FORMS)]
        summary = files.message(5, files.message(1, form(tag, draw.randbytes(4))))
        parts = [head, steps, summary]
        if draw.random() < 0.02:
            parts = draw.choice(
                [[steps, head, summary], [head, summary, steps], [head, steps, steps, summary], [summary], []]
            )
        records.append(frame(b"".join(parts)))
    return b"".join(records)


def hash_of(tag: str) -> int:
    """The same in every process."""
    return sum(tag.encode())


def _step(draw: random.Random, kind: str, step: int, wall: float, tags: list[str]) -> bytes:
    value: Value = files.tensor if kind == "tensors" else files.simple
    if kind == "odd":
        return _odd(draw, step, wall, tags)
    if kind == "many in one":
        return event(step, wall, *(value(tag, draw.randbytes(4)) for tag in tags))
    chosen = tags if kind in ("cycle", "tensors") else draw.sample(tags, draw.randint(1, len(tags)))
    records = [event(step or None, wall, value(tag, draw.randbytes(4))) for tag in chosen]
    if kind == "mixed" and draw.random() < 0.05:
        odd = files.histogram("h", draw.randint(1, 120)), files.text(f"t{step % 3}", str(step)), b""
        records.insert(draw.randrange(len(records) + 1), event(step, wall, draw.choice(odd)))
    if kind == "mixed" and draw.random() < 0.002:
        records.append(files.session(step, wall))
    return b"".join(records)


DRAWN = (Phase.explicit, Phase.reuse, Phase.generate)  # an example is a seed: a smaller one is no simpler
KINDS = st.sampled_from(["cycle", "any order", "many in one", "tensors", "mixed", "odd"])
PARTS = st.tuples(st.integers(0, 2**32), KINDS, st.sampled_from(FIRST_STEPS), st.integers(1, 400))
CONTENT = st.lists(PARTS, min_size=1, max_size=3).map(lambda parts: files.version() + b"".join(map(_part, parts)))


def _part(part: tuple[int, str, int, int]) -> bytes:
    return training(*part)


@settings(max_examples=40, deadline=None, phases=DRAWN)
@given(CONTENT, st.integers(0, 2**32))
def test_whatever_is_written_is_read_the_same(content: bytes, cut: int) -> None:
    wanted = one_by_one(TENSORBOARD, content).all()
    assert Outcome(TENSORBOARD, content).all() == wanted
    assert Outcome(TENSORBOARD, content, [cut % len(content)]).all() == wanted


def _flip(data: bytes, at: int, seed: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1 << seed % 8]) + data[at + 1 :]


def _zero(data: bytes, at: int, seed: int) -> bytes:
    count = min(len(data) - at, 1 + seed % 5000)
    return data[:at] + bytes(count) + data[at + count :]


def _insert(data: bytes, at: int, seed: int) -> bytes:
    return data[:at] + b"Warning: somebody's text\n" * (1 + seed % 50) + data[at:]


def _remove(data: bytes, at: int, seed: int) -> bytes:
    return data[:at] + data[at + 1 + seed % 3000 :]


def _double(data: bytes, at: int, seed: int) -> bytes:
    return data[: at + seed % 3000] + data[at:]


DAMAGE = st.lists(
    st.tuples(st.sampled_from([_flip, _flip, _zero, _insert, _remove, _double]), st.floats(0, 1), st.integers(0, 9999)),
    min_size=1,
    max_size=4,
)


@settings(max_examples=60, deadline=None, phases=DRAWN)
@given(CONTENT, DAMAGE, st.integers(0, 2**32))
def test_whatever_is_damaged_is_read_the_same(
    content: bytes, damage: list[tuple[Callable[[bytes, int, int], bytes], float, int]], cut: int
) -> None:
    for spoil, place, seed in damage:
        content = spoil(content, int(place * (len(content) - 1)), seed)
    wanted = one_by_one(TENSORBOARD, content).all()
    assert Outcome(TENSORBOARD, content).all() == wanted
    assert Outcome(TENSORBOARD, content, [cut % max(1, len(content))]).all() == wanted


def regular(steps: int, value: Value = files.simple) -> bytes:
    draw = random.Random(steps)
    tags = ("loss", "lr", "norm", "time")
    return b"".join(
        event(step, 1.7e9 + step / 2, value(tag, draw.randbytes(4))) for step in range(1, steps + 1) for tag in tags
    )


@pytest.mark.parametrize(("parser", "value"), [(TENSORBOARD, files.simple), (MINDSPORE, files.mindspore)])
def test_a_cycle_is_found_and_every_row_of_it_read(parser: Parser, value: Value) -> None:
    content = regular(3000, value)
    found = Outcome(parser, content)
    assert found.all() == one_by_one(parser, content).all()
    assert [step for step, _, _ in unpack_points(found.scalars["norm"])] == list(range(1, 3001))


def offsets(content: bytes) -> list[int]:
    """Where the records of an undamaged file begin."""
    found, at = [], 0
    while at < len(content):
        found.append(at)
        at += 16 + struct.unpack_from("<Q", content, at)[0]
    return found


def test_one_damaged_bit_anywhere_in_a_cycle_costs_at_most_its_record() -> None:
    """Every bit of one record in the middle of many: data, checksums and length."""
    content = regular(600)
    start, end = next((a, b) for a, b in pairwise(offsets(content)) if a > 40_000)
    for bit in range(8 * (end - start)):
        spoiled = _flip(content, start + bit // 8, bit)
        found = Outcome(TENSORBOARD, spoiled)
        assert sum(found.counts.values()) == 1
        assert sum(map(len, found.scalars.values())) == 24 * (4 * 600 - 1)


def test_damage_that_two_records_share_does_not_cancel_out() -> None:
    """The same bit, the same checksum difference: only the distance to the end tells the two apart."""
    content = bytearray(regular(2000))
    row = len(event(1000, 0.0, files.simple("loss", bytes(4))))
    begun = bytes(content).index(event(1000, 1.7e9 + 500, files.simple("loss", bytes(4)))[:22])
    cycle_size = sum(len(event(1000, 0.0, files.simple(tag, bytes(4)))) for tag in ("loss", "lr", "norm", "time"))
    for rows in (0, 1, 7):
        content[begun + rows * cycle_size + row - 6] ^= 1
    found = Outcome(TENSORBOARD, bytes(content))
    assert found.counts == {"bad_data_crc": 3}


def test_a_cycle_may_end_where_a_block_ends() -> None:
    step = sum(len(event(1000, 0.0, files.simple(tag, bytes(4)))) for tag in ("loss", "lr", "norm", "time"))
    rows = cycle.BLOCK // step
    for count in (rows - 1, rows, rows + 1):
        content = b"".join(
            event(1000, float(number), files.simple(tag, bytes(4)))
            for number in range(count)
            for tag in ("loss", "lr", "norm", "time")
        ) + regular(2000)
        found = Outcome(TENSORBOARD, content)
        assert len(found.scalars["loss"]) == 24 * (count + 2000)
        assert found.all() == one_by_one(TENSORBOARD, content).all()


def test_numbers_of_every_raw_type_are_columns_too() -> None:
    kinds = {1: "<f", 2: "<d", 19: "<e", 3: "<i", 9: "<q", 4: "<B", 23: "<Q"}
    draw = random.Random(1)
    records = []
    for step in range(1, 500):
        for dtype, form in kinds.items():
            raw = draw.randbytes(struct.calcsize(form))
            value = files.message(1, b"t%d" % dtype) + files.message(8, bytes([8, dtype]) + files.message(4, raw))
            records.append(event(step, step / 4, value))
    content = b"".join(records)
    assert Outcome(TENSORBOARD, content).all() == one_by_one(TENSORBOARD, content).all()


def test_a_tag_behind_its_number_is_read_whole() -> None:
    """No writer does so, and every reader of protobuf must understand it."""
    values = [b"\x15" + struct.pack("<f", step) + files.message(1, f"loss{step % 2}".encode()) for step in range(2000)]
    content = b"".join(event(step, 1.0, value) for step, value in enumerate(values))
    found = Outcome(TENSORBOARD, content)
    assert found.all() == one_by_one(TENSORBOARD, content).all()
    assert set(found.scalars) == {"loss0", "loss1"}


def test_twelve_thousand_tags_take_no_longer_than_as_many_points_of_one() -> None:
    many = b"".join(
        event(step, 1.0, files.simple(f"g{n % 123}/{n}", bytes(4))) for step in (1, 2) for n in range(12_345)
    )
    one = b"".join(event(step, 1.0, files.simple("loss", bytes(4))) for step in range(24_690))
    began = time.process_time()
    assert len(Outcome(TENSORBOARD, many).scalars) == 12_345
    took = time.process_time() - began
    began = time.process_time()
    one_by_one(TENSORBOARD, one)
    assert took < 20 * (time.process_time() - began)


def test_a_small_append_never_wakes_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cycle, "find_cycle", pytest.fail)
    monkeypatch.setattr(scan, "scan", pytest.fail)
    assert len(Outcome(TENSORBOARD, regular(50)).scalars["loss"]) == 50 * 24


def test_frames_in_a_text_inside_a_frame_are_not_taken_for_records() -> None:
    inner = regular(200)
    content = regular(100) + frame(b"\x09" + bytes(8) + files.message(4, inner)) + regular(100)
    found = Outcome(TENSORBOARD, content)
    assert len(found.scalars["loss"]) == 200 * 24 and found.counts == {}


@pytest.mark.parametrize("kind", ["cycle", "any order", "many in one", "tensors"])
def test_reading_many_at_once_is_worth_it(kind: str) -> None:
    """Measured in processor time; twenty times for a cycle on a quiet machine, and never near what is asked here."""
    content = training(7, kind, 200, 4000)
    began = time.process_time()
    Outcome(TENSORBOARD, content)
    many = time.process_time() - began
    one_by_one(TENSORBOARD, content)
    assert many * 2 < time.process_time() - began - many
