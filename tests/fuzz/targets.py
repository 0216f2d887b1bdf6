"""What is fuzzed: where its inputs come from and what must hold for every one of them."""

from __future__ import annotations

import hashlib
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from google.protobuf.message import DecodeError
from tensorboardX.proto.event_pb2 import Event

from collector.parse.parsed import Parsed
from collector.parse.parsers import parser_for
from collector.parse.select import role_of, run_id
from collector.whole_file import parsed_file
from collector.wire.records import Source
from tests.fuzz import frames, limits, lines, paths
from tests.fuzz.reading import Reading, Wrong, difference, read, read_late

DATA = Path(__file__).parents[1] / "data"
SLOWEST_CUTS = 65_536  # bytes: larger inputs are read whole and in halves only
INTACT = 900_001  # the first step of what is appended in order


@dataclass(frozen=True, slots=True)
class Target:
    """``mutated`` makes an input from seeds, ``check`` raises where something does not hold for it."""

    name: str
    seeds: Callable[[], Sequence[bytes]]
    mutated: Callable[[random.Random, Sequence[bytes]], bytes]
    check: Callable[[bytes], None]


def check_source(source: Source, data: bytes) -> None:
    """No crash, no hang, no memory beyond its size; the same for every cut; nothing lost behind damage."""
    parser = parser_for(source)
    limits.bounded(lambda: read(parser, data), len(data))
    rng = random.Random(hashlib.sha256(data).digest())
    if rng.random() < 0.05 or len(data) > SLOWEST_CUTS:
        limits.weighed(lambda: parser.parse(data, {}, final=True), len(data))
    whole = read(parser, data)
    for cuts in cut_sets(rng, source, data):
        if differs := difference(whole, read(parser, data, cuts)):
            raise Wrong(f"another answer when cut at {list(cuts)[:5]}: {differs}")
    if len(data) <= SLOWEST_CUTS:
        check_file(source, data, whole)
        check_late_page(rng, source, data, whole)
    check_nothing_lost(source, data)
    if source == "tensorboard":
        check_against_protobuf(data, whole)


def cut_sets(rng: random.Random, source: Source, data: bytes) -> list[Sequence[int]]:
    """Ways in which a file may arrive: anyhow, and unit by unit, which no shortcut for alike records survives."""
    if len(data) > SLOWEST_CUTS:
        return [[len(data) // 2]]
    some = [sorted(rng.randrange(len(data) + 1) for _ in range(rng.choice((1, 1, 3, 9)))) for _ in range(3)]
    if source == "log":
        units = [at + 1 for at, one in enumerate(data) if one == 10]
    else:
        units = [one.end for one in frames.walk(data)]
    return [*some, units[:1000]]


def check_file(source: Source, data: bytes, whole: Reading) -> None:
    """The reader of whole files finds in small pieces what the parser finds at once."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        parts = [one for one in parsed_file(file.name, source, piece=512) if isinstance(one, Parsed)]
    found = sum(len(block) for one in parts for block in one.scalars.values())
    if found != sum(map(len, whole.scalars.values())):
        raise Wrong(f"the whole file holds {found} bytes of points when read in pieces")


def check_late_page(rng: random.Random, source: Source, data: bytes, whole: Reading) -> None:
    """What network storage shows as zeros until it arrives is read when it has arrived."""
    found = list(frames.walk(data))
    if source != "log" and (not found or found[-1].end != len(data) or any(one.data is None for one in found)):
        return  # where a damaged file goes on depends on what follows
    early = data[: rng.randrange(len(data) + 1)] + bytes(rng.choice((64, 200, 4096)))
    if differs := difference(whole, read_late(parser_for(source), early, data)):
        raise Wrong(f"another answer when its end was zeros at first: {differs}")


def check_nothing_lost(source: Source, data: bytes) -> None:
    """Records in order behind any damage come out, each once."""
    if source == "log":
        text, expected = lines.intact(INTACT, 4)
        text, tag = b"\n" + text, "loss"
    else:
        text, expected = frames.intact(source, INTACT, 12)
        tag = "intact"
        if any(one.begin < len(data) < one.end and one.data is not None for one in frames.walk(data + text)):
            return  # what follows a torn record happens to complete it: both checksums say so
    found = read(parser_for(source), data + text).points(tag)
    if [value for _, value in found if value in expected] != expected:
        raise Wrong(f"of the records behind it come out: {found[-8:]}")


def check_against_protobuf(data: bytes, whole: Reading) -> None:
    """Where every record is what protobuf itself would write, the plain scalars are protobuf's."""
    expected: list[tuple[str, int, float]] = []
    found = list(frames.walk(data))
    if found and found[-1].end != len(data):
        return  # what is behind it, this walk does not find
    for one in found:
        if one.data is None:
            return  # records that its torn data hide, this walk does not find
        try:
            event = Event.FromString(one.data)
        except DecodeError:
            return
        if event.SerializeToString() != one.data or event.HasField("session_log") or whole.generation:
            return
        values = [value for value in event.summary.value if value.HasField("simple_value")]
        expected += [(value.tag.replace("\x1f", "\ufffd"), event.step, value.simple_value) for value in values]
    for tag in {tag for tag, _, _ in expected}:
        wanted = [(step, value) for name, step, value in expected if name == tag]
        mine = whole.points(tag)
        if tag != "t" and str(mine) != str(wanted):  # "t" holds tensors too
            raise Wrong(f"protobuf reads {len(wanted)} points of {tag!r}, this parser {len(mine)}, or other ones")


def check_path(data: bytes) -> None:
    """Any path has a role or none; the same one each time; a run's id can stand in an address."""
    path = data.decode("utf-8", "surrogateescape")
    limits.bounded(lambda: role_of(path), len(data))
    role = role_of(path)
    if role != role_of(path):
        raise Wrong("two answers for one path")
    name = run_id(path)
    if not name or name != run_id(path) or any(one in name for one in "/?#{}\x1f\n "):
        raise Wrong(f"{name!r} is no id")
    if role is not None and (role.rank or 0) < 0:
        raise Wrong(f"rank {role.rank}")


@cache
def seeds_of(pattern: str) -> Sequence[bytes]:
    """Files below tests/data whose name fits, without the largest."""
    found = [path.read_bytes() for path in sorted(DATA.rglob(pattern)) if path.is_file()]
    return [data for data in found if 0 < len(data) < 2_000_000]


def names() -> Sequence[bytes]:
    """Every path below tests/data."""
    return [str(path.relative_to(DATA)).encode() for path in sorted(DATA.rglob("*"))]


TARGETS: Sequence[Target] = (
    Target("tensorboard", partial(seeds_of, "*tfevents*"), frames.mutated, partial(check_source, "tensorboard")),
    Target("mindspore", partial(seeds_of, "*_MS"), frames.mutated, partial(check_source, "mindspore")),
    Target("log", partial(seeds_of, "*.log*"), lines.mutated, partial(check_source, "log")),
    Target("path", names, paths.mutated, check_path),
)
