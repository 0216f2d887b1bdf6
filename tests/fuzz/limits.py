"""How much a parser may take: processor time in proportion to its input, and memory of a bounded size."""

from __future__ import annotations

import resource
import signal
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

SECONDS_A_BYTE = 3e-6  # a tenth of what the slowest kind of line takes on an idle processor … times ten
SECONDS_AT_LEAST = 0.5
HANGS_AFTER = 30.0  # seconds of processor time
BYTES_A_BYTE = 64  # peak memory against input: a one-byte value may become a point of 24 bytes, held twice
BYTES_AT_LEAST = 8 << 20
ADDRESS_SPACE = 2 << 30  # beyond what the interpreter has mapped already


class TooSlow(AssertionError):
    """More processor time than the size of the input allows."""


class TooLarge(AssertionError):
    """More memory than the size of the input allows."""


def bounded(work: Callable[[], object], size: int) -> None:
    """Run ``work`` on ``size`` bytes; raises ``TooSlow`` if three tries took more than linear time."""
    allowed = SECONDS_AT_LEAST + SECONDS_A_BYTE * size
    for attempt in range(3):
        began = time.process_time()
        with _alarm():
            work()
        took = time.process_time() - began
        if took <= allowed:
            return
        if attempt == 2 or took > HANGS_AFTER:
            raise TooSlow(f"{took:.2f} processor seconds for {size} bytes, {allowed:.2f} allowed")


def weighed(work: Callable[[], object], size: int) -> None:
    """Run ``work`` on ``size`` bytes under a memory tracer; raises ``TooLarge``."""
    tracemalloc.start()
    try:
        work()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    if peak > BYTES_AT_LEAST + BYTES_A_BYTE * size:
        raise TooLarge(f"{peak} bytes of memory for {size} bytes of input")


@contextmanager
def _alarm() -> Iterator[None]:
    def ring(number: int, frame: object) -> None:
        raise TooSlow(f"still busy after {HANGS_AFTER:.0f} processor seconds")

    before = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, HANGS_AFTER)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def fence_memory() -> None:
    """From now on this process fails with MemoryError instead of taking the machine's memory."""
    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (mapped + ADDRESS_SPACE,) * 2)
