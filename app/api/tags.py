"""``GET /api/runs/<run>/tags``: what can be shown of a run, by name; of a few names also how much there is of them.

The names of a run with ten thousand tags are read without a single point, so that a search can begin at once. It is
the browser that searches: an expression that never ends then costs its own reader, and no other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flask import Response
from werkzeug.datastructures import MultiDict

from app.api.answers import Json, Refused, answer, rows
from app.api.arguments import only
from app.language import gettext as _
from app.look import tails
from app.series.curve import SOURCES
from app.series.family import whole_log
from app.series.overview import Tail, newest
from app.series.owner import Holders, holders, run_owner, speaker
from app.stored import RunStore, StoredRun
from collector.wire.metrics import METRICS
from collector.wire.records import SeriesMeta

MOST_NAMES = 100  # that are told in full at once: what fits on a screen, and an address

Name = tuple[bool, str]
"""Whether it is a tag without a canonical name, and the tag or the metric."""


@dataclass(frozen=True, slots=True)
class Query:
    """The names to be told in full, none for the list of all, and the rank they are wanted of."""

    names: frozenset[Name]
    rank: int | None


def parse(arguments: MultiDict[str, str]) -> Query:
    """The question; Refused 400 when an argument makes no sense, also one that nobody knows."""
    only(arguments, ("metric", "tag", "rank"))
    tags = [(True, name) for name in arguments.getlist("tag")]
    names = frozenset([*tags, *[(False, name) for name in arguments.getlist("metric")]])
    if len(names) > MOST_NAMES:
        said = _(
            "%(count)d names are too many at once; at most %(most)d are told in full.",
            count=len(names),
            most=MOST_NAMES,
        )
        raise Refused(400, said)
    rank = arguments.get("rank")
    if rank is not None and not (rank.isascii() and rank.isdecimal() and len(rank) <= 9):
        raise Refused(400, _("rank=%(text)s is not a whole number from 0.", text=repr(rank)))
    return Query(names, None if rank is None else int(rank))


def tags(store: RunStore, run: StoredRun, arguments: MultiDict[str, str]) -> Response:
    """See routes.ROUTES. Raises StoreAway, Refused."""
    query = parse(arguments)
    found = grouped(run)
    if not query.names:
        return answer([named(name, [run.series[sid] for sid in sids]) for name, sids in sorted(found.items())])
    # Once for all: finding the rank that speaks looks at every series.
    ranks_of = {is_tag: holders(run.series.values(), tag=is_tag) for is_tag in (False, True)}
    return answer(
        [
            {
                **named(name, [run.series[sid] for sid in sids]),
                **told(store, run, sids, shown(run, name, query, ranks_of)),
            }
            for name, sids in sorted(found.items())
            if name in query.names
        ]
    )


def grouped(run: StoredRun) -> Mapping[Name, Sequence[str]]:
    """The series of each name."""
    found: dict[Name, list[str]] = {}
    for sid in sorted(run.series):
        meta = run.series[sid]
        found.setdefault((meta.metric is None, meta.metric or meta.tag), []).append(sid)
    return found


def named(name: Name, series: Sequence[SeriesMeta]) -> dict[str, Json]:
    """What the names alone say."""
    is_tag, text = name
    known = None if is_tag else METRICS.get(text)
    present = {one.source for one in series}
    return {
        "metric": None if is_tag else text,
        "tag": series[0].tag,
        "unit": known.unit if known else "",
        "scope": known.scope if known else "rank",
        "ranks": spans({one.rank for one in series if one.rank is not None}),
        "sources": [one for one in SOURCES if one in present],
        "points": None,
        "last": None,
    }


def spans(ranks: set[int]) -> list[list[int]]:
    """Neighbouring ranks as first and last: a job of thousands is one pair."""
    found: list[list[int]] = []
    for rank in sorted(ranks):
        if found and rank == found[-1][1] + 1:
            found[-1][1] = rank
        else:
            found.append([rank, rank])
    return found


def shown(run: StoredRun, name: Name, query: Query, ranks_of: Mapping[bool, Holders]) -> int | None:
    """The rank that was asked for, else the one that speaks."""
    is_tag, text = name
    if query.rank is not None:
        return query.rank
    return speaker(text, ranks_of[is_tag], run.facts, first=run_owner(ranks_of[is_tag], run.facts))


def told(store: RunStore, run: StoredRun, sids: Sequence[str], rank: int | None) -> dict[str, Json]:
    """How many points the rank's curve has, and the newest of them."""
    mine = [sid for sid in sids if run.series[sid].rank in (rank, None)]
    last = newest(tails(store, run, mine, 1))
    counts = dict(zip(mine, store.lengths(run.id, mine), strict=True))
    return {"points": points({run.series[sid]: count for sid, count in counts.items()}), "last": _row(last)}


def points(counts: Mapping[SeriesMeta, int]) -> int:
    """How many points a curve of these series has, as far as counts can say. A rank's logs hold the same lines, and the
    log the same steps as event files, which win step by step: what has most counts. Other files follow one another."""
    logs: dict[str, int] = {}
    sources: dict[str, int] = {}
    for meta, count in counts.items():
        if meta.source == "log":
            log = whole_log(meta.file)
            logs[log] = logs.get(log, 0) + count
        else:
            sources[meta.source] = sources.get(meta.source, 0) + count
    return max([*logs.values(), *sources.values()], default=0)


def _row(last: Tail | None) -> Json:
    return rows(last.recent)[-1] if last else None
