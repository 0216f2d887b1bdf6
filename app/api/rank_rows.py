"""A map of ranks and steps as an answer: rows in words, matrices in words or as columns of bytes."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import asdict

import numpy as np
from flask import Response
from numpy.typing import NDArray

from app.api.answers import Json, number
from app.api.series import OCTETS
from app.api.tags import spans
from app.grids import Shown
from app.series.curve import Bytes
from app.series.ranks.fold import Folded
from app.series.ranks.grid import Grid
from app.series.ranks.states import Verdict
from app.stored import LeanRun
from app.surveys import Surveyed
from collector.wire.metrics import METRICS

QUIET = ("ok", "no_data_by_design")  # states that nobody has to do anything about

Matrix = NDArray[np.floating]


def about(run: LeanRun, shown: Shown, every: Surveyed, window: Surveyed) -> dict[str, Json]:
    """What holds for all ranks. ``exact_from``: older steps are too many to be held, and are left out."""
    metric = None if shown.is_tag else METRICS.get(shown.name)
    steps = every.grid.steps
    layout = asdict(every.layout)
    return {
        "run": run.id,
        "metric": None if shown.is_tag else shown.name,
        "tag": shown.name if shown.is_tag else None,
        "unit": metric.unit if metric else "",
        "attempt": "latest" if shown.attempt is None else shown.attempt,
        "layout": {name: layout[name] for name in ("dp", "tp", "pp", "cp", "ep", "origin")},
        "comparable": every.survey.reason is None,
        "reason": every.survey.reason,
        "first_step": int(steps[0]) if len(steps) else None,
        "last_step": int(steps[-1]) if len(steps) else None,
        "total_columns": len(window.grid.steps),
        "folded_history": False,
        "exact_from": every.floor,
    }


def rank_rows(found: Surveyed, hosts: Mapping[int, str]) -> list[dict[str, Json]]:
    """One a rank: where it is, and what is to be said of it."""
    grid, layout = found.grid, found.layout
    at = layout.places(grid.ranks)
    named = [hosts.get(rank, "") for rank in grid.ranks.tolist()]
    nodes = {host: place for place, host in enumerate(dict.fromkeys(named))}
    columns = [at[axis].tolist() for axis in ("pp", "dp", "tp")]
    rest = zip(named, layout.groups(grid.ranks).tolist(), *columns, grid.seen.tolist(), strict=True)
    return [
        {
            "rank": verdict.rank,
            "host": host,
            "node": nodes[host],
            "stage": pp,
            "group": group,
            "dp": dp,
            "tp": tp,
            "pp": pp,
            "state": verdict.state,
            "since": None if verdict.state in ("ok", "no_data_by_design") else verdict.step,
            "seen": None if seen < 0 else seen,
            "value": number(verdict.value),
            "usual": number(verdict.usual),
            "z": number(verdict.z),
            "ratio": number(verdict.ratio),
        }
        for verdict, (host, group, pp, dp, tp, seen) in zip(found.survey.verdicts, rest, strict=True)
    ]


def fold_rows(folded: Folded, verdicts: Sequence[Verdict]) -> list[dict[str, Json]]:
    """One a fold: where it is, its ranks, how many of them something is to be said of, and what of the first."""
    states = {one.rank: one.state for one in verdicts}
    rows: list[dict[str, Json]] = []
    for label, members in zip(folded.labels, folded.members, strict=True):
        ranks = members.tolist()
        odd = [states[rank] for rank in ranks if states[rank] not in QUIET]
        rest = {states[rank] for rank in ranks}
        named = {name: one for name, one in asdict(label).items() if one is not None}
        state = odd[0] if odd else "no_data_by_design" if rest == {"no_data_by_design"} else "ok"
        rows.append({"label": named, "ranks": spans(set(ranks)), "odd": len(odd), "state": state})
    return rows


def matrices_of_folds(folded: Folded) -> dict[str, Matrix]:
    """Lowest, middle and highest value, and the deviation that is farthest from zero."""
    return {"low": folded.low, "mid": folded.mid, "high": folded.high, "worst": folded.worst}


def columns(grid: Grid) -> dict[str, Json]:
    """Steps and clocks."""
    walls: list[Json] = [None if wall != wall else wall for wall in grid.walls.tolist()]
    return {"steps": grid.steps.tolist(), "walls": walls}


def cells(grid: Grid) -> list[list[Json]]:
    """Each rank's values: NaN and infinities as words, null where nothing was written."""
    rows: list[list[Json]] = grid.values.tolist()
    for row, column in zip(*(one.tolist() for one in np.nonzero(~np.isfinite(grid.values))), strict=True):
        rows[row][column] = number(float(grid.values[row, column])) if grid.there[row, column] else None
    return rows


def numbers(matrix: Matrix) -> list[list[Json]]:
    """A matrix, null where it has no number."""
    rows: list[list[Json]] = matrix.tolist()
    for row, column in zip(*(one.tolist() for one in np.nonzero(~np.isfinite(matrix))), strict=True):
        rows[row][column] = None
    return rows


def packed(told: Mapping[str, Json], grid: Grid, matrices: Sequence[Matrix], kinds: Bytes) -> Response:
    """One body, little endian: u32 length of the JSON, the JSON, zeros up to a multiple of eight, then f64 steps and
    walls, the matrices row by row in f32, and u8 kinds."""
    n, m = kinds.shape
    text = json.dumps({**told, "n": n, "m": m}, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    head = struct.pack("<I", len(text)) + text
    parts = [head, bytes(-len(head) % 8), *(one.astype("<f8").tobytes() for one in (grid.steps, grid.walls))]
    with np.errstate(over="ignore"):  # what single precision cannot hold is infinite in it
        parts += [one.astype("<f4").tobytes() for one in matrices]
    return Response(b"".join([*parts, kinds.tobytes()]), mimetype=OCTETS)
