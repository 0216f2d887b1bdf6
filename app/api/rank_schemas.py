"""JSON Schemas of the answers about many ranks."""

from __future__ import annotations

from collections.abc import Mapping

from app.api.routes import Schema
from app.api.schemas import COUNT, FLAG, REAL, TEXT, VALUE, WHOLE, many, maybe, record

STATE: Schema = {
    "enum": ["ok", "outlier", "frozen", "nan", "silent", "straggler", "broken_reduction", "no_data_by_design"]
}
CELL = maybe(VALUE)
SPANS = many({"description": "First and last of neighbours.", "type": "array", "items": COUNT})
SHARED: Mapping[str, Schema] = {
    "run": TEXT,
    "metric": maybe(TEXT),
    "tag": maybe(TEXT),
    "unit": TEXT,
    "attempt": {"oneOf": [{"const": "latest"}, {"type": "integer", "minimum": 1}]},
    "layout": record(dp=COUNT, tp=COUNT, pp=COUNT, cp=COUNT, ep=COUNT, origin={"enum": ["told", "read", "guessed"]}),
    "fold": {"enum": ["none", "node", "stage", "group"]},
    "comparable": FLAG,
    "reason": maybe({"enum": ["tp", "pp", "small"]}),
    "first_step": maybe(WHOLE),
    "last_step": maybe(WHOLE),
    "total_columns": COUNT,
    "folded_history": FLAG,
    "exact_from": maybe(WHOLE),
    "joined_before": maybe(WHOLE),
    "steps": many(WHOLE),
    "walls": many(maybe(REAL)),
}
RANK: Mapping[str, Schema] = {
    "rank": COUNT,
    "host": TEXT,
    "node": COUNT,
    "stage": COUNT,
    "group": COUNT,
    "dp": COUNT,
    "tp": COUNT,
    "pp": COUNT,
    "state": STATE,
    "since": maybe(WHOLE),
    "seen": maybe(WHOLE),
    "value": maybe(VALUE),
    "usual": maybe(VALUE),
    "z": maybe(VALUE),
    "ratio": maybe(VALUE),
    "values": many(CELL),
}
FOLD: Mapping[str, Schema] = {
    "label": {"type": "object", "properties": {"host": TEXT, "stage": COUNT, "group": COUNT}},
    "ranks": SPANS,
    "odd": COUNT,
    "state": STATE,
    **{name: many(CELL) for name in ("low", "mid", "high", "worst")},
}
FIRST = record(rank=COUNT, host=TEXT, step=WHOLE, tag=TEXT, wall=maybe(REAL), value=maybe(REAL))
CROWD = record(
    ranks=SPANS,
    count=COUNT,
    line=TEXT,
    trace=TEXT,
    frames=many(record(file=TEXT, line=COUNT, function=TEXT)),
    first=record(rank=COUNT, step=maybe(WHOLE), wall=maybe(REAL)),
)
SCHEMAS: Mapping[str, Schema] = {
    "Ranks": {"oneOf": [record(**SHARED, ranks=many(record(**RANK))), record(**SHARED, rows=many(record(**FOLD)))]},
    "RanksFirst": record(
        run=TEXT,
        what={"enum": ["nan", "inf", "spike", "stall"]},
        at=maybe(WHOLE),
        metric=maybe(TEXT),
        tag=maybe(TEXT),
        first=many(FIRST),
        followed=many(FIRST),
    ),
    "RanksStates": record(
        run=TEXT,
        metric=maybe(TEXT),
        tag=maybe(TEXT),
        count=COUNT,
        odd=COUNT,
        states=many(record(state=STATE, count=COUNT, rank=COUNT, since=maybe(WHOLE))),
    ),
    "RanksErrors": record(run=TEXT, groups=many(CROWD)),
}
