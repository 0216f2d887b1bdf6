"""A map of ranks and steps as an answer: rows in words, matrices in words or as columns of bytes."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache

import numpy as np
from flask import Response
from numpy.typing import NDArray

from app.api.answers import Json, number
from app.api.series import OCTETS
from app.api.tags import spans
from app.grids import Shown
from app.series.curve import Bytes, Ints
from app.series.ranks.fold import Folded
from app.series.ranks.grid import Grid
from app.series.ranks.states import Verdict
from app.stored import LeanRun
from app.surveys import Said, Surveyed
from collector.wire.metrics import METRICS

QUIET = ("ok", "no_data_by_design")  # states that nobody has to do anything about

Matrix = NDArray[np.floating]


def about(run: LeanRun, shown: Shown, found: Surveyed) -> dict[str, Json]:
    """What holds for all ranks. ``exact_from``: what is older in the window is too much, and is left out."""
    metric = None if shown.is_tag else METRICS.get(shown.name)
    layout = asdict(found.said.layout)
    return {
        "run": run.id,
        "metric": None if shown.is_tag else shown.name,
        "tag": shown.name if shown.is_tag else None,
        "unit": metric.unit if metric else "",
        "attempt": "latest" if shown.attempt is None else shown.attempt,
        "layout": {name: layout[name] for name in ("dp", "tp", "pp", "cp", "ep", "origin")},
        "comparable": found.said.reason is None,
        "reason": found.said.reason,
        "first_step": found.seen.first,
        "last_step": found.seen.last,
        "total_columns": len(found.grid.steps),
        "folded_history": run.folded,
        "exact_from": found.seen.since,
    }


def rank_rows(said: Said, last: Ints, hosts: Mapping[int, str]) -> list[str]:
    """One JSON object a rank: where it is, and what is to be said of it. Ten thousand of them are asked for every
    second, and only the last step of each is another one then."""
    texts = _rows(said, _Hosts(hosts))
    return [f"{text}{'null' if seen < 0 else seen}}}" for text, seen in zip(texts, last.tolist(), strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class _Hosts:
    """Hosts of ranks; the same as long as the mapping is."""

    of: Mapping[int, str]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Hosts) and other.of is self.of

    def __hash__(self) -> int:
        return id(self.of)


@lru_cache(maxsize=16)
def _rows(said: Said, hosts: _Hosts) -> list[str]:
    """The rows up to the number of the last step."""
    named = [hosts.of.get(rank, "") for rank in said.ranks.tolist()]
    nodes = {host: place for place, host in enumerate(dict.fromkeys(named))}
    texts = {host: json.dumps(host, ensure_ascii=False) for host in nodes}
    at = said.layout.places(said.ranks)
    places = zip(
        said.layout.groups(said.ranks).tolist(), *(at[axis].tolist() for axis in ("pp", "dp", "tp")), strict=True
    )
    return [
        f'{{"rank":{one.rank},"host":{texts[host]},"node":{nodes[host]},"stage":{stage},"group":{group},"dp":{dp},'
        f'"tp":{tp},"pp":{stage},{_said(one)},"seen":'
        for one, host, (group, stage, dp, tp) in zip(said.verdicts, named, places, strict=True)
    ]


def _said(one: Verdict) -> str:
    since = one.step if one.state not in QUIET else None
    evidence = f'"usual":{_short(one.usual)},"z":{_short(one.z)},"ratio":{_short(one.ratio)}'
    return f'"state":"{one.state}","since":{_exact(since)},"value":{_exact(one.value)},{evidence}'


def _exact(value: float | None) -> str:
    return "null" if value is None else repr(value)


def _short(value: float | None) -> str:
    """Six digits; values are exact, what is computed of them is not."""
    return "null" if value is None else f"{value:.6g}"


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


def packed(
    told: Mapping[str, Json], name: str, rows: Sequence[str], grid: Grid, matrices: Sequence[Matrix], kinds: Bytes
) -> Response:
    """One body, little endian: u32 length of the JSON, the JSON, zeros up to a multiple of eight, then f64 steps and
    walls, the matrices row by row in f32, and u8 kinds. The ``rows`` are JSON already."""
    n, m = kinds.shape
    said = json.dumps({**told, "n": n, "m": m}, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = f'{said[:-1]},"{name}":[{",".join(rows)}]}}'.encode()
    head = struct.pack("<I", len(text)) + text
    parts = [head, bytes(-len(head) % 8), *(one.astype("<f8").tobytes() for one in (grid.steps, grid.walls))]
    with np.errstate(over="ignore"):  # what single precision cannot hold is infinite in it
        parts += [one.astype("<f4", copy=False).tobytes() for one in matrices]
    return Response(b"".join([*parts, kinds.tobytes()]), mimetype=OCTETS)
