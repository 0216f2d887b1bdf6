"""Replies of Redis → values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from app.stored import LiveEntry, LivePoint
from collector.wire.records import RunId, RunRecord, SeriesMeta
from collector.wire.schema import LIVE_FIELD

Fields = Mapping[bytes, bytes]


def record(run_id: RunId, fields: Fields) -> RunRecord:
    """The run's own hash; a missing name falls back to the id."""
    name = fields.get(b"name", b"").decode() or run_id
    demo = fields.get(b"demo", b"").decode().lower() in ("1", "true")
    return RunRecord(run_id, name, fields.get(b"path", b"").decode(), demo)


def number(fields: Fields, name: bytes) -> float | None:
    """A field that holds decimal text, or None."""
    text = fields.get(name)
    return float(text) if text else None


_METAS: dict[bytes, SeriesMeta] = {}
KNOWN = 2**17  # a run of 8 ranks has some hundred series, one with every parameter's norm some ten thousand


def series_metas(texts: Sequence[bytes]) -> Sequence[SeriesMeta]:
    """Descriptions of series; the same text is decoded once, and new ones together, in half of the time."""
    known = [_METAS.get(text) for text in texts]
    new = [text for text, meta in zip(texts, known, strict=True) if meta is None]
    fields = json.loads(b"[" + b",".join(new) + b"]")
    made = {text: SeriesMeta(**one) for text, one in zip(new, fields, strict=True)}
    if len(_METAS) + len(made) > KNOWN:
        _METAS.clear()
    _METAS.update(made)
    return [made[text] if meta is None else meta for text, meta in zip(texts, known, strict=True)]


def hosts(cursors: Fields) -> dict[str, str]:
    """File → the host whose collector reads it; of those whose cursor names one."""
    named = {file: text for file, text in cursors.items() if b'"host":"' in text}
    found = {file.decode(): str(json.loads(text).get("host") or "") for file, text in named.items()}
    return {file: host for file, host in found.items() if host}


def entry(stream_id: bytes, fields: Fields) -> LiveEntry:
    """One entry of the live stream (``wire.schema.encode_live``, ``encode_alerts``, ``encode_notes``)."""
    raw = json.loads(fields[LIVE_FIELD.encode()])
    points = [LivePoint(*point) for point in raw["p"]]
    told = int(raw.get("a", 0)), int(raw.get("notes", 0))
    return LiveEntry(stream_id.decode(), points, int(raw["e"]), bool(raw["reload"]), *told)


def order(stream_id: str) -> tuple[int, int]:
    """A stream id as something that compares in time."""
    milliseconds, _, sequence = stream_id.partition("-")
    return int(milliseconds), int(sequence or 0)
