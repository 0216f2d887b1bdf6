"""Runs as one JSON document in one line: the names of ``GET /api/runs``, and what a terminal shows more. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence

from app.api.answers import Json, number
from app.status import sentences
from app.status.summary import Summary


def document(found: Sequence[Summary], known: int, at: float) -> str:
    """``{at, known, attention, runs: […]}``; NaN and infinities are words, as in the API."""
    attention = sum(one.needs_attention for one in found)
    body = {"at": at, "known": known, "attention": attention, "runs": [entry(one) for one in found]}
    return json.dumps(body, ensure_ascii=False, allow_nan=False)


def entry(one: Summary) -> Json:
    """One run."""
    seen, fresh = one.run.seen, one.run.seen.freshness
    return {
        "id": one.run.id,
        "name": one.run.name,
        "status": seen.status,
        "state": one.run.state,
        "step": seen.step,
        "total_steps": seen.total_steps,
        "loss": number(seen.loss),
        **{metric: number(value) for metric, value in one.last.items()},
        "step_time_ms": number(seen.progress.step_time_ms),
        "throughput": number(seen.progress.throughput),
        "throughput_unit": seen.progress.throughput_unit,
        "eta": number(seen.progress.eta),
        "age": one.age,
        "expected": fresh.expected,
        "freshness": sentences.freshness(one),
        "alerts": sentences.troubles(one),
        "needs_attention": one.needs_attention,
    }
