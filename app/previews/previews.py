"""Pictures of runs, drawn when they are asked for and kept while they say what is so."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b

from app.alarms import Alarms
from app.api.answers import Refused
from app.api.ranks import Parts
from app.api.series import no_run
from app.figures.numbers import count, value
from app.figures.preview import Head, Preview, preview
from app.figures.rank_map import png
from app.kept import Kept
from app.language import gettext as _
from app.language import language, ngettext
from app.look import look
from app.pages.shown import RunShown
from app.previews.asked import Asked
from app.previews.curves import Found, panels
from app.previews.ranks import rank_map
from app.stored import START, StoredRun
from app.words.states import status_word
from collector.wire.records import RunId

FRESH = 10.0  # seconds that a picture is good for without a look at the run
SOON = 2.0  # the same where something was committed since
KEPT_BYTES = 8 * 2**20
SMALL = 2_000  # bytes of what is kept beside a picture
AT_ONCE = 2  # pictures that are drawn at the same time: each takes up to 50 MB while it is
PATIENCE = 20.0  # seconds that somebody waits for a turn


@dataclass(frozen=True, slots=True)
class Image:
    """``tag`` is another one for every other picture."""

    png: bytes
    tag: str


@dataclass(slots=True)
class _Held:
    """``told`` is all that the picture rests on."""

    mark: bytes = b""
    looked: float = float("-inf")
    told: object = None
    image: Image | None = None

    def weight(self) -> int:
        return SMALL + (len(self.image.png) if self.image else 0)


class Previews:
    """Pictures of the runs of one store; safe to share between threads.

    A frozen snapshot has one of its own, that of its assembly, with a clock that stands still. Nothing of a host or a
    path is in a picture. ``of`` may be called outside of a request, and then speaks as ``app.language.speaking`` says.
    """

    def __init__(self, parts: Parts, alarms: Alarms, clock: Callable[[], float]) -> None:
        """``parts`` read curves and ranks, ``clock`` gives Unix seconds; nothing is read before the first question."""
        self._parts, self._store, self._alarms, self._clock = parts, parts.store, alarms, clock
        self._held = Kept(KEPT_BYTES, _Held, _Held.weight)
        self._turns = threading.BoundedSemaphore(AT_ONCE)
        self.drawn = 0  # how many pictures were drawn; for whoever measures

    def of(self, run_id: str, asked: Asked) -> Image:
        """The picture. Raises Refused (404 without such a run or metric, 503 while too many are drawn), StoreAway."""
        run_id = RunId(run_id)
        (mark,) = self._store.marks([run_id])
        with self._held.using((run_id, asked, language())) as held:
            now = self._clock()
            age = now - held.looked
            if held.image is not None and 0 <= age < (FRESH if held.mark == mark else SOON):
                return held.image
            image = self._look(held, run_id, asked, now)
            held.mark, held.looked = mark, now
            return image

    def _look(self, held: _Held, run_id: RunId, asked: Asked, now: float) -> Image:
        run = self._store.run(run_id)
        if run is None:
            held.image = None
            raise no_run(self._store, run_id)
        head = self._head(run, asked, now)
        told = head, run.position, run.facts
        if held.image is not None and held.told == told and run.position != START:
            return held.image
        with self._turn():
            held.image = image = self._drawn(run, asked, head)
        held.told = told
        return image

    def _drawn(self, run: StoredRun, asked: Asked, head: Head) -> Image:
        size = {"width": asked.width, "height": asked.height}
        if asked.page == "ranks":
            lean = self._store.lean(run.id)
            if lean is None:  # gone meanwhile
                raise no_run(self._store, run.id)
            shown = rank_map(self._parts, lean, asked, head)
            made = _apart(partial(png, shown, theme=asked.theme, **size))
        else:
            found = panels(self._store, self._parts.reader, run, asked)
            sheet = Preview(_footed(head, found), found.panels, _("There are no points to show."))
            made = _apart(partial(preview, sheet, theme=asked.theme, **size))
        self.drawn += 1
        return Image(made, blake2b(made, digest_size=12).hexdigest())

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if not self._turns.acquire(timeout=PATIENCE):
            raise Refused(503, _("Too many pictures are being drawn; ask again in a moment."))
        try:
            yield
        finally:
            self._turns.release()

    def _head(self, run: StoredRun, asked: Asked, now: float) -> Head:
        seen = look(self._store, run, self._store.heartbeats(), now)
        shown = RunShown(run, seen)
        word = status_word(shown.state)
        alerts = self._alarms.count(run.id)
        facts = [_at(seen.step, seen.total_steps)] if seen.step is not None else []
        facts += [_("loss %(value)s", value=value(seen.loss))] if seen.loss is not None else []
        facts += [ngettext("%(num)d open alert", "%(num)d open alerts", alerts)] if alerts else []
        if len(shown.ranks) > 1 and asked.page == "curves":  # the map says more of them
            facts.append(_("%(count)d ranks", count=len(shown.ranks)))
        newest = [_("newest point %(time)s", time=_utc(seen.updated))] if seen.updated is not None else []
        return Head(run.record.name, str(word.text), word.tone, tuple(facts), tuple(newest))


def _apart(draw: Callable[[], bytes]) -> bytes:
    """In a thread that ends with the drawing. What C libraries take stays with the thread that took it: a server's
    forty would keep forty times a sheet."""
    with ThreadPoolExecutor(1) as alone:
        return alone.submit(copy_context().run, draw).result()


def _at(step: int, total: int | None) -> str:
    if total is None:
        return _("step %(step)s", step=count(step))
    return _("step %(step)s of %(total)s", step=count(step), total=count(total))


def _utc(wall: float) -> str:
    # a server's own zone says nothing to who reads the picture elsewhere
    return datetime.fromtimestamp(wall, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _footed(head: Head, shown: Found) -> Head:
    """With the steps that are shown."""
    window = shown.window
    steps = [] if window is None else [_("steps %(first)s to %(last)s", first=count(window[0]), last=count(window[1]))]
    sample = [_("a sample of the points")] if shown.sampled else []
    return replace(head, foot=(*steps, *sample, *head.foot, "Tidewatch"))
