"""A collector that catches up with a long history while runs go on: how long their points take, and its memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.bench.rows import Line, at_most, latency
from tests.measure import backlog

SIZE = 300_000_000  # bytes; python -m tests.measure.backlog --size 4 tries what the goal speaks of


def amid_history(folder: Path) -> Iterator[Line]:
    """A run that goes on and one that begins, and the peak of the collector's memory."""
    found = backlog.measure(folder, SIZE, quiet=True)
    delays = [one for run in found.delays.values() for one in run]
    name = f"write -> subscriber, catching up with {SIZE / 1e6:.0f} MB"
    yield latency(name, delays, 1.0, 2000)
    yield at_most("memory of the collector, catching up", found.peak / 1e6, None, 500, "MB")
