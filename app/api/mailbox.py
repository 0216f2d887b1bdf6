"""What waits for one open page: bounded, so that a page that stands still costs nothing but a reload."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

ROOM = 512  # entries; at ten commits a second most of a minute

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Mail(Generic[T]):
    """``entries`` since the last time; ``lost``: some did not fit, or the store was away; ``closed``: nothing more."""

    entries: Sequence[T] = ()
    lost: bool = False
    closed: bool = False


class Mailbox(Generic[T]):
    """Filled by the reader thread, emptied by one client's thread."""

    def __init__(self, room: int = ROOM) -> None:
        """``room`` in entries."""
        self._room = room
        self._entries: list[T] = []
        self._lost = False
        self._closed = False
        self._hand: Callable[[T], bool] | None = None
        self._filled = threading.Condition()

    def put(self, entries: Sequence[T]) -> None:
        """Add; when it is full everything is dropped and the client told to read again."""
        with self._filled:
            if self._hand and not self._entries and all(self._hand(one) for one in entries):
                return
            self._entries.extend(entries)
            if len(self._entries) > self._room:
                self._entries = self._entries[-1:]  # where it goes on
                self._lost = True
            self._filled.notify()

    def lose(self) -> None:
        """Say that entries may be missing."""
        with self._filled:
            self._lost = True
            self._filled.notify()

    def close(self) -> None:
        """Say that nothing more will come."""
        with self._filled:
            self._closed = True
            self._filled.notify()

    def take(self, seconds: float, hand: Callable[[T], bool] | None = None) -> Mail[T]:
        """All that is there; waits up to ``seconds`` for the first. Meanwhile ``hand`` is offered what comes, in the
        reader's thread: what it deals with (True) need not wake this one."""
        with self._filled:
            self._hand = hand
            self._filled.wait_for(lambda: self._entries or self._lost or self._closed, timeout=seconds)
            self._hand = None
            mail = Mail(self._entries, self._lost, self._closed)
            self._entries, self._lost = [], False
            return mail
