"""Logs with lines torn, glued, doubled, re-encoded and full of what terminals and people leave in them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tests.fuzz.damage import damaged, inserted
from tests.fuzz.frames import window

# What terminals, encodings, other programs and half-written lines leave between the words of a log.
STRAY = (
    b"\r", b"\n", b"\r\n", b"\0", b"\t", b"\x1b[31m", b"\x1b[0m", b"\x1b[2K", b"\x08", b"\xff\xfe",
    b"\xef\xbb\xbf", "，".encode(), "：".encode(), "［".encode(), "步骤".encode("gbk"), b"\xe6\x9d", "█".encode() * 9,
    b"nan", b"inf", b"-inf", b"N/A", b"None", b"1e400", b"1,234.5", b"-", b"e", b"0" * 400, b"[", b"]", b"{", b"}",
    b": ", b", ", b"step:[", b"Epoch:[", b"loss: ", b"loss is ", b"lr: ", b"epoch: 1 step: 1, loss is 1",
    b"samples/s/p", b"Tensor(shape=[1], dtype=Float32, value= [ 1.5])", b"Traceback (most recent call last):\n",
    b'  File "a.py", line 1\n', b'{"step": ', b'{ "step": ', b"Eval result: ", b"worker_0.log:12:",
    b"|##########| 10%|", b"|", b"-\\|/", b"%", b"ms", b"2025-01-02 03:04:05,678", b"[INFO] ",
    b"99999999999999999999", b"0/0", b"/", b"[  1/  1]", b"global_norm: [", b"'",
)  # fmt: skip


def mutated(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """A new log of pieces of others."""
    if rng.random() < 0.1:
        return damaged(rng, window(rng, rng.choice(seeds), 4096))
    lines = some(rng, rng.choice(seeds))
    if rng.random() < 0.3:
        lines += some(rng, rng.choice(seeds))
    for _ in range(rng.choice((0, 1, 2, 4, 8))):
        at = rng.randrange(len(lines) + 1)
        old = lines[at % len(lines)] if lines else b""
        lines[at : at + rng.randrange(2)] = [rng.choice(ACCIDENTS)(rng, old, lines)]
    if rng.random() < 0.004:
        lines *= 1 + (1 << 20) // max(1, sum(map(len, lines)))
    return rng.choice((b"\n", b"\n", b"\n", b"\r\n", b"\r")).join(lines) + rng.choice((b"", b"\n", b"\n"))


def some(rng: random.Random, content: bytes) -> list[bytes]:
    """Some neighbouring lines."""
    lines = content.split(b"\n")
    begin = rng.randrange(len(lines))
    return lines[begin : begin + rng.choice((1, 3, 12, 60))]


def _strewn(rng: random.Random, old: bytes, lines: Sequence[bytes]) -> bytes:
    for _ in range(rng.choice((1, 1, 2, 5))):
        old = inserted(rng, old, rng.choice(STRAY) * rng.choice((1, 1, 1, 3)))
    return old


def _torn(rng: random.Random, old: bytes, lines: Sequence[bytes]) -> bytes:
    """Another line was written into the middle of this one."""
    return inserted(rng, old, rng.choice(lines) if lines else b"")


def _glued(rng: random.Random, old: bytes, lines: Sequence[bytes]) -> bytes:
    return old + rng.choice((b"", b" ", b"\r", b"-\\|/-")) + (rng.choice(lines) if lines else b"")


def _renumbered(rng: random.Random, old: bytes, lines: Sequence[bytes]) -> bytes:
    """Digits replaced: the shape stays, the numbers do not."""
    return bytes(rng.choice(b"0123456789.-") if chr(one).isdigit() and rng.random() < 0.2 else one for one in old)


def _respaced(rng: random.Random, old: bytes, lines: Sequence[bytes]) -> bytes:
    at = rng.choice((b" ", b":", b",", b"[", b"]", b"/"))
    return old.replace(at, rng.choice((b"", at * 2, b"\t", at + b" ")), rng.choice((1, -1)))


def _coloured(rng: random.Random, old: bytes, lines: Sequence[bytes]) -> bytes:
    return b" ".join(b"\x1b[3%dm%b\x1b[0m" % (rng.randrange(8), word) for word in old.split(b" "))


def _long(rng: random.Random, old: bytes, lines: Sequence[bytes]) -> bytes:
    """A line of up to a megabyte."""
    filler = rng.choice((b"x", b" ", b"|", b"0", b"[", b"loss: ", b", ", b"\x1b[", b"1,", b"{"))
    size = rng.choice((1 << 12, 1 << 12, 1 << 14, 1 << 18, 1 << 20)) if rng.random() < 0.1 else 300
    return inserted(rng, old, filler * (size // len(filler)))


def _hurt(rng: random.Random, old: bytes, lines: Sequence[bytes]) -> bytes:
    return damaged(rng, old)


ACCIDENTS: Sequence[Callable[[random.Random, bytes, Sequence[bytes]], bytes]] = (
    _strewn,
    _strewn,
    _torn,
    _glued,
    _renumbered,
    _respaced,
    _coloured,
    _long,
    _hurt,
)


def intact(first: int, count: int) -> tuple[bytes, list[float]]:
    """Whole lines from step ``first`` on, and the losses that they hold (not the steps: an ``Epoch:[0/3]`` among the
    damage makes every later epoch count from zero)."""
    # as MindFormers 1.6 writes them; Epoch 1 of 1, so that the step is the global step
    steps = range(first, first + count)
    lines = [
        f"2025-10-21 11:07:41,000 - mindformers./output/log[callback.py:559] - INFO - {'{'} Epoch:[  1/  1], "
        f"step:[{step:5d}/999999], loss: {step / 8:.3f}, per_step_time: 712ms, lr: 1e-05, overflow cond: False, "
        f"loss_scale: 65536.0, global_norm: [1.5], train_throughput_per_npu: 3.333T\n"
        for step in steps
    ]
    return "".join(lines).encode(), [step / 8 for step in steps]
