"""What is made in time, or not waited for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLong
from typing import TypeVar

from flask import copy_current_request_context, has_request_context

T = TypeVar("T")


def in_time(make: Callable[[], T], seconds: float) -> T | None:
    """What ``make`` returns, in the language of the request; None where it takes longer. It is finished all the same,
    so that who asks again finds what has been read."""
    made = copy_current_request_context(make) if has_request_context() else make
    future: Future[T] = Future()
    threading.Thread(target=_fill, args=(future, made), name="in time", daemon=True).start()
    try:
        return future.result(seconds)
    except TooLong:
        return None


def _fill(future: Future[T], make: Callable[[], T]) -> None:
    """Everything that goes wrong is for who waits."""
    try:
        future.set_result(make())
    except BaseException as error:
        future.set_exception(error)
