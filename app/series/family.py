"""Logs with their rotated parts: which of a rank's logs there are, and when each was where. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from app.series.curve import Curve
from collector.wire.records import Cursor, SeriesMeta

# log/rank_0/info.log.3 is a part of log/rank_0/info.log
_PART = re.compile(r"(\.log)\.\d{1,2}\Z")
# worker_0.log train_rank_3.log hold what the console showed, tracebacks too; info.log and mindformers.log do not
_RECORDS = re.compile(r"(?:.*/)?(?:info|mindformers)\.log\Z")


def whole_log(file: str) -> str:
    """The name of the newest part of the log that a file belongs to."""
    return _PART.sub(r"\1", file)


def logs_of(cursors: Mapping[str, Cursor], rank: int | None, *, speaks: bool) -> list[str]:
    """The logs of a rank by the name of their newest part; those that hold more first. ``speaks``: the rank speaks for
    the run, so a log without a rank is its own."""
    ranks = {rank, None} if speaks else {rank}
    found = {whole_log(one.file) for one in cursors.values() if one.source == "log" and one.rank in ranks}
    return sorted(found, key=lambda file: (bool(_RECORDS.match(file)), file))


def ranks_with_logs(cursors: Mapping[str, Cursor]) -> list[int]:
    """Ranks that have a log."""
    return sorted({one.rank for one in cursors.values() if one.source == "log" and one.rank is not None})


def clocked(series: Mapping[str, SeriesMeta], counts: Mapping[str, int], log: str) -> Sequence[str]:
    """The series that tell best at which clock a log was at which step, one a generation."""
    best: dict[tuple[str, int], tuple[int, str]] = {}
    for sid, meta in series.items():
        if meta.source != "log" or whole_log(meta.file) != log or not counts.get(sid):
            continue
        key = meta.file, meta.generation
        if key not in best or counts[sid] > best[key][0]:
            best[key] = counts[sid], sid
    return [best[key][1] for key in sorted(best)]


def clock_at(curves: Sequence[Curve], step: int, near: float | None) -> float | None:
    """The clock of the point nearest to ``step``; of several (attempts) the one nearest to ``near``, else the last.
    None when no point has a clock."""
    best: tuple[float, float] | None = None
    wall = None
    for curve in curves:
        known = np.flatnonzero(np.isfinite(curve.walls))
        if not len(known):
            continue
        off = np.abs(curve.steps[known].astype(np.float64) - step)
        for at in known[off == off.min()]:
            found = float(curve.walls[at])
            rank = (float(abs(float(curve.steps[at]) - step)), -found if near is None else abs(found - near))
            if best is None or rank < best:
                best, wall = rank, found
    return wall
