"""How large an export would be, by looking at the ends of its series alone: near enough for a person to decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.export import texts
from app.export.form import Form
from app.export.plan import Lane, Plan, planned
from app.export.question import Question
from app.series.curve import Curve, from_block
from app.series.family import whole_log
from app.stored import RunSeries, RunStore
from collector.wire.records import SeriesMeta

SAMPLE = 32  # newest points of a series, by which the width of its numbers is judged
SAMPLED = 200  # series that are looked at for it
PLACE = 62  # bytes of a CSV row without its values: step, attempt, source, time, wall
PACKED = 7.5  # bytes of a value in Parquet: values that vary hardly shrink
PACKED_PLACE = 9.0  # and of what is beside them in a row


@dataclass(frozen=True, slots=True)
class Estimate:
    """``sizes`` in bytes by form. ``folded``: so many points are what is left of folded history."""

    series: int
    rows: int
    points: int
    sizes: Mapping[Form, int]
    folded: int
    missing: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Part:
    """A stored series: how many of its points are wanted."""

    meta: SeriesMeta
    points: float


def estimated(store: RunStore, run: RunSeries, question: Question) -> Estimate:
    """The estimate. Raises StoreAway."""
    plan = planned(run, question)
    sids = list(plan.sids)
    lengths = store.lengths(run.id, sids) if sids else ()
    shares = _shares(store, run, sids, question)
    parts = {
        sid: _Part(run.series[sid], length * share) for sid, length, share in zip(sids, lengths, shares, strict=True)
    }
    columns = [_columns(lane, parts) for lane in plan.lanes]
    points = sum(sum(one.values()) for lane in columns for one in lane.values())
    rows = points if question.layout == "long" else sum(max(one.values()) for lane in columns for one in lane.values())
    folded = sum(store.kept(run.id, sids)) if sids else 0
    sizes = _sizes(plan, question, rows=rows, points=points, width=_width(store, run, sids))
    return Estimate(len(plan.labels), round(rows), round(points), sizes, folded, plan.missing[:20])


def _columns(lane: Lane, parts: Mapping[str, _Part]) -> Mapping[str, Mapping[int, float]]:
    """Source → column → points. Logs of a rank hold the same lines: the longest counts."""
    found: dict[str, dict[int, float]] = {}
    for column in lane.columns:
        files: dict[tuple[str, str], float] = {}
        for sid, _ in column.series:
            one = parts[sid]
            key = one.meta.source, whole_log(one.meta.file) if one.meta.source == "log" else ""
            files[key] = files.get(key, 0.0) + one.points
        for (source, _), points in files.items():
            mine = found.setdefault(source, {})
            mine[column.number] = max(mine.get(column.number, 0.0), points)
    return found


def _shares(store: RunStore, run: RunSeries, sids: Sequence[str], question: Question) -> list[float]:
    """How much of each series lies in the window, if its points are evenly spaced."""
    if not sids or all(one is None for one in (question.start, question.end, question.since, question.until)):
        return [1.0] * len(sids)
    heads, tails = store.heads(run.id, sids), store.tails(run.id, sids, 1)
    return [
        _share(from_block(head, "log"), from_block(tail, "log"), question)
        for head, tail in zip(heads, tails, strict=True)
    ]


def _share(first: Curve, last: Curve, question: Question) -> float:
    if not len(first) or not len(last):
        return 0.0
    steps = _overlap(float(first.steps[0]), float(last.steps[0]), question.start, question.end)
    return min(steps, _overlap(float(first.walls[0]), float(last.walls[0]), question.since, question.until))


def _overlap(first: float, last: float, low: float | None, high: float | None) -> float:
    if low is None and high is None:
        return 1.0
    if not np.isfinite(first) or not np.isfinite(last):
        return 0.0
    first, last = min(first, last), max(first, last)
    begin, end = max(first, -np.inf if low is None else low), min(last, np.inf if high is None else high)
    return max(0.0, min(1.0, (end - begin + 1) / (last - first + 1)))


def _width(store: RunStore, run: RunSeries, sids: Sequence[str]) -> float:
    """Characters of a value, by the newest."""
    some = list(sids)[:: max(1, len(sids) // SAMPLED)]
    blocks = store.tails(run.id, some, SAMPLE) if some else ()
    values = [text for block in blocks for text in texts.numbers(from_block(block, "log").values)]
    return float(np.mean([len(one) for one in values])) if values else 1.0


def _sizes(plan: Plan, question: Question, *, rows: float, points: float, width: float) -> dict[Form, int]:
    long = question.layout == "long"
    labels = [len(one.encode()) for one in plan.labels] or [0]
    columns = 1 if long else len(plan.labels)
    name = float(np.mean(labels)) if long else 0.0
    names = 5.0 if long else float(sum(labels))
    csv = rows * (PLACE + name + columns) + points * width
    lines = rows * (PLACE + 46 + name + names + 4 * columns + 4 * (columns - points / max(1.0, rows))) + points * width
    return {"csv": round(csv), "jsonl": round(lines), "parquet": round(rows * PACKED_PLACE + points * PACKED)}
