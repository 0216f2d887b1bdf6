"""Event files taken apart and put together wrongly: records lost, doubled, changed, and lengths that lie."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from google_crc32c import value as crc32c
from tensorboardX.proto.event_pb2 import Event
from tensorboardX.proto.summary_pb2 import Summary
from tensorboardX.proto.tensor_pb2 import TensorProto

from collector.wire.records import Source
from tests.fuzz.damage import damaged
from tests.support.event_writer import record, scalar, scalars

HEAD, FOOT = 12, 4
TEXTS = (
    b"\0" * 64,
    b"\xff" * 13,
    b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    b"log line\n",
    b"",
)
STEPS = (0, 1, 127, 128, 16383, 16384, 2**31, 2**32, 2**53 + 1, 2**63 - 1, -1, -(2**63))
TAGS = ("loss", "lr", "a" * 130, "a/b c=ä", "", "step:[1/2]", "\x1f", "tag\n", "\u2028", "9")
VALUES = (0.0, -0.0, 1.5, float("nan"), float("inf"), -float("inf"), 1e-45, 3.4e38)


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame that can be found: where it is, and its data, or None where they do not match their checksum."""

    begin: int
    end: int
    data: bytes | None


def walk(content: bytes) -> Iterator[Frame]:
    """The frames from the beginning on, up to a length that does not match its checksum or an incomplete frame."""
    at = 0
    while at + HEAD <= len(content):
        head = content[at : at + 8]
        (length,) = struct.unpack("<Q", head)
        end = at + HEAD + length + FOOT
        if masked(head) != content[at + 8 : at + HEAD] or end > len(content):
            return
        data = content[at + HEAD : end - FOOT]
        yield Frame(at, end, data if masked(data) == content[end - FOOT : end] else None)
        at = end


def masked(data: bytes) -> bytes:
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def mutated(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """A new file of pieces of others, each record as it was, changed, generated, or broken."""
    if rng.random() < 0.15:
        return damaged(rng, window(rng, rng.choice(seeds), 4096))
    records = pieces(rng, rng.choice(seeds))
    if rng.random() < 0.3:
        records += pieces(rng, rng.choice(seeds))
    if rng.random() < 0.7:
        records += generated(rng)
    for _ in range(rng.choice((0, 1, 1, 2, 4))):
        at = rng.randrange(len(records) + 1)
        old = records[at % len(records)] if records else b""
        records[at : at + rng.randrange(2)] = [broken(rng, old)]
    if rng.random() < 0.2:
        rng.shuffle(records)
    if rng.random() < 0.003:
        records *= 1 + (1 << 20) // max(1, sum(map(len, records)))
    return b"".join(records)


def pieces(rng: random.Random, content: bytes) -> list[bytes]:
    """Some neighbouring records of a file."""
    whole = [content[one.begin : one.end] for one in walk(content) if one.end - one.begin < 20_000]
    begin = rng.randrange(len(whole) + 1)
    return whole[begin : begin + rng.choice((1, 5, 30, 120))]


def window(rng: random.Random, content: bytes, size: int) -> bytes:
    """At most ``size`` bytes, mostly from the beginning."""
    begin = 0 if rng.random() < 0.7 else rng.randrange(len(content) + 1)
    return content[begin : begin + size]


def broken(rng: random.Random, old: bytes) -> bytes:
    """One record after one accident."""
    data = old[HEAD:-FOOT]
    wrong = damaged(rng, data)[: 1 << 16]
    length = struct.pack("<Q", rng.choice((0, 1, len(data) + 1, 255, 256, 2**31, 2**32, 2**63, 2**64 - 1)))
    return rng.choice(
        (
            old[:HEAD] + (wrong + bytes(len(data)))[: len(data)] + old[-FOOT:],  # data damaged, checksum as it was
            old[:-1] + bytes([(old or b"\0")[-1] ^ 1]),  # checksum damaged
            record(wrong),  # a frame in order around nonsense
            record(wrong),
            length + masked(length) + data + masked(data),  # a length that lies and is signed
            length + old[8:],  # a length that lies
            rng.choice(TEXTS),
            record(rng.randbytes(rng.randrange(64))),
            old[: rng.randrange(len(old) + 1)],
            b"",
        )
    )


def generated(rng: random.Random) -> list[bytes]:
    """Alike records, one after the other, as a training run writes them, with an odd one among them."""
    tags = rng.sample(TAGS, rng.randrange(1, 5))
    first, stride = rng.choice(STEPS[:9]), rng.choice((0, 1, 1, 10, 1000))
    out: list[bytes] = []
    for number in range(rng.choice((1, 8, 40, 150))):
        for tag in tags:
            value = rng.choice(VALUES) if rng.random() < 0.1 else rng.random()
            out.append(scalar(max(0, first + number * stride), 1.7e9 + number, tag, value))
        if rng.random() < 0.05:
            out.append(odd(rng))
    return out


def odd(rng: random.Random) -> bytes:
    """A valid record that is not a plain scalar."""
    number = rng.choice(VALUES)
    value = rng.choice(
        (
            Summary.Value(tag="t", tensor=TensorProto(dtype=1, float_val=[number])),
            Summary.Value(tag="t", tensor=TensorProto(dtype=2, tensor_content=struct.pack("<d", number))),
            Summary.Value(tag="t", tensor=TensorProto(dtype=9, int64_val=[rng.choice(STEPS)])),
            Summary.Value(tag="t", tensor=TensorProto(dtype=7, string_val=[rng.randbytes(4)])),
            Summary.Value(
                tag="t", tensor=TensorProto(dtype=1, float_val=[1.0] * 3, tensor_shape={"dim": [{"size": 3}]})
            ),
            Summary.Value(tag=rng.choice(TAGS), simple_value=number),
        )
    )
    values = [value] * rng.choice((1, 1, 2, 3))
    return record(Event(wall_time=number, step=rng.choice(STEPS), summary=Summary(value=values)).SerializeToString())


def intact(source: Source, first: int, count: int) -> tuple[bytes, list[float]]:
    """Whole records of two tags from step ``first`` on, and the values of the tag ``intact``."""
    steps = range(first, first + count)
    plain = scalars(steps, ("intact", "also intact"))
    if source == "mindspore":  # the same, but for the field of the number: 3 instead of 2
        parts = [one.data or b"" for one in walk(plain)]
        plain = b"".join(record(one[:-5] + b"\x1d" + one[-4:]) for one in parts)
    return plain, [step / 4 for step in steps]
