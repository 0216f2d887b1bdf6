"""``GET /api/runs/<run>/export.csv`` (``.jsonl``, ``.parquet``): a table of any size, made while it is sent.

What is wrong is told before the first byte. What goes wrong behind it must not look like an end: the connection breaks
instead, so that no browser keeps half a file under the name of a whole one.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from itertools import chain

from flask import Response
from werkzeug.datastructures import MultiDict

from app.api.answers import Json, Refused, answer
from app.api.export_arguments import parse
from app.api.series import known_run, no_attempt
from app.export.blocks import Moved
from app.export.estimate import estimated
from app.export.export import Export, NoAttempt, opened
from app.export.filename import disposition, filename
from app.export.form import TYPES, Form, writer
from app.export.question import Question
from app.export.told import shape, told, window
from app.language import gettext as _
from app.names import SeriesKey, by_name
from app.stored import RunStore, StoredRun

MOST = 4  # exports at once: each works a core, and holds a thread and some 20 MB
MOST_COLUMNS = 2_000  # of a row; spreadsheets take 16,384, and most programs get slow long before
NAMED = 8  # names in a sentence
TRIES = 3  # a fold that moves points between two looks is no reason to give up


class Broken(Exception):
    """An export that began to be sent cannot be finished; the server answers by closing the connection."""


class Slots:
    """How many exports a process makes at once."""

    def __init__(self, most: int) -> None:
        """None is taken."""
        self._lock = threading.Lock()
        self._most, self.taken = most, 0

    def take(self) -> Callable[[], None]:
        """One of them, and what gives it back, once however often it is called; Refused 429 when there is none."""
        with self._lock:
            if self.taken >= self._most:
                said = _("%(most)d exports are being made, as many as at once: try again soon.", most=self._most)
                raise Refused(429, said)
            self.taken += 1
        left = [1]

        def back() -> None:
            with self._lock:
                self.taken -= left.pop() if left else 0

        return back


SLOTS = Slots(MOST)  # of the process, whichever store is read


def exported(store: RunStore, run_id: str, arguments: MultiDict[str, str], form: Form) -> Response:
    """The table as a file. Raises Refused, StoreAway."""
    question = parse(arguments)
    run = known_run(store, run_id)
    back = SLOTS.take()
    try:
        export = begun(store, run, question)
        body = sent(export, form)
        first = next(body)  # whatever fails now is still told as a sentence
    except BaseException as error:
        back()
        if isinstance(error, Moved):
            raise moved() from None
        raise
    reply = Response(ended(chain([first], body), back), content_type=TYPES[form])
    reply.call_on_close(back)
    reply.headers["Content-Disposition"] = disposition(filename(run.id, window(export), form))
    reply.headers["X-Tidewatch-Meta"] = json.dumps(told(export), ensure_ascii=True, allow_nan=False)
    return reply


def begun(store: RunStore, run: StoredRun, question: Question) -> Export:
    """The export; Refused for what the run does not have. Raises StoreAway, Moved."""
    for again in reversed(range(TRIES)):
        try:
            export = opened(store, run, question)
            break
        except NoAttempt as error:
            raise no_attempt(run, error.count, int(question.attempt)) from None
        except Moved:
            if not again:
                raise
    if export.plan.missing and not export.plan.labels:
        raise Refused(404, nothing_of(run, export.plan.missing))
    if question.layout == "wide" and len(export.plan.labels) > MOST_COLUMNS:
        said = _(
            "%(count)d columns are too many for a table: layout=long has a row for each point instead.",
            count=len(export.plan.labels),
        )
        raise Refused(400, said)
    return export


def nothing_of(run: StoredRun, missing: Sequence[str]) -> str:
    """That nothing is called so, and what is: nearly so, or at all."""
    metrics = [name for is_tag, name in by_name(SeriesKey(run.series)) if not is_tag]
    tags = [name for is_tag, name in by_name(SeriesKey(run.series)) if is_tag]
    near = [one for name in missing[:NAMED] for one in get_close_matches(name, [*metrics, *tags], 2)]
    there = list(dict.fromkeys(near or metrics or tags))[:NAMED]
    named = ", ".join(map(repr, missing[:NAMED]))
    if not there:
        return _("Run %(run)s has nothing of %(names)s.", run=repr(run.id), names=named)
    told = {"run": repr(run.id), "names": named, "there": ", ".join(there)}
    if near:
        return _("Run %(run)s has nothing of %(names)s; did you mean %(there)s?", **told)
    return _("Run %(run)s has nothing of %(names)s; it has %(there)s.", **told)


def sent(export: Export, form: Form) -> Iterator[bytes]:
    """The body, piece by piece; raises Broken behind the first piece."""
    made = writer(form, shape(export))
    rows = export.rows()
    yield made.head() + _next(made.rows(one) for one in rows)
    try:
        for some in rows:
            if piece := made.rows(some):
                yield piece
        if piece := made.end():
            yield piece
    except Exception as error:
        raise Broken(f"An export of run {export.run.id!r} broke off: {type(error).__name__}.") from error


def ended(body: Iterator[bytes], back: Callable[[], None]) -> Iterator[bytes]:
    """The same, and ``back`` is called at its end, whichever that is."""
    try:
        yield from body
    finally:
        back()


def _next(pieces: Iterator[bytes]) -> bytes:
    return next(pieces, b"")


def moved() -> Refused:
    """Points that are no longer where they were."""
    return Refused(503, _("Older points were folded while they were read: export again."))


def estimate(store: RunStore, run_id: str, arguments: MultiDict[str, str]) -> Response:
    """How much an export would be. Raises Refused, StoreAway."""
    question = parse(arguments)
    found = estimated(store, known_run(store, run_id), question)
    sizes: dict[str, Json] = {str(form): size for form, size in found.sizes.items()}
    body: dict[str, Json] = {
        "run": run_id,
        "layout": question.layout,
        "series": found.series,
        "rows": found.rows,
        "points": found.points,
        "bytes": sizes,
        "folded": found.folded,
        "missing": list(found.missing),
    }
    return answer(body)
