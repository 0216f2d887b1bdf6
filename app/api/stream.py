"""``GET /api/runs/<run>/stream``: Server-Sent Events of one run."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence

from flask import Response, request

from app.access.identity import visit
from app.api import frames
from app.api.answers import Refused
from app.api.course import RELOAD_SECONDS, Parcel, primed
from app.api.joining import Join
from app.api.line import Line
from app.api.live import Hub, TooMany
from app.api.mailbox import Mailbox
from app.api.series import known_run
from app.language import gettext as _
from app.stored import LiveEntry, RunStore, StoredRun

KEEPALIVE_SECONDS = 15.0  # proxies cut a silent connection after 30 to 60 s

# 1795961307580-0
STREAM_ID = re.compile(r"[0-9]{1,18}(-[0-9]{1,18})?")


def stream(store: RunStore, hub: Hub, run_id: str, since: str | None) -> Response:
    """Everything after ``since`` (a stream id; None = from now). Raises Refused, StoreAway."""
    if since is not None and not STREAM_ID.fullmatch(since):
        raise Refused(400, _("Last-Event-ID %(id)s is not a stream id such as 1700000000000-0.", id=repr(since)))
    run = known_run(store, run_id)
    try:
        box = hub.subscribe(run)
    except TooMany:
        full = _("Every live stream of this server is open; close a page, or set TIDEWATCH_MAX_STREAMS.")
        raise Refused(503, full) from None
    try:
        page = Page(store, run, since, Line.found(request.environ), visit().stands)
    except BaseException:  # whatever it was, the client is not there
        hub.unsubscribe(run.id, box)
        raise
    reply = Response(page.events(box), mimetype="text/event-stream")
    reply.headers["Cache-Control"] = "no-store"
    reply.headers["X-Accel-Buffering"] = "no"  # nginx would hold events back until a buffer is full
    reply.call_on_close(lambda: hub.unsubscribe(run.id, box))
    return reply


class Page:
    """One open page: where it is in the stream. What it missed it is told on its own, then what all are told."""

    def __init__(
        self,
        store: RunStore,
        run: StoredRun,
        since: str | None,
        line: Line | None = None,
        stands: Callable[[], bool] = lambda: True,
    ) -> None:
        """Catches up with the store. ``stands`` says whether the reader may still look. Raises StoreAway."""
        self._line, self._stands = line, stands
        self._position = since or run.position
        self._join: Join | None = primed(store, run, self._position)
        missed = store.live_after(run.id, self._position)
        self._missed: Sequence[LiveEntry] = missed or ()
        self._lost = missed is None
        if self._lost:
            self._position, self._join = run.position, Join(run)
        self._quiet_until = 0.0  # monotonic seconds before which no second reload is sent

    def events(self, box: Mailbox[Parcel]) -> Iterator[bytes]:
        """The body; ends when the server stops (the browser connects again), and within KEEPALIVE_SECONDS of the end of
        the reader's session, whose browser is refused then."""
        yield frames.frame("ready", self._position, {}) + self._settle(self._follow(self._missed))
        self._missed = ()
        while True:
            mail = box.take(self._patience(), None if self._line is None or self._lost else self._hand)
            if self._line is not None:
                self._line.finish()
            if mail.closed or not self._stands():
                return
            self._lost |= mail.lost
            yield self._settle(b"".join([self._receive(one) for one in mail.entries])) or frames.silence(self._position)

    def _patience(self) -> float:
        return max(0.0, self._quiet_until - time.monotonic()) if self._lost else KEEPALIVE_SECONDS

    def _hand(self, parcel: Parcel) -> bool:
        """Send the parcel from the reader's thread, if it needs nothing but to be sent and can be at once."""
        if self._line is None or parcel.reload or parcel.after != self._position or not self._line.send(parcel.event):
            return False
        self._position = parcel.id
        self._join = None
        return self._line.whole  # else this page's thread has to see to the rest, and finds that it has the parcel

    def _receive(self, parcel: Parcel) -> bytes:
        """What the parcel has for this page: the event that all are sent, unless it has been told some of it."""
        self._lost |= parcel.reload
        if parcel.after != self._position and _after(self._position, parcel.after):
            return self._follow([one for one in parcel.entries if _after(one.id, self._position)])
        self._position = parcel.id
        self._join = None  # from here on it is where all are
        return parcel.event

    def _follow(self, entries: Sequence[LiveEntry]) -> bytes:
        """What entries that are news to this page alone have for it."""
        if not entries:
            return b""
        self._position = entries[-1].id
        batch = self._join.batch(entries) if self._join else None
        self._lost |= batch is None or batch.reload
        return frames.appended(self._position, batch) if batch else b""

    def _settle(self, said: bytes) -> bytes:
        """What is sent: ``said``, or that everything has to be read again (at most once a second)."""
        if not self._lost:
            return said
        if time.monotonic() < self._quiet_until:
            return b""
        self._lost = False
        self._quiet_until = time.monotonic() + RELOAD_SECONDS
        return frames.reload(self._position)


def _after(one: str, other: str) -> bool:
    return _numbers(one) > _numbers(other)


def _numbers(stream_id: str) -> tuple[int, ...]:
    return tuple(int(part) for part in stream_id.split("-"))
