"""JSON Schemas of the answers (OpenAPI 3.1 takes them as they are)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.api.routes import Schema
from app.series.ledger import CAUSES

TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
COUNT: Schema = {"type": "integer", "minimum": 0}
REAL: Schema = {"type": "number"}
FLAG: Schema = {"type": "boolean"}
VALUE: Schema = {
    "description": "A number; NaN and infinities as words.",
    "oneOf": [{"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]}],
}
SOURCE: Schema = {"enum": ["tensorboard", "mindspore", "log"]}
FILE_SOURCE: Schema = {"enum": ["tensorboard", "mindspore", "log", "health"]}  # the last holds no points


def maybe(schema: Schema) -> Schema:
    """The schema or null."""
    return {"oneOf": [schema, {"type": "null"}]}


def many(schema: Schema) -> Schema:
    """A list of it."""
    return {"type": "array", "items": schema}


def record(**properties: Schema) -> Schema:
    """An object with exactly these properties."""
    names: Sequence[str] = list(properties)
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False}


def mapping(schema: Schema) -> Schema:
    """An object of any names."""
    return {"type": "object", "additionalProperties": schema}


POINT: Schema = {
    "description": "[step, wall in Unix seconds or null, value, source]",
    "type": "array",
    "prefixItems": [WHOLE, maybe(REAL), VALUE, SOURCE],
    "minItems": 4,
    "maxItems": 4,
}
LINE: Mapping[str, Schema] = {
    "id": TEXT,
    "name": TEXT,
    "path": TEXT,
    "demo": FLAG,
    "status": {"enum": ["waiting", "running", "quiet", "finished", "failed"]},
    "step": maybe(WHOLE),
    "total_steps": maybe(COUNT),
    "started": maybe(REAL),
    "updated": maybe(REAL),
    "ranks": many(COUNT),
    "alerts": COUNT,
    "loss": maybe(VALUE),
    "age": maybe(REAL),
    "eta": maybe(VALUE),
}
ATTEMPT = record(
    attempt={"type": "integer", "minimum": 1},
    reason={"enum": ["first", "start_announced", "truncated", "replaced", "steps_back"]},
    started=maybe(REAL),
    ended=maybe(REAL),
    first_step=WHOLE,
    last_step=WHOLE,
    steps_redone=COUNT,
)
FRESHNESS = record(
    updated=maybe(REAL),
    age=maybe(REAL),
    expected=maybe(REAL),
    state={"enum": ["live", "quiet", "finished", "failed", "collector_away", "waiting", "catching_up"]},
    sentence=TEXT,
    read=maybe(REAL),
    touched=maybe(REAL),
    cause=maybe({"enum": ["slow", "not_growing", "behind", "stale", "evaluation", "checkpoint", "compiling"]}),
    since=maybe(REAL),
    factor=maybe(REAL),
    usual=maybe(REAL),
    overdue=FLAG,
    told=FLAG,
    unread=maybe(COUNT),
    trouble=maybe(TEXT),
)
CLOCK: Schema = {
    **record(host=TEXT, ahead=REAL, within=REAL),
    "description": "Seconds by which a host's clock is ahead of Redis' own, certain within so many; orders nothing.",
}
PROGRESS = record(
    step_time_ms=maybe(VALUE),
    throughput=maybe(VALUE),
    throughput_unit=maybe(TEXT),
    eta=maybe(VALUE),
    eta_low=maybe(VALUE),
    eta_high=maybe(VALUE),
)
LEDGER = record(
    total=REAL,
    ratio=maybe(REAL),
    parts=record(**dict.fromkeys(CAUSES, REAL)),
    steps_lost=COUNT,
    stalls=COUNT,
    longest_stall=REAL,
    stall_step=maybe(WHOLE),
    usual=mapping(REAL),
    npus=maybe(COUNT),
    npu_hours_lost=maybe(REAL),
    unknown=many(TEXT),
)
COSTS = record(
    growth=many(record(source=FILE_SOURCE, files=COUNT, bytes=COUNT, per_hour=maybe(REAL))),
    hours=maybe(REAL),
    series=COUNT,
    points=COUNT,
    points_per_second=maybe(REAL),
    every=maybe(REAL),
    step_ms=maybe(REAL),
    lag=maybe(record(steps=COUNT, seconds=maybe(REAL), queue=maybe(COUNT))),
    hints=many(record(code=TEXT, key=TEXT, value=TEXT, number=REAL)),
)
FOLLOWED = record(
    file=TEXT, source=FILE_SOURCE, rank=maybe(COUNT), generation=COUNT, offset=COUNT, warnings=mapping(COUNT)
)
EVENT = record(kind=TEXT, step=maybe(WHOLE), wall=maybe(REAL), text=TEXT, rank=maybe(COUNT))
METRIC = record(
    metric=maybe(TEXT),
    tag=TEXT,
    unit=TEXT,
    scope={"enum": ["run", "rank"]},
    ranks=many(COUNT),
    sources=many(SOURCE),
    points=COUNT,
    last=maybe(POINT),
)
TAG = record(
    metric=maybe(TEXT),
    tag=TEXT,
    unit=TEXT,
    scope={"enum": ["run", "rank"]},
    ranks=many({"description": "First and last of neighbours.", "type": "array", "items": COUNT}),
    sources=many(SOURCE),
    points=maybe(COUNT),
    last=maybe(POINT),
)
SERIES = record(
    run=TEXT,
    metric=maybe(TEXT),
    tag=maybe(TEXT),
    unit=TEXT,
    rank=maybe(COUNT),
    attempt={"oneOf": [{"enum": ["all", "latest"]}, {"type": "integer", "minimum": 1}]},
    total=COUNT,
    drawn=COUNT,
    hidden_nan=COUNT,
    folded=COUNT,
    stream=TEXT,
    points=many(POINT),
)
HAPPENING = record(
    kind=TEXT,
    step=maybe(WHOLE),
    last_step=maybe(WHOLE),
    wall=maybe(REAL),
    text=TEXT,
    ranks=many(COUNT),
    file=TEXT,
    times={"type": "integer", "minimum": 1},
    detail=mapping({"type": ["number", "string", "null"]}),
)
LOG_LINE = record(number=maybe(COUNT), offset=COUNT, text=TEXT, step=maybe(WHOLE), match=FLAG)
LOG = record(
    run=TEXT,
    rank=maybe(COUNT),
    file=TEXT,
    host=TEXT,
    lines=many(LOG_LINE),
    first=maybe(TEXT),
    last=maybe(TEXT),
    found=maybe(TEXT),
    searched=maybe(TEXT),
    more_before=FLAG,
    more_after=FLAG,
)
RUN = record(
    **LINE,
    owner_rank=maybe(COUNT),
    attempts=many(ATTEMPT),
    layout=mapping({"oneOf": [WHOLE, TEXT]}),
    facts=mapping(TEXT),
    sources=many(FOLLOWED),
    freshness=FRESHNESS,
    clocks=many(CLOCK),
    progress=PROGRESS,
    ledger=maybe(LEDGER),
    costs=COSTS,
    events=many(EVENT),
    metrics=many(METRIC),
    stream=TEXT,
)
MARK = record(at=REAL, step=WHOLE, value=VALUE)
COMPARISON = record(
    metric=maybe(TEXT),
    tag=maybe(TEXT),
    unit=TEXT,
    better={"enum": ["lower", "higher", "none"]},
    x={"enum": ["step", "relative", "tokens"]},
    common=maybe(REAL),
    runs=many(
        record(
            run=TEXT,
            name=TEXT,
            demo=FLAG,
            status=LINE["status"],
            first_step=maybe(WHOLE),
            total_steps=maybe(COUNT),
            tokens_per_step=maybe(REAL),
            last=maybe(MARK),
            best=maybe(MARK),
            common=maybe(MARK),
            difference=maybe(VALUE),
        )
    ),
    missing=many(TEXT),
    metrics=many(record(name=TEXT, kind={"enum": ["metric", "tag"]}, runs=COUNT)),
)
SETTINGS = record(
    runs=many(record(run=TEXT, name=TEXT, keys=COUNT, layout=mapping(TEXT))),
    missing=many(TEXT),
    total=COUNT,
    settings=many(record(key=TEXT, values=many(maybe(TEXT)), differs=FLAG)),
)
PLACES: Schema = many(maybe(REAL))
BASELINE = record(
    run=TEXT,
    metric=maybe(TEXT),
    tag=maybe(TEXT),
    x={"enum": ["step", "tokens"]},
    runs=many(TEXT),
    missing=many(TEXT),
    without=many(TEXT),
    n=COUNT,
    steps=PLACES,
    low=PLACES,
    mid=PLACES,
    high=PLACES,
    behind=record(
        steps=maybe(WHOLE),
        step=maybe(REAL),
        value=maybe(REAL),
        enough=FLAG,
        reason={"enum": ["", "no_points", "no_baseline", "no_direction", "above_start", "below_best", "noisy"]},
    ),
)
READY: Schema = {
    "type": "object",
    "properties": {
        "status": {"enum": ["ready", "not ready"]},
        "checks": many(record(name=TEXT, ok=FLAG, reason=TEXT)),
    },
    "required": ["status"],
    "additionalProperties": False,
}

SCHEMAS: Mapping[str, Schema] = {
    "ExportEstimate": record(
        run=TEXT,
        layout=TEXT,
        series=COUNT,
        rows=COUNT,
        points=COUNT,
        bytes=record(csv=COUNT, jsonl=COUNT, parquet=COUNT),
        folded=COUNT,
        missing=many(TEXT),
    ),
    "Runs": many(record(**LINE)),
    "Run": RUN,
    "Series": SERIES,
    "Tags": many(TAG),
    "Events": record(run=TEXT, total=COUNT, more=FLAG, events=many(HAPPENING)),
    "Log": LOG,
    "Comparison": COMPARISON,
    "Settings": SETTINGS,
    "Baseline": BASELINE,
    "Live": record(status={"const": "alive"}),
    "Ready": READY,
    "Description": {"type": "object", "required": ["openapi", "info", "paths"]},
}
