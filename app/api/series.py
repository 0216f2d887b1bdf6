"""``GET /api/runs/<run>/series``: one curve, whole or reduced, as JSON or as columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from flask import Response

from app.api.answers import Json, Refused, answer, columns, rows
from app.api.arguments import not_one_of, only, whole
from app.language import gettext as _
from app.reader import Reader, Wanted, default_rank, members
from app.series.attempts import Timeline
from app.series.curve import SOURCES, Curve
from app.series.folded import Folded, folded, within
from app.series.reduce import Reduced, reduce
from app.series.splice import latest
from app.stored import RunSeries, RunStore, StoredRun
from collector.wire.metrics import METRICS
from collector.wire.records import RunId, Source

POINTS = 2000  # what a panel of usual width can show, two a pixel
MOST_POINTS = 10_000_000
OCTETS = "application/octet-stream"
NAMES_TOLD = 20  # known names that an error lists before it says "and more"


@dataclass(frozen=True, slots=True)
class Query:
    """The arguments of one question, checked. ``attempt`` 0 with ``stitched`` False means all of them."""

    name: str
    is_tag: bool
    rank: int | None
    source: Source | None
    attempt: int | Literal["all", "latest"]
    start: int | None
    end: int | None
    points: int


def parse(arguments: Mapping[str, str]) -> Query:
    """The question; Refused 400 when an argument makes no sense, also one that nobody knows."""
    known = ("metric", "tag", "rank", "source", "attempt", "start", "end", "points")
    only(arguments, known)
    if ("metric" in arguments) == ("tag" in arguments):
        raise Refused(400, _("Exactly one of metric= and tag= is needed, such as metric=loss."))
    points = whole(arguments, "points", at_least=0)
    return Query(
        name=arguments.get("metric", arguments.get("tag", "")),
        is_tag="tag" in arguments,
        rank=whole(arguments, "rank", at_least=0),
        source=source_asked(arguments),
        attempt=attempt_asked(arguments.get("attempt", "all")),
        start=whole(arguments, "start"),
        end=whole(arguments, "end"),
        points=POINTS if points is None else min(points, MOST_POINTS),
    )


def source_asked(arguments: Mapping[str, str]) -> Source | None:
    """The one source that is asked for, None = all; Refused 400 when there is no such source."""
    text = arguments.get("source")
    for source in SOURCES:
        if text == source:
            return source
    if text is None:
        return None
    raise not_one_of("source", text, SOURCES)


def attempt_asked(text: str) -> int | Literal["all", "latest"]:
    """Which attempts; Refused 400 for what is none of them."""
    if text == "latest":
        return "latest"
    if text == "all":
        return "all"
    if not (text.isascii() and text.isdecimal() and 0 < int(text) < 10**9):
        said = _("attempt=%(text)s is neither latest, all, nor a number from 1.", text=repr(text))
        raise Refused(400, said)
    return int(text)


def series(store: RunStore, reader: Reader, run_id: str, arguments: Mapping[str, str], accept: str) -> Response:
    """The answer. Raises Refused, StoreAway."""
    query = parse(arguments)
    run = known_run(store, run_id)
    wanted = _wanted(run, query)
    known = reader.timeline(run)
    curve = _chosen(reader, run, wanted, query.attempt, known).between(query.start, query.end)
    reduced = reduce(curve, query.points)
    window = within(query.start, query.end)
    meta = _meta(run, wanted, query, reduced, folded(reader.folded(run, wanted, known), known, query.attempt, window))
    if OCTETS in accept:
        return columns(reduced.curve, meta)
    return answer({**meta, "points": rows(reduced.curve)})


def known_run(store: RunStore, run_id: str) -> StoredRun:
    """The run, or Refused 404 with the runs there are."""
    run = store.run(RunId(run_id))
    if run is None:
        raise no_run(store, run_id)
    return run


def no_run(store: RunStore, run_id: str) -> Refused:
    """What is said of a run that nobody knows."""
    known = listed(_("known runs"), [str(one) for one in store.runs()])
    return Refused(404, _("There is no run %(run)s; %(known)s.", run=repr(run_id), known=known))


def listed(what: str, names: list[str]) -> str:
    """``known runs are a, b`` for an error, cut short when they are many; ``what`` is in the caller's language."""
    if not names:
        return _("%(what)s: none yet", what=what)
    more = _(" and %(count)d more", count=len(names) - NAMES_TOLD) if len(names) > NAMES_TOLD else ""
    return _("%(what)s are %(names)s", what=what, names=", ".join(names[:NAMES_TOLD]) + more)


def no_attempt(run: RunSeries, count: int, attempt: int) -> Refused:
    """What is said of an attempt beyond the last."""
    said = _(
        "Run %(run)s has %(count)d attempts; attempt=%(attempt)d is not one of them.",
        run=repr(run.id),
        count=count,
        attempt=attempt,
    )
    return Refused(404, said)


def _wanted(run: StoredRun, query: Query) -> Wanted:
    rank = default_rank(run, query.name, is_tag=query.is_tag) if query.rank is None else query.rank
    wanted = Wanted(query.name, query.is_tag, rank, query.source)
    if members(run, wanted):
        return wanted
    names = {meta.tag if query.is_tag else meta.metric for meta in run.series.values()} - {None}
    if query.name not in names:
        raise _no_name(run, query, sorted(one for one in names if one is not None))
    have = [one for one in run.series.values() if (one.tag if query.is_tag else one.metric) == query.name]
    ranks = sorted({str(one.rank) for one in have if one.rank is not None}, key=int)
    known = listed(_("known ranks"), ranks)
    told = {"run": repr(run.id), "name": repr(query.name), "rank": rank, "known": known}
    if query.source:
        text = _(
            "Run %(run)s has no %(name)s from %(source)s of rank %(rank)s; %(known)s.", source=query.source, **told
        )
        raise Refused(404, text)
    raise Refused(404, _("Run %(run)s has no %(name)s of rank %(rank)s; %(known)s.", **told))


def _no_name(run: StoredRun, query: Query, names: list[str]) -> Refused:
    known = listed(_("known tags") if query.is_tag else _("known metrics"), names)
    told = {"run": repr(run.id), "name": repr(query.name), "known": known}
    if query.is_tag:
        return Refused(404, _("Run %(run)s has no tag %(name)s; %(known)s.", **told))
    return Refused(404, _("Run %(run)s has no metric %(name)s; %(known)s.", **told))


def _chosen(
    reader: Reader, run: StoredRun, wanted: Wanted, attempt: int | Literal["all", "latest"], known: Timeline
) -> Curve:
    curve = reader.curve(run, wanted, known)
    if attempt == "all":
        return curve
    if attempt == "latest":
        return latest(curve, known.first_steps)
    if attempt > max(1, len(known.attempts)):
        raise no_attempt(run, len(known.attempts), attempt)
    return curve.take(curve.attempts == attempt)


def _meta(run: StoredRun, wanted: Wanted, query: Query, reduced: Reduced, gone: Folded) -> dict[str, Json]:
    """All of the answer but its points. ``stream`` is where to go on from: nothing lies between it and the points."""
    metric = METRICS.get(wanted.name) if not wanted.is_tag else None
    return {
        "run": run.id,
        "metric": None if wanted.is_tag else wanted.name,
        "tag": wanted.name if wanted.is_tag else None,
        "unit": metric.unit if metric else "",
        "rank": wanted.rank,
        "attempt": query.attempt,
        "total": reduced.total + gone.hidden,
        "drawn": len(reduced.curve),
        "hidden_nan": reduced.hidden_nan + gone.nan + gone.inf,
        "folded": gone.points,
        "stream": run.position,
    }
