"""``GET /api/runs/<run>/events``: everything that happened, as names and numbers that a page can put into words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.api.answers import Json, number
from app.api.arguments import not_one_of, only, whole
from app.api.series import known_run
from app.happened import Happened
from app.series.happening import Happening
from app.stored import RunStore

KNOWN = ("kind", "start", "end", "limit")
LIMIT, MOST = 5000, 50_000
LINES = (
    *("start", "resume", "compile", "train", "checkpoint", "eval", "overflow", "skip", "nan_stop", "norm_spike"),
    *("norm_stop", "sdc", "stress", "moe", "error", "traceback", "end"),
)
KINDS = (*LINES, "restart", "loss_scale", "lr_phase")


@dataclass(frozen=True, slots=True)
class Query:
    """The arguments, checked; no kinds = all, steps inclusive."""

    kinds: frozenset[str]
    start: int | None
    end: int | None
    limit: int


def events(store: RunStore, happened: Happened, run_id: str, arguments: Mapping[str, str]) -> dict[str, Json]:
    """The answer. Raises Refused, StoreAway."""
    query = parse(arguments)
    run = known_run(store, run_id)
    told = happened.of(run)
    found = [one for one in told.events if _is_wanted(one, query)]
    shown = found[len(found) - query.limit :] if len(found) > query.limit else found
    return {
        "run": run.id,
        "total": len(found),
        "more": told.more or len(shown) < len(found),
        "events": [_event(one) for one in shown],
    }


def parse(arguments: Mapping[str, str]) -> Query:
    """The question; Refused 400 when an argument makes no sense."""
    only(arguments, KNOWN)
    kinds = [one.strip() for one in arguments.get("kind", "").split(",") if one.strip()]
    for one in kinds:
        if one not in KINDS:
            raise not_one_of("kind", one, KINDS)
    limit = whole(arguments, "limit", at_least=1)
    limit = LIMIT if limit is None else min(limit, MOST)
    return Query(frozenset(kinds), whole(arguments, "start"), whole(arguments, "end"), limit)


def _is_wanted(one: Happening, query: Query) -> bool:
    if query.kinds and one.kind not in query.kinds:
        return False
    if query.start is None and query.end is None:
        return True
    if one.step is None:
        return False
    last = one.step if one.last_step is None else one.last_step
    return (query.start is None or last >= query.start) and (query.end is None or one.step <= query.end)


def _event(one: Happening) -> Json:
    ranks: Sequence[Json] = list(one.ranks)
    return {
        "kind": one.kind,
        "step": one.step,
        "last_step": one.last_step,
        "wall": one.wall,
        "text": one.text,
        "ranks": ranks,
        "file": one.file,
        "times": one.times,
        "detail": {name: number(value) if isinstance(value, float) else value for name, value in one.detail.items()},
    }
