"""Where a run's time went and what watching it costs, as ``GET /api/runs/<run>`` says it. Times are seconds."""

from __future__ import annotations

from dataclasses import asdict

from app.api.answers import Json
from app.ledgers import Books


def ledger_of(books: Books) -> Json:
    """Null while no clock tells time."""
    book = books.ledger
    if book is None:
        return None
    return {
        "total": book.total / 1000,
        "ratio": book.ratio,
        "parts": {cause: ms / 1000 for cause, ms in book.parts.items()},
        "steps_lost": book.steps_lost,
        "stalls": book.stalls,
        "longest_stall": book.longest_stall_ms / 1000,
        "stall_step": book.stall_step,
        "usual": {name: ms / 1000 for name, ms in book.usual_ms.items()},
        "npus": books.npus,
        "npu_hours_lost": books.npu_hours_lost,
        "unknown": list(book.unknown),
    }


def costs_of(books: Books) -> Json:
    """Growth in bytes, lag in steps and seconds, hints by code with the key that would change it."""
    return asdict(books.costs)
