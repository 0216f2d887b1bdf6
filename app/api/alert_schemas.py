"""JSON Schemas of alerts, and of what may be said of them."""

from __future__ import annotations

from collections.abc import Mapping

from app.api.alerts import CLASSES
from app.api.bodies import MINUTES, NAME, NOTE
from app.api.route import Schema
from app.api.schemas import COUNT, FLAG, REAL, TEXT, VALUE, WHOLE, many, mapping, maybe, record
from app.diagnosis.handling import STATES

CLASS: Schema = {"enum": list(CLASSES)}
SPANS = many({"description": "First and last of neighbours.", "type": "array", "items": COUNT})
FIELDS: Mapping[str, Schema] = dict(
    **{"class": CLASS},
    id=TEXT,
    rule=TEXT,
    severity={"enum": ["info", "warning", "critical"]},
    state={"enum": list(STATES)},
    rank=maybe(COUNT),
    ranks=SPANS,
    attempt={"type": "integer", "minimum": 1},
    first_step=WHOLE,
    raised_step=WHOLE,
    last_step=WHOLE,
    raised_wall=maybe(REAL),
    ended_wall=maybe(REAL),
    value=maybe(VALUE),
    baseline_median=maybe(VALUE),
    sigma=maybe(VALUE),
    z=maybe(VALUE),
    ratio=maybe(VALUE),
    n_points=COUNT,
    corroboration=mapping(maybe(VALUE)),
    cause=maybe(TEXT),
    remedy_id=TEXT,
    count=COUNT,
    ack=maybe(record(by=TEXT, until=maybe(REAL), note=TEXT, at=REAL)),
    muted=FLAG,
    name=TEXT,
    says=TEXT,
    metric=maybe(TEXT),
    value_step=WHOLE,
)
ALERT: Schema = record(**FIELDS)
WAY: Schema = record(
    step=WHOLE,
    health={"enum": ["healthy", "unhealthy", "unknown"]},
    name=TEXT,
    wall=maybe(REAL),
    steps=COUNT,
    seconds=maybe(REAL),
    npu_hours=maybe(REAL),
)
WAY_BACK: Schema = record(
    onset=WHOLE, now=WHOLE, advice=TEXT, is_safe=FLAG, advised=maybe(WHOLE), checkpoints=many(WAY)
)
COPY: Schema = record(
    title=TEXT, text=TEXT, language={"enum": ["yaml", "shell", "json"]}, mode=maybe({"enum": ["graph", "pynative"]})
)
EXPLAINED: Schema = record(
    **FIELDS,
    meaning=TEXT,
    causes=many(TEXT),
    steps=many(TEXT),
    copies=many(COPY),
    grounds=many(many(TEXT)),
    consequences=many(TEXT),
    rollback=maybe(WAY_BACK),
)
MUTE: Schema = record(
    **{"class": maybe(CLASS)},
    id=TEXT,
    run=maybe(TEXT),
    rank=maybe(COUNT),
    by=TEXT,
    until=maybe(REAL),
    note=TEXT,
    at=REAL,
)
BY: Schema = {"type": "string", "minLength": 1, "maxLength": NAME}
SOME: Schema = {"type": "string", "maxLength": NOTE}
LASTING: Schema = {"type": "number", "exclusiveMinimum": 0, "maximum": MINUTES}


def body(needed: tuple[str, ...] = (), **properties: Schema) -> Schema:
    """An object of these properties at most."""
    return {"type": "object", "properties": properties, "required": list(needed), "additionalProperties": False}


SCHEMAS: Mapping[str, Schema] = {
    "Alerts": record(run=TEXT, total=COUNT, count=COUNT, judged=FLAG, alerts=many(ALERT)),
    "Alert": ALERT,
    "Explained": EXPLAINED,
    "Mutes": many(MUTE),
    "Mute": MUTE,
    "Acknowledgement": body(("by",), by=BY, minutes=LASTING, note=SOME),
    "Saying": body(by={**BY, "minLength": 0}),
    "Muting": body(("by",), **{"class": CLASS}, run=TEXT, rank=COUNT, by=BY, minutes=LASTING, note=SOME),
}
