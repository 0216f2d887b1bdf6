"""``GET /api/runs`` and ``GET /api/runs/<run>``: what there is, and everything small about one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from app.alarms import Alarms
from app.api.answers import Json, number, rows
from app.api.books import costs_of, ledger_of
from app.ledgers import Ledgers
from app.look import look, tails
from app.reader import Reader, owner
from app.roll import Roll
from app.series.clocks import host_clocks
from app.series.curve import SOURCES
from app.series.overview import Overview, Tail, newest, whole_number
from app.series.owner import holders, run_owner, speaker
from app.stored import RunStore, StoredRun
from collector.wire.metrics import METRICS
from collector.wire.records import RunEvent, SeriesMeta
from collector.wire.schema import HEALTH_FACT

LAYOUT = (
    "pipeline_stages",
    "data_parallel",
    "model_parallel",
    "expert_parallel",
    "context_parallel",
    "micro_batch_num",
    "global_batch_size",
    "world_size",
    "zero_bubble_v",
)
NAMES_IN_FULL = 20_000  # 0.1 ms of the processor each


def runs(roll: Roll, alarms: Alarms) -> list[Json]:
    """Every run in one line, by id. Raises StoreAway."""
    lines = roll.lines()
    counts = alarms.counts({one.run.id: one.mark for one in lines})
    return [_line(one.run, one.seen, counts[one.run.id]) for one in lines]


def details(
    store: RunStore,
    reader: Reader,
    run: StoredRun,
    now: float,
    ledgers: Ledgers,
    *,
    alerts: int = 0,
    metrics: bool = True,
) -> Json:
    """Everything small about one run, in the form of the schema "Run" (api/schemas.py). Without ``metrics`` the list of
    them is empty: of ten thousand tags it is not small, and takes seconds. Raises StoreAway."""
    known = reader.timeline(run)
    books = ledgers.books(run, known, now)
    beats = store.heartbeats()
    seen = look(store, run, beats, now, books.habits)
    return {
        **_line(run, seen, alerts),
        "owner_rank": owner(run),
        "attempts": [asdict(one) for one in known.attempts],
        "layout": {name: _fact(run.facts[name]) for name in LAYOUT if name in run.facts},
        "facts": {name: text for name, text in run.facts.items() if not name.startswith(HEALTH_FACT)},
        "sources": _sources(run),
        "freshness": asdict(seen.freshness),
        "clocks": [asdict(one) for one in host_clocks(beats, run.record.path)],
        "progress": {name: number(one) if isinstance(one, float) else one for name, one in _progress(seen).items()},
        "ledger": ledger_of(books),
        "costs": costs_of(books),
        "events": [_event(one) for one in distinct(run.events)],
        "metrics": _metrics(store, run) if metrics else [],
        "stream": run.position,
    }


def _line(run: StoredRun, seen: Overview, alerts: int) -> dict[str, Json]:
    return {
        "id": run.id,
        "name": run.record.name,
        "path": run.record.path,
        "demo": run.record.demo,
        "status": seen.status,
        "step": seen.step,
        "total_steps": seen.total_steps,
        "started": seen.started,
        "updated": seen.updated,
        "ranks": sorted({one.rank for one in run.series.values() if one.rank is not None}),
        "alerts": alerts,
        "loss": number(seen.loss),
        "age": seen.freshness.age,
        "eta": number(seen.progress.eta),
    }


def _progress(seen: Overview) -> Mapping[str, float | str | None]:
    return asdict(seen.progress)


def _fact(text: str) -> Json:
    count = whole_number(text)
    return text if count is None else count


def _sources(run: StoredRun) -> list[Json]:
    return [
        {
            "file": one.file,
            "source": one.source,
            "rank": one.rank,
            "generation": one.generation,
            "offset": one.offset,
            "warnings": dict(one.counts),
        }
        for _, one in sorted(run.cursors.items())
    ]


def distinct(events: Sequence[RunEvent]) -> list[RunEvent]:
    """Each event once, though two log files of a rank tell it."""
    seen = {(one.kind, one.step, one.wall, one.text, one.rank): one for one in reversed(events)}
    return list(seen.values())[::-1]


def _event(event: RunEvent) -> Json:
    return {"kind": event.kind, "step": event.step, "wall": event.wall, "text": event.text, "rank": event.rank}


def _fewest(run: StoredRun) -> list[str]:
    """The series of the run in order; of one with more names than anybody looks at, those of its first ones (metrics
    before tags): each is told in full here, and /tags lists the others."""
    names = sorted({(meta.metric is None, meta.metric or meta.tag) for meta in run.series.values()})
    if len(names) <= NAMES_IN_FULL:
        return sorted(run.series)
    kept = set(names[:NAMES_IN_FULL])
    return sorted(sid for sid, meta in run.series.items() if (meta.metric is None, meta.metric or meta.tag) in kept)


def _metrics(store: RunStore, run: StoredRun) -> list[Json]:
    """One entry a canonical metric and one a tag without a canonical name."""
    sids = _fewest(run)
    counts = dict(zip(sids, store.lengths(run.id, sids), strict=True))
    ends = dict(zip(sids, tails(store, run, sids, 1), strict=True))
    groups: dict[tuple[bool, str], list[str]] = {}
    for sid in sids:
        meta = run.series[sid]
        groups.setdefault((meta.metric is None, meta.metric or meta.tag), []).append(sid)
    # Once for all: a run may have ten thousand tags.
    ranks_of = {is_tag: holders(run.series.values(), tag=is_tag) for is_tag in (False, True)}
    first = {is_tag: run_owner(ranks_of[is_tag], run.facts) for is_tag in ranks_of}
    return [
        _metric(
            (is_tag, name),
            speaker(name, ranks_of[is_tag], run.facts, first=first[is_tag]),
            [(run.series[sid], counts[sid], ends[sid]) for sid in mine],
        )
        for (is_tag, name), mine in sorted(groups.items())
    ]


def _metric(named: tuple[bool, str], rank: int | None, mine: Sequence[tuple[SeriesMeta, int, Tail]]) -> Json:
    """``rank`` is the one that is shown when none is asked for."""
    is_tag, name = named
    known = METRICS.get(name) if not is_tag else None
    last = newest([tail for meta, _, tail in mine if meta.rank in (rank, None)])
    present = {meta.source for meta, _, _ in mine}
    return {
        "metric": None if is_tag else name,
        "tag": mine[0][0].tag,
        "unit": known.unit if known else "",
        "scope": known.scope if known else "rank",
        "ranks": sorted({meta.rank for meta, _, _ in mine if meta.rank is not None}),
        "sources": [one for one in SOURCES if one in present],
        "points": sum(count for _, count, _ in mine),
        "last": rows(last.recent)[-1] if last else None,
    }
