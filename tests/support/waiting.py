"""Waiting for a condition with a deadline: the one place in the tests that pauses."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def eventually(condition: Callable[[], T], *, seconds: float = 5.0, every: float = 0.01) -> T:
    """The first true value of ``condition``; fails, saying what it last was, when the deadline passes."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s; last value {value!r}")
        time.sleep(every)
