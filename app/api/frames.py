"""What a page is sent, as the bytes of Server-Sent Events."""

from __future__ import annotations

import json
from collections.abc import Mapping

from app.api.answers import Json, number
from app.api.joining import Batch
from app.stored import LivePoint


def frame(event: str, position: str, data: Mapping[str, Json]) -> bytes:
    """One event; a page that connects again with its id goes on after ``position``."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return f"event: {event}\nid: {position}\ndata: {text}\n\n".encode()


def appended(position: str, batch: Batch) -> bytes:
    """What a page appends."""
    return frame("points", position, body(batch))


def reload(position: str) -> bytes:
    """The page's history has to be read again."""
    return frame("reload", position, {})


def silence(position: str) -> bytes:
    """Nothing for the page, but a sign of life."""
    return f": keep-alive\nid: {position}\n\n".encode()


def body(batch: Batch) -> dict[str, Json]:
    """Metric → rows, and how many lifecycle events came with them; alerts and notes only where some changed."""
    points: dict[str, Json] = {metric: [row(one) for one in found] for metric, found in batch.points.items()}
    changed = {"alerts": batch.alerts, "notes": batch.notes}
    told: dict[str, Json] = {name: count for name, count in changed.items() if count}
    return {"points": points, "events": batch.events, **told}


def row(point: LivePoint) -> list[Json]:
    """``[step, wall, value, source]`` as in the series."""
    wall = None if point.wall != point.wall else point.wall
    return [point.step, wall, number(point.value), point.source]
