"""What is known of a whole table beside its rows: for the head of an answer, and for forms that have a place for it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from app.export.export import Export
from app.export.shape import Shape

VERSION = "1"  # of the columns and their meaning
MOST_MISSING, LONGEST = 5, 80  # names that are told, and characters of each: proxies take heads of 4 kB


def shape(export: Export) -> Shape:
    """The columns, and what Parquet keeps of the rest."""
    plan = export.plan
    return Shape(plan.labels, export.question.layout == "long", plan.ranked, {"tidewatch": json.dumps(told(export))})


def told(export: Export) -> Mapping[str, object]:
    """Numbers and names; ``window`` has what was asked for."""
    asked = export.question
    window = {name: getattr(asked, name) for name in ("start", "end", "since", "until")}
    return {
        "version": VERSION,
        "run": export.run.id,
        "position": export.run.position,
        "layout": asked.layout,
        "attempt": asked.attempt,
        "attempts": export.attempts,
        "source": asked.source,
        "window": {name: value for name, value in window.items() if value is not None},
        "series": len(export.plan.labels),
        "points": export.points,
        "folded": export.folded,
        "missing": [one[:LONGEST] for one in export.plan.missing[:MOST_MISSING]],
    }


def window(export: Export) -> str:
    """The window as a part of a file's name."""
    asked = export.question
    first, last = ("" if one is None else str(one) for one in (asked.start, asked.end))
    return f"{first}-{last}" if first or last else ""
