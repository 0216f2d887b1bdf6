"""What ``read`` and ``dump`` print: every scalar, as strict JSON or as CSV."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from collector.wire.records import Source, unpack_points

Printed = float | int | str | None


@dataclass(frozen=True, slots=True)
class PrintedSeries:
    """One tag of one rank and source; ``points`` are 24-byte points (wire.records) in order of arrival."""

    tag: str
    metric: str | None
    rank: int | None
    source: Source
    points: bytes


@dataclass(frozen=True, slots=True)
class PrintedRun:
    """One run: where it is, and its series in the order in which they began."""

    path: str
    series: Sequence[PrintedSeries] = ()


@dataclass(frozen=True, slots=True)
class Warned:
    """Something that the reader of the numbers should know; ``code`` as ``bad_data_crc`` or ``steps_went_back``."""

    code: str
    file: str
    detail: str


@dataclass(frozen=True, slots=True)
class Scalars:
    """Everything that was found, runs by name."""

    runs: Mapping[str, PrintedRun] = field(default_factory=dict)
    warnings: Sequence[Warned] = ()


def write_json(scalars: Scalars, out: TextIO) -> None:
    """``{"runs": {name: {path, series: [{tag, metric, rank, source, points}]}}, "warnings": [{code, file, detail}]}``.

    A point is ``[step, wall, value]``; NaN and infinities are strings, a wall is null when the line had no clock.
    """
    out.write('{"runs": {')
    for index, (name, run) in enumerate(scalars.runs.items()):
        out.write(f"{', ' if index else ''}{_text(name)}: {_text(_run(run))}")
    out.write('}, "warnings": ')
    out.write(_text([{"code": one.code, "file": one.file, "detail": one.detail} for one in scalars.warnings]))
    out.write("}\n")


def write_csv(scalars: Scalars, out: TextIO) -> None:
    """One line a point under ``run,tag,metric,rank,source,step,wall,value``; absent fields are empty."""
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(("run", "tag", "metric", "rank", "source", "step", "wall", "value"))
    for name, run in scalars.runs.items():
        for one in run.series:
            head = tuple(_encodable(part) for part in (name, one.tag, one.metric, one.rank, one.source))
            lines.writerows((*head, *point) for point in _points(one.points))


def _run(run: PrintedRun) -> object:
    return {
        "path": run.path,
        "series": [
            {"tag": one.tag, "metric": one.metric, "rank": one.rank, "source": one.source}
            | {"points": list(_points(one.points))}
            for one in run.series
        ],
    }


def _points(block: bytes) -> Iterator[tuple[int, Printed, Printed]]:
    for step, wall, value in unpack_points(block):
        yield step, None if math.isnan(wall) else spelled(wall), spelled(value)


def spelled(number: float) -> float | str:
    """A number that strict JSON can hold."""
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def _text(value: object) -> str:
    return str(_encodable(json.dumps(value, ensure_ascii=False, allow_nan=False)))


def _encodable(value: Printed) -> Printed:
    """Text without the surrogates that stand for undecodable bytes of a file name."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
