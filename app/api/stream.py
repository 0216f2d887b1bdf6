"""``GET /api/runs/<run>/stream``: Server-Sent Events of one run."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence

from flask import Response

from app.api.answers import Json, Refused, number
from app.api.joining import Batch, Join
from app.api.live import Hub, TooMany
from app.api.mailbox import Mailbox
from app.api.series import known_run
from app.language import gettext as _
from app.stored import LiveEntry, LivePoint, RunStore, StoreAway, StoredRun

KEEPALIVE_SECONDS = 15.0  # proxies cut a silent connection after 30 to 60 s
RELOAD_SECONDS = 1.0  # a collector that catches up commits in bulk many times a second; one reload for all of them
PRIMED = 64  # entries before the start, so that a twin file's late copy of a step is known as such

# 1795961307580-0
STREAM_ID = re.compile(r"[0-9]{1,18}(-[0-9]{1,18})?")


def stream(store: RunStore, hub: Hub, run_id: str, since: str | None) -> Response:
    """Everything after ``since`` (a stream id; None = from now). Raises Refused, StoreAway."""
    if since is not None and not STREAM_ID.fullmatch(since):
        raise Refused(400, _("Last-Event-ID %(id)s is not a stream id such as 1700000000000-0.", id=repr(since)))
    run = known_run(store, run_id)
    try:
        box = hub.subscribe(run.id, run.position)
    except TooMany:
        full = _("Every live stream of this server is open; close a page, or set TIDEWATCH_MAX_STREAMS.")
        raise Refused(503, full) from None
    try:
        page = Page(store, run, since or run.position)
    except BaseException:  # whatever it was, the client is not there
        hub.unsubscribe(run.id, box)
        raise
    reply = Response(page.events(box), mimetype="text/event-stream")
    reply.headers["Cache-Control"] = "no-store"
    reply.headers["X-Accel-Buffering"] = "no"  # nginx would hold events back until a buffer is full
    reply.call_on_close(lambda: hub.unsubscribe(run.id, box))
    return reply


class Page:
    """One open page: where it is in the stream and what it has been sent."""

    def __init__(self, store: RunStore, run: StoredRun, position: str) -> None:
        """Catches up with the store. Raises StoreAway."""
        self._store = store
        self._run = run
        self._join = Join(run)
        self._position = position
        self._join.batch(store.live_before(run.id, position, PRIMED))
        missed = store.live_after(run.id, position)
        self._lost = missed is None
        self._missed: Sequence[LiveEntry] = missed or ()
        self._quiet_until = 0.0  # monotonic seconds before which no second reload is sent

    def events(self, box: Mailbox) -> Iterator[str]:
        """The body; ends when the server stops or Redis cannot be asked (the browser connects again)."""
        yield frame("ready", self._position, {})
        yield from self._tell(self._missed)
        while True:
            mail = box.take(self._patience())
            if mail.closed:
                return
            self._lost |= mail.lost
            text = list(self._tell(mail.entries))
            yield from text or [f": keep-alive\nid: {self._position}\n\n"]

    def _patience(self) -> float:
        return max(0.0, self._quiet_until - time.monotonic()) if self._lost else KEEPALIVE_SECONDS

    def _tell(self, entries: Sequence[LiveEntry]) -> Iterator[str]:
        batch = self._join.batch(one for one in entries if _after(one.id, self._position))
        if entries and _after(entries[-1].id, self._position):
            self._position = entries[-1].id
        self._lost |= batch.reload
        if self._lost:
            yield from self._reload()
        elif batch:
            yield frame("points", self._position, body(batch))

    def _reload(self) -> Iterator[str]:
        if time.monotonic() < self._quiet_until:
            return
        try:
            run = self._store.run(self._run.id)
        except StoreAway:
            return
        self._join = Join(run or self._run)
        self._lost = False
        self._quiet_until = time.monotonic() + RELOAD_SECONDS
        yield frame("reload", self._position, {})


def _after(one: str, other: str) -> bool:
    return _numbers(one) > _numbers(other)


def _numbers(stream_id: str) -> tuple[int, ...]:
    return tuple(int(part) for part in stream_id.split("-"))


def frame(event: str, position: str, data: Mapping[str, Json]) -> str:
    """One event as text."""
    return f"event: {event}\nid: {position}\ndata: {json.dumps(data, allow_nan=False, separators=(',', ':'))}\n\n"


def body(batch: Batch) -> dict[str, Json]:
    """What a page appends: metric → rows, and how many lifecycle events came with them."""
    points: dict[str, Json] = {metric: [row(one) for one in found] for metric, found in batch.points.items()}
    return {"points": points, "events": batch.events}


def row(point: LivePoint) -> list[Json]:
    """``[step, wall, value, source]`` as in the series."""
    wall = None if point.wall != point.wall else point.wall
    return [point.step, wall, number(point.value), point.source]
