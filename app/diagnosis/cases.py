"""Recorded cases as files: ``meta.json`` and CSV tables, the form that ``replay`` reads. The adapter of files.

``train.csv`` has step,t,loss,lr,grad_norm and perhaps loss_scale,overflow,step_time,gbs in console order; ``eval.csv``
step,t,eval_loss; ``ranks.csv`` and ``rank_time.csv`` step,r0..rN; ``tb.csv`` step,t,loss. Empty is missing.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.diagnosis.row import Declared, Evaluation, Plan, Row


@dataclass(frozen=True, slots=True)
class RankTable:
    """Values of all ranks row by row, None where a rank has none; ``groups`` are ranks that may be compared."""

    steps: Sequence[int]
    values: Sequence[Sequence[float | None]]
    groups: Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Case:
    """``end`` is when the recording ended (seconds); ``shown`` the seconds at which a reader of summaries first saw a
    scalar, None: never; ``expects`` whether summaries were to be written."""

    name: str
    plan: Plan
    rows: Sequence[Row]
    evaluations: Sequence[Evaluation]
    losses: RankTable | None
    times: RankTable | None
    end: float
    expects: bool
    shown: float | None


def cases_below(folder: Path) -> Iterator[Case]:
    """Every case in a folder of cases, or the one that it is; in order of their names."""
    found = sorted(path.parent for path in folder.glob("**/meta.json"))
    return (case(path) for path in found)


def case(folder: Path) -> Case:
    """One case. Raises OSError, ValueError (a table or the JSON is none)."""
    told = json.loads((folder / "meta.json").read_text())
    rows = [row(one) for one in table(folder / "train.csv")]
    groups = told.get("parallel", {}).get("groups")
    shown = [one["t"] for one in table(folder / "tb.csv")]
    return Case(
        name=folder.name,
        plan=plan(told),
        rows=rows,
        evaluations=evaluations(table(folder / "eval.csv")),
        losses=rank_table(table(folder / "ranks.csv"), groups),
        times=rank_table(table(folder / "rank_time.csv"), groups),
        end=float(told.get("t_end") or (rows[-1].t if rows else 0.0) or 0.0),
        expects=bool(told.get("tb_expected")),
        shown=min((one for one in shown if one is not None), default=None),
    )


def plan(told: Mapping[str, object]) -> Plan:
    """What ``meta.json`` says of the run."""

    def number(name: str) -> float:
        value = told.get(name)
        return float(value) if isinstance(value, int | float) else 0.0

    events = told.get("events")
    declared = [Declared(int(one["step"]), str(one["kind"])) for one in (events if isinstance(events, list) else [])]
    return Plan(int(number("total_steps")), int(number("warmup")), number("li") or 1.0, tuple(declared))


def table(path: Path) -> list[dict[str, float | None]]:
    """Rows of a table by their columns; empty where there is no such file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [{name: float(text) if text else None for name, text in one.items()} for one in csv.DictReader(file)]


def row(cells: Mapping[str, float | None]) -> Row:
    """One row of ``train.csv``."""
    step = cells["step"]
    names = ("t", "loss", "lr", "grad_norm", "loss_scale", "step_time", "gbs")
    return Row(int(step or 0), overflow=bool(cells.get("overflow")), **{name: cells.get(name) for name in names})


def evaluations(rows: Sequence[Mapping[str, float | None]]) -> list[Evaluation]:
    """Those that have a loss, in the order in which they were told."""
    known = [(one.get("t"), one.get("step"), one.get("eval_loss")) for one in rows]
    found = [Evaluation(int(step or 0), t, loss) for t, step, loss in known if loss is not None]
    return sorted(found, key=lambda one: one.t or 0.0)


def rank_table(rows: Sequence[Mapping[str, float | None]], groups: Sequence[Sequence[int]] | None) -> RankTable | None:
    """What all ranks say; all of them are one group where nothing else is told."""
    if not rows:
        return None
    count = len(rows[0]) - 1
    values = [[one[f"r{rank}"] for rank in range(count)] for one in rows]
    return RankTable([int(one["step"] or 0) for one in rows], values, groups or [list(range(count))])
