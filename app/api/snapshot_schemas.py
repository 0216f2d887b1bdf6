"""JSON Schemas of frozen snapshots."""

from __future__ import annotations

from collections.abc import Mapping

from app.api.alert_schemas import BY, body
from app.api.route import Schema
from app.api.schemas import COUNT, FLAG, REAL, TEXT, many, maybe, record
from app.api.snapshots import LEAST, MOST, PAGES, VIEW

FIELDS: Mapping[str, Schema] = {
    "id": TEXT,
    "run": TEXT,
    "page": {"enum": list(PAGES)},
    "view": TEXT,
    "names": FLAG,
    "author": TEXT,
    "created": REAL,
    "expires": REAL,
    "state": {"enum": ["live", "expired", "revoked"]},
    "revoked": maybe(REAL),
    "used": maybe(REAL),
    "uses": COUNT,
}
DAYS: Schema = {"type": "number", "minimum": LEAST, "maximum": MOST}
SCHEMAS: Mapping[str, Schema] = {
    "Snapshots": record(run=TEXT, snapshots=many(record(**FIELDS))),
    "Snapshot": record(**FIELDS),
    "Made": record(url=TEXT, **FIELDS),
    "Freezing": body(
        (),
        view={"type": "string", "maxLength": VIEW},
        page={"enum": list(PAGES)},
        days=DAYS,
        names=FLAG,
        by=BY,
    ),
    "Extending": body(("days",), days=DAYS),
}
