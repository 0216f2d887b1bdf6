"""The ``dump`` command: print what Redis holds, in the same form as ``read``."""

from __future__ import annotations

import math
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TextIO

from collector.errors import InputError
from collector.printed import PrintedRun, PrintedSeries, Scalars, Warned, spelled, write_json
from collector.store import Store
from collector.wire.records import POINT, Cursor, RunId, SeriesMeta, unpack_points

Point = tuple[int, float, float]
Group = tuple[str, int, str, str]  # source, rank (-1: none), directory of event files, tag
# info.log.5
_ROTATED = re.compile(r"(.*\.log)\.(\d+)\Z")


def run(store: Store, wanted: str | None, out: TextIO) -> int:
    """Print one run, or all; raises ``InputError`` when there is no such run, and ``StoreAway``."""
    runs = store.runs()
    if wanted is not None and wanted not in runs:
        known = ", ".join(runs[:10]) or "none yet"
        raise InputError(f"Redis at {store.address} holds no run {wanted!r}; runs: {known}.")
    write_json(stored(store, [RunId(wanted)] if wanted is not None else runs), out)
    return 0


def stored(store: Store, runs: Sequence[RunId]) -> Scalars:
    """Every stored point of the runs, by run id; of folded ones those that are kept, with a warning."""
    warnings = [one for run_id in runs for one in (*warned(run_id, store.cursors(run_id)), *_folded(store, run_id))]
    return Scalars({run_id: _run(store, run_id) for run_id in runs}, warnings)


def _run(store: Store, run_id: RunId) -> PrintedRun:
    record = store.record(run_id)
    series = []
    for metas in grouped(store.series(run_id)):
        blocks = store.points(run_id, [meta.sid for meta in metas])
        meta = metas[0]
        points = joined(list(zip(metas, blocks, strict=True)))
        series.append(PrintedSeries(meta.tag, meta.metric, meta.rank, meta.source, points))
    return PrintedRun(record.path if record else "", series)


def _folded(store: Store, run_id: RunId) -> list[Warned]:
    """How many points of each file are not printed one by one."""
    metas = store.series(run_id)
    found: Counter[str] = Counter()
    for meta, count in zip(metas, store.shelf.counts(run_id, [one.sid for one in metas]), strict=True):
        found[meta.file] += count
    return [
        Warned(
            "folded",
            file,
            f"{count} points in run {run_id} are folded: ends and extremes are printed, the file has all",
        )
        for file, count in sorted(found.items())
        if count
    ]


def grouped(register: Iterable[SeriesMeta]) -> list[list[SeriesMeta]]:
    """The stored series that one printed series is made of, in the order in which they were written: event files of
    one directory by name; of a log first its oldest rotated part; of one file by generation."""
    groups: dict[Group, list[SeriesMeta]] = {}
    for meta in register:
        directory = "" if meta.source == "log" else posixpath.dirname(meta.file)
        rank = -1 if meta.rank is None else meta.rank
        groups.setdefault((meta.source, rank, directory, meta.tag), []).append(meta)
    return [sorted(groups[key], key=_age) for key in sorted(groups)]


def _age(meta: SeriesMeta) -> tuple[str, int, int]:
    name, part = family(meta.file)
    return name, -part, meta.generation


def family(file: str) -> tuple[str, int]:
    """A log's name without the number of its rotated part, and that number: 0 for the part that is being written."""
    match = _ROTATED.match(file)
    return (match[1], int(match[2])) if match else (file, 0)


def joined(parts: Sequence[tuple[SeriesMeta, bytes]]) -> bytes:
    """The points of one printed series. Event files follow each other. The logs of a rank hold the same records twice
    (``info.log`` and ``worker_0.log``), so each point is kept as often as the log that has it most often."""
    logs: dict[str, bytes] = {}
    for meta, block in parts:
        name = family(meta.file)[0] if meta.source == "log" else ""
        logs[name] = logs.get(name, b"") + block
    longest, *others = sorted(logs.values(), key=len, reverse=True)
    return _with_missing(longest, others) if others else longest


def _with_missing(block: bytes, others: Sequence[bytes]) -> bytes:
    points = list(unpack_points(block))
    for other in others:
        more = list(unpack_points(other))
        missing = Counter(map(_same, more)) - Counter(map(_same, points))
        if missing:
            points = _merge(points, _pick(more, missing))
    return b"".join(POINT.pack(*point) for point in points)


def _same(point: Point) -> tuple[int, float | str, float | str]:
    """NaN differs from itself; as a word it does not."""
    return point[0], spelled(point[1]), spelled(point[2])


def _pick(points: Iterable[Point], wanted: Counter[tuple[int, float | str, float | str]]) -> list[Point]:
    picked = []
    for point in points:
        if wanted[_same(point)] > 0:
            wanted[_same(point)] -= 1
            picked.append(point)
    return picked


def _merge(points: list[Point], extra: list[Point]) -> list[Point]:
    """By their clocks where all have one, else one after the other."""
    both = points + extra
    return both if any(math.isnan(wall) for _, wall, _ in both) else sorted(both, key=lambda point: point[1])


def warned(run_id: RunId, cursors: Mapping[str, str]) -> list[Warned]:
    """What was counted while the files were read, by file and code."""
    return [
        Warned(code, file, f"{count} in run {run_id}")
        for file, text in sorted(cursors.items())
        for code, count in sorted(Cursor.decode(text).counts.items())
    ]
