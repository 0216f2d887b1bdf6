"""The one reader thread of the process: from the live streams of open runs to the mailboxes of their pages."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from app.api.course import Course, Parcel
from app.api.mailbox import Mailbox
from app.stored import LiveEntry, LiveFollower, RunStore, StoreAway, StoredRun
from collector.wire.records import RunId

BLOCK_SECONDS = 5.0  # longest single wait in Redis; new entries and new clients end it at once
SOON = 0.001
AWAY_SECONDS = (0.2, 2.0)  # pause before asking a Redis that is away again: first, and longest


class TooMany(Exception):
    """Every stream that the server has a thread for is open."""


class Hub:
    """Who listens to which run. The thread starts with the first client (after a fork) and ends with ``close``."""

    def __init__(self, store: RunStore, *, most: int) -> None:
        """``most`` clients at once."""
        self._store = store
        self._most = most
        self._clients: dict[RunId, list[Mailbox[Parcel]]] = {}
        self._courses: dict[RunId, Course] = {}
        self._changed = threading.Condition()
        self._reading: frozenset[RunId] = frozenset()  # what the read that waits in Redis asks for
        self._follower: LiveFollower | None = None
        self._thread: threading.Thread | None = None
        self._closed = False
        self._outage = False  # since the store was away nothing has been read: entries may be missing

    @property
    def clients(self) -> int:
        """Streams that are open."""
        with self._changed:
            return len(self._all())

    def subscribe(self, run: StoredRun) -> Mailbox[Parcel]:
        """A mailbox that gets all of the run after its position, and perhaps some before. Raises TooMany, StoreAway."""
        box: Mailbox[Parcel] = Mailbox()
        course = self._courses.get(run.id) or Course(self._store, run)
        course.hear(run)
        with self._changed:
            if self.clients >= self._most:
                raise TooMany
            self._clients.setdefault(run.id, []).append(box)
            self._courses.setdefault(run.id, course)
            self._start()
            self._changed.notify_all()
        self._wake(run.id)
        return box

    def unsubscribe(self, run: RunId, box: Mailbox[Parcel]) -> None:
        """Forget a client; the run is no longer read when it was the last."""
        with self._changed:
            boxes = self._clients.get(run, [])
            if box in boxes:
                boxes.remove(box)
            if not boxes:
                self._clients.pop(run, None)
                self._courses.pop(run, None)

    def close(self) -> None:
        """End the thread and every stream; returns when the thread has ended."""
        with self._changed:
            self._closed = True
            for box in self._all():
                box.close()
            self._changed.notify_all()
        while self._thread is not None and self._thread.is_alive():
            if self._follower is not None:
                self._follower.wake()
            self._thread.join(0.05)

    def _all(self) -> Sequence[Mailbox[Parcel]]:
        return [box for boxes in self._clients.values() for box in boxes]

    def _start(self) -> None:
        if self._thread is None and not self._closed:
            self._thread = threading.Thread(target=self._run, name="tidewatch-live", daemon=True)
            self._thread.start()

    def _wake(self, run: RunId) -> None:
        """End the wait in Redis that does not know ``run`` yet. It may just be about to begin, hence more than once."""
        with self._changed:
            while not (self._closed or run in self._reading or run not in self._courses):
                if self._follower is not None:
                    self._follower.wake()
                if not self._changed.wait(0.02) and self._follower is None:
                    return  # Redis is away; the reader asks for every run when it is back

    def _run(self) -> None:
        pause = AWAY_SECONDS[0]
        while not self._closed:
            follower = self._store.follow()
            self._follower = follower
            try:
                self._follow(follower)
                return
            except StoreAway:
                pause = AWAY_SECONDS[0] if not self._outage else min(2 * pause, AWAY_SECONDS[1])
                self._outage = True
                self._pause(pause)
            finally:
                self._follower, self._reading = None, frozenset()
                follower.close()

    def _pause(self, seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._closed, timeout=seconds)

    def _follow(self, follower: LiveFollower) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._courses or self._closed)
                if self._closed:
                    return
                courses = dict(self._courses)
                self._reading = frozenset(courses)
                self._changed.notify_all()
            positions = {run: course.position for run, course in courses.items()}
            patience = min([BLOCK_SECONDS, *(course.patience for course in courses.values())])
            found = follower.read(positions, SOON if self._outage else max(SOON, patience))
            self._recover(courses)
            for run, course in courses.items():
                self._deliver(run, course, found.get(run, ()))

    def _recover(self, courses: Mapping[RunId, Course]) -> None:
        if self._outage:
            self._outage = False
            for course in courses.values():
                course.lose()

    def _deliver(self, run: RunId, course: Course, entries: Sequence[LiveEntry]) -> None:
        if not entries and course.patience > 0:
            return
        parcel = course.advance(entries)
        with self._changed:
            boxes = tuple(self._clients.get(run, ()) if self._courses.get(run) is course else ())
        for box in boxes:
            box.put([parcel])
