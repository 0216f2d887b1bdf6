"""An output directory with a long history: runs of many ranks, each with a log and an event file, changed yesterday."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from tests.support import event_writer
from tests.support.growing import line

RUNS, RANKS = 4, 16
DAY = 86_400.0
# what stands between the metrics of a real log
_CHATTER = (
    b"2026-05-01 12:00:00,000 - mindformers[mindformers/core/callback/callback.py:577] - INFO - the peak of device "
    b"memory is 51234 MB, and the communication of the pipeline took 31 ms\n"
)
_HISTOGRAM = event_writer.histogram(1, "grads/layer_0", 2000)


def write(root: Path, size: int) -> int:
    """Fill ``root`` with about ``size`` bytes; returns how many. All ranks of all runs write the same."""
    each = size // (RUNS * RANKS * 2)
    log, events = b"".join(_log(each)), b"".join(_events(each))
    total = 0
    for run in range(RUNS):
        for rank in range(RANKS):
            job = root / f"job_{run}"
            total += _old(job / "output" / "log" / f"rank_{rank}" / "info.log", log)
            total += _old(job / "tensorboard" / f"rank_{rank}" / "events.out.tfevents.1700000000.node0", events)
    return total


def _log(size: int) -> Iterator[bytes]:
    step, written = 0, 0
    while written < size:
        step += 1
        piece = line(step) + _CHATTER * 3
        written += len(piece)
        yield piece


def _events(size: int) -> Iterator[bytes]:
    """Half of the bytes are scalars, half are histograms, which nobody decodes."""
    step, written = 0, 0
    yield event_writer.header()
    while written < size:
        step += 10
        piece = event_writer.scalars(range(step, step + 10), ("loss", "lr", "grad_norm", "iteration-time")) + _HISTOGRAM
        written += len(piece)
        yield piece


def _old(path: Path, data: bytes) -> int:
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    then = time.time() - DAY
    os.utime(path, (then, then))
    return len(data)
