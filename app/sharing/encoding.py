"""A snapshot as it is stored: columns of JSON, deflated. Thousands of series differ in little but their ranks."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from app.diagnosis.alert import Alert
from app.diagnosis.handling import Handling, Mute
from app.sharing.snapshot import End, Label, Moment
from app.stored import StoredRun
from collector.wire.records import Cursor, Generation, Heartbeat, RunId, RunRecord, SeriesMeta

FORM = 1  # of the columns below
LEVEL = 6
BYTES = 4 * 2**20  # of a snapshot as it is stored, at most: some hundred thousand series
WHOLE = 256 * 2**20  # to which it is inflated at most
NAMED = ("file", "tag", "metric", "source")  # texts that many series share
CURSOR = ("file", "source", "rank", "offset", "generation", "mtime", "counts", "host")
GENERATION = ("file", "generation", "reason", "wall", "rank")

Columns = dict[str, Any]
"""Any: what JSON holds."""


class TooLarge(Exception):
    """The run has too many series and files to be frozen."""


def encode_label(label: Label) -> str:
    """What does not change of a label: the rest has fields of its own (wire.schema.SNAPSHOT_FIELDS)."""
    said = asdict(label)
    for name in ("expires", "revoked", "used", "uses"):
        del said[name]
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"))


def decode_label(text: bytes | str, *, expires: float, revoked: float | None, used: float | None, uses: int) -> Label:
    """The label that ``encode_label`` wrote, perhaps a later version, whose further fields are passed over."""
    known = {name: value for name, value in json.loads(text).items() if name in Label.__dataclass_fields__}
    return Label(**{**known, "run": RunId(known["run"])}, expires=expires, revoked=revoked, used=used, uses=uses)


def encoded(moment: Moment) -> bytes:
    """Raises TooLarge."""
    run = moment.run
    told: Columns = {
        "form": FORM,
        "record": asdict(run.record),
        "times": [run.created, run.committed],
        "position": run.position,
        "series": _series(run.series.values(), moment.ends),
        "cursors": _columns(run.cursors.values(), CURSOR),
        "generations": _columns(run.generations, GENERATION),
        "facts": dict(run.facts),
        "events": dict(moment.events),
        "beats": [one.encode() for one in moment.beats],
        "alerts": [one.encode() for one in moment.alerts],
        "handled": {name: one.encode() for name, one in moment.handled.items()},
        "mutes": [one.encode() for one in moment.mutes],
        "judged": moment.judged,
        "notes": list(moment.notes),
    }
    body = zlib.compress(json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode(), LEVEL)
    if len(body) > BYTES:
        raise TooLarge
    return body


def decoded(body: bytes) -> Moment:
    """The moment that ``encoded`` wrote. Raises ValueError for anything else."""
    told = json.loads(_inflated(body))
    record = RunRecord(**{**told["record"], "id": RunId(told["record"]["id"])})
    series, ends = _series_of(told["series"])
    cursors = {one["file"]: Cursor(**one) for one in _rows(told["cursors"])}
    generations = [Generation(**one) for one in _rows(told["generations"])]
    created, committed = told["times"]
    run = StoredRun(record, created, committed, told["position"], series, cursors, generations, told["facts"], ())
    return Moment(
        run,
        ends,
        told["events"],
        [Heartbeat.decode(one) for one in told["beats"]],
        [Alert.decode(one) for one in told["alerts"]],
        {name: Handling.decode(one) for name, one in told["handled"].items()},
        [Mute.decode(one) for one in told["mutes"]],
        told["judged"],
        told["notes"],
    )


def _inflated(body: bytes) -> bytes:
    engine = zlib.decompressobj()
    try:
        whole = engine.decompress(body, WHOLE)
    except zlib.error as error:
        raise ValueError("this is no snapshot") from error
    if not engine.eof:
        raise ValueError("this is no snapshot, or a part of one")
    return whole


def lean_cursor(cursor: Cursor) -> Cursor:
    """Without what its parser remembers, which no reader asks for."""
    return replace(cursor, marker="", inode=0, state={})


def _columns(values: Iterable[object], names: Sequence[str]) -> Columns:
    listed = list(values)
    return {name: [getattr(one, name) for one in listed] for name in names}


def _rows(columns: Columns) -> Iterable[Columns]:
    return (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))


def _series(metas: Iterable[SeriesMeta], ends: Mapping[str, End]) -> Columns:
    """Columns by name; texts by their places in a list of their own, and ends as they are."""
    listed = list(metas)
    told = _columns(listed, ("generation", "rank"))
    for name in NAMED:
        texts: dict[Any, int] = {}
        told[name] = [texts.setdefault(getattr(one, name), len(texts)) for one in listed]
        told[f"{name}s"] = list(texts)
    return told | _columns((ends[one.sid] for one in listed), ("length", "folded", "kept", "proof"))


def _series_of(told: Columns) -> tuple[dict[str, SeriesMeta], dict[str, End]]:
    texts = {name: [told[f"{name}s"][place] for place in told[name]] for name in NAMED}
    metas = [
        SeriesMeta(*one)
        for one in zip(
            texts["file"],
            told["generation"],
            texts["tag"],
            texts["metric"],
            told["rank"],
            texts["source"],
            strict=True,
        )
    ]
    ends = map(End, told["length"], told["folded"], told["kept"], told["proof"])
    sids = [one.sid for one in metas]
    return dict(zip(sids, metas, strict=True)), dict(zip(sids, ends, strict=True))
