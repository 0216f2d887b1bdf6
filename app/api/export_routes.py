"""Addresses of a run's points as a file."""

from __future__ import annotations

from app.api.route import JSON, RUN, Parameter, Route, Schema
from app.export.form import TYPES

_TEXT: Schema = {"type": "string"}
_WHOLE: Schema = {"type": "integer"}
_SECONDS: Schema = {"type": "number"}
_EXPORT = (
    Parameter(
        "metric",
        "Canonical name of a metric, such as loss; repeatable, r3:loss is that of rank 3. Without any metric or tag: "
        "every standard metric of the run.",
        _TEXT,
    ),
    Parameter("tag", "A tag as the file spells it; repeatable.", _TEXT),
    Parameter(
        "rank",
        "Of which rank; repeatable, rows then tell it. Without it the rank that speaks for the run.",
        {**_WHOLE, "minimum": 0},
    ),
    Parameter("all", "1: every metric and every tag of the run.", {"enum": ["0", "1"], "default": "0"}),
    Parameter("source", "One source alone.", {"type": "string", "enum": ["tensorboard", "mindspore", "log"]}),
    Parameter(
        "attempt",
        "all: one attempt after the other. latest: each step once, of the newest attempt that has done it. A number "
        "from 1: that attempt.",
        {"type": "string", "pattern": "^(all|latest|[1-9][0-9]{0,8})$", "default": "all"},
    ),
    Parameter("start", "First step, inclusive.", _WHOLE),
    Parameter("end", "Last step, inclusive.", _WHOLE),
    Parameter("since", "First moment in Unix seconds, inclusive; instead of start and end.", _SECONDS),
    Parameter("until", "Last moment in Unix seconds, inclusive; instead of start and end.", _SECONDS),
    Parameter(
        "layout",
        "wide: a row a step and source, a column a series; its time is that of the first value in it. long: a row a "
        "point, with the time of its own.",
        {"enum": ["wide", "long"], "default": "wide"},
    ),
)
_BAD = {
    400: "An argument makes no sense.",
    404: "There is no such run, metric, tag, rank or attempt.",
    503: "Redis does not answer, or older points were folded while they were read.",
}
_BUSY = {**_BAD, 429: "As many exports as are made at once are being made."}
_ABOUT = "The points of a run as they are stored, sent while they are read: the run may go on. "
_BROKEN = " The connection breaks where it cannot be finished. X-Tidewatch-Meta tells counts, and what was folded."


def _file(suffix: str, about: str, media: str) -> Route:
    said = f"{_ABOUT}{about}{_BROKEN}"
    return Route(f"api/runs/<run>/export.{suffix}", f"export_{suffix}", said, {media: None}, (RUN, *_EXPORT), _BUSY)


ROUTES = (
    _file("csv", "CSV (RFC 4180), UTF-8; an empty cell is no value, NaN is one.", TYPES["csv"].split(";")[0]),
    _file("jsonl", 'A line of JSON a row; null is no value, "NaN" is one.', TYPES["jsonl"]),
    _file("parquet", "Parquet; null is no value, NaN is one.", TYPES["parquet"]),
    Route(
        "api/runs/<run>/export",
        "export",
        "How much that would be, nearly: rows, points, and bytes of each form. `folded`: so many points are what is "
        "left of folded history.",
        {JSON: "ExportEstimate"},
        (RUN, *_EXPORT),
        _BAD,
    ),
)
