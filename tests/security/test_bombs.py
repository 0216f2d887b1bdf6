"""Files that mean to be too much: lengths, lines, nesting, numbers beyond anything; the rest is read all the same."""

from __future__ import annotations

import os
import resource
import struct
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from collector.follow.files import DiskFiles, FileStat, Missing, Piece
from collector.parse.event.crc import masked_crc
from collector.parse.parsers import parser_for
from collector.wire.records import Source
from tests.fuzz.limits import bounded, weighed
from tests.support import event_files
from tests.support.event_files import event, frame, message, simple, varint
from tests.support.growing import line
from tests.support.world import World

GIGABYTE = 2**30


class Endless(DiskFiles):
    """The disk, on which one file is a gigabyte of one letter, without a line end until the very last lines."""

    tail = b"\n" + b"".join(map(line, range(5, 9)))

    def stat(self, path: str) -> FileStat | Missing:
        found = DiskFiles.stat(self, path)
        is_long = isinstance(found, FileStat) and "rank_1" in path
        return FileStat(GIGABYTE + len(self.tail), found.mtime, found.inode) if is_long else found  # type: ignore[union-attr]

    def read(self, path: str, offset: int, size: int) -> Piece | Missing:
        if "rank_1" not in path:
            return DiskFiles.read(self, path, offset, size)
        stat = self.stat(path)
        assert isinstance(stat, FileStat)
        stop = min(offset + size, stat.size)
        letters = b"x" * max(0, min(stop, GIGABYTE) - offset)
        return Piece(stat, letters + self.tail[max(0, offset - GIGABYTE) : max(0, stop - GIGABYTE)])


def job(root: Path, *ranks: int) -> Path:
    for rank in ranks:
        log = root / "log" / f"rank_{rank}" / "info.log"
        log.parent.mkdir(parents=True)
        log.write_bytes(b"".join(map(line, range(1, 4))))
    return root


def peak() -> int:
    """The most bytes that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@pytest.mark.timeout(180)
def test_f3_a_line_of_a_gigabyte_is_passed_over(tmp_path: Path) -> None:
    """One rank's log is 1 GiB without a line end: it is passed over in flat memory, and what follows it is read."""
    before = peak()
    world = World(Endless(), root=str(job(tmp_path, 0, 1)), now=time.time(), bound=2**21)
    for _ in range(2_000):
        if world.step(0.1) > 0 and world.step() > 0:
            break
    assert peak() - before < 64 * 2**20
    assert world.store.steps("loss") == [1, 2, 3, 5, 6, 7, 8]
    assert world.state("rank_1/info.log")[0] in ("following", "drained")


def length(number: int) -> bytes:
    """A length as TFRecord writes it, with its right checksum."""
    head = struct.pack("<Q", number)
    return head + struct.pack("<I", masked_crc(head))


@pytest.mark.parametrize("number", [2**63, 2**64 - 1, 2**62, 2**40, 2**32, 2**31])
def test_f3_a_record_of_an_impossible_length_is_not_waited_for(tmp_path: Path, number: int) -> None:
    """A length of 2⁶³ whose checksum is right: nothing is allocated, and the other files are read."""
    root = job(tmp_path, 0)
    bad = root / "tensorboard" / "rank_0" / "events.out.tfevents.1.n"
    bad.parent.mkdir(parents=True)
    bad.write_bytes(event_files.version() + event(1, 1.7e9, simple("a", b"\0\0\0\0")) + length(number) + b"x" * 100)
    before = peak()
    world = World(DiskFiles(), root=str(root), now=time.time())
    world.settle()
    world.step(120)
    world.settle()
    assert world.store.steps("loss") == [1, 2, 3]
    assert peak() - before < 64 * 2**20
    assert world.state("tfevents.1.n")[0] in ("broken", "waiting", "following", "drained")


def nested(depth: int) -> bytes:
    found = b""
    for _ in range(depth):
        found = message(1, found)[: 2**20]
    return found


def tensor_of(*sizes: int) -> bytes:
    """A TensorProto that claims a shape, and holds four bytes."""
    shape = b"".join(message(2, b"\x08" + varint(size)) for size in sizes)
    return b"\x08\x01" + message(2, shape) + message(4, b"\0\0\0\0")


BOMBS: dict[str, Callable[[], bytes]] = {
    "nested": lambda: frame(b"\x10\x01" + message(5, message(1, nested(5_000)))),
    "tensor of 2^31": lambda: event(1, 1.7e9, message(1, b"t") + message(8, tensor_of(2**31))),
    "tensor of 2^63 by 2^63": lambda: event(1, 1.7e9, message(1, b"t") + message(8, tensor_of(2**63, 2**63))),
    "varint without end": lambda: frame(b"\x10" + b"\xff" * 100_000),
    "a million empty values": lambda: frame(b"\x10\x01" + message(5, message(1, b"") * 500_000)),
    "a million empty fields": lambda: frame(b"\x10\x01" + message(9, b"") * 500_000),
    "a field of 2^63 bytes": lambda: frame(b"\x10\x01\x2a" + varint(2**63) + b"x"),
    "a tag of 4 MB": lambda: event(1, 1.7e9, simple("t" * 4_000_000, b"\0\0\0\0")),
    "a text of 4 MB": lambda: event(1, 1.7e9, event_files.text("parallel_config/text_summary", "{" * 4_000_000)),
    "deep JSON in a text": lambda: event(1, 1.7e9, event_files.text("parallel_config/text_summary", "[" * 200_000)),
    "aliases in a text": lambda: event(1, 1.7e9, event_files.text("training_config/text_summary", laughs())),
}


def laughs() -> str:
    """YAML in which each line repeats the one before nine times."""
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    return "\n".join(lines)


@pytest.mark.parametrize("source", ["tensorboard", "mindspore"])
@pytest.mark.parametrize("bomb", BOMBS)
def test_f3_what_an_event_claims_costs_no_more_than_it_is(bomb: str, source: Source) -> None:
    """Nesting, shapes, varints, counts and texts beyond anything: time and memory in proportion to the bytes."""
    data = event_files.version() + BOMBS[bomb]() + event(2, 1.7e9, simple("loss", struct.pack("<f", 2.0)))
    bounded(lambda: parser_for(source).parse(data, {}, final=True), len(data))
    weighed(lambda: parser_for(source).parse(data, {}, final=True), len(data))


LINES: dict[str, bytes] = {
    "brackets": b"[" * 300_000 + b"\n",
    "braces": b"{'a': " * 60_000 + b"\n",
    "colons": b"a:" * 150_000 + b"\n",
    "digits": b"step:[ 1/ 9], loss: " + b"9" * 250_000 + b"\n",
    "escapes": b"\x1b[" * 150_000 + b"\n",
    "needles": b"loss: step: lr: " * 16_000 + b"\n",
    "many short lines": b"x\n" * 300_000,
    "carriage returns": b"\r" * 300_000,
    "tracebacks": b"Traceback (most recent call last):\n" * 9_000,
    "frames": b"Traceback (most recent call last):\n" + b'  File "a.py", line 1, in f\n' * 10_000,
}


@pytest.mark.parametrize("kind", LINES)
def test_f3_no_line_costs_more_than_it_is_long(kind: str) -> None:
    """Lines that make an expression backtrack, or repeat what is looked for."""
    data = LINES[kind]
    bounded(lambda: parser_for("log").parse(data, {}, final=True), len(data))
    weighed(lambda: parser_for("log").parse(data, {}, final=True), len(data))


@pytest.mark.timeout(120)
def test_f3_a_hundred_thousand_tags_in_one_file_are_read_and_others_with_them(tmp_path: Path) -> None:
    """A file with 100,000 tags: the collector stays within its memory and reads the other files meanwhile."""
    root = job(tmp_path, 0)
    many = root / "tensorboard" / "rank_0" / "events.out.tfevents.1.n"
    many.parent.mkdir(parents=True)
    with many.open("wb") as file:
        file.write(event_files.version())
        for start in range(0, 100_000, 1_000):
            file.write(event(1, 1.7e9, *(simple(f"tag/{n}", b"\0\0\x80\x3f") for n in range(start, start + 1_000))))
    before = peak()
    world = World(DiskFiles(), root=str(root), now=time.time(), bound=2**21)
    for step in range(3_000):
        waits = world.step(0.1)
        if step == 20:
            assert world.store.steps("loss") == [1, 2, 3]
        if waits > 0 and world.step() > 0:
            break
    assert peak() - before < 400 * 2**20
    assert sum(1 for _ in world.store.points) > 100_000


def test_f3_a_directory_of_itself_ends(tmp_path: Path) -> None:
    """Links that lead to one another, and a tree as deep as the system allows."""
    root = job(tmp_path, 0)
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    deep = root
    for _ in range(200):
        deep = deep / "d"
    os.makedirs(deep)  # noqa: PTH103 (as deep as it goes at once)
    world = World(DiskFiles(), root=str(root), now=time.time())
    world.settle()
    assert world.store.steps("loss") == [1, 2, 3]
    assert len(world.service.news) == 2
