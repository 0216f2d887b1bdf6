"""Recorded cases as files: ``meta.json`` and CSV tables, or one CSV table alone: what ``replay`` reads. The adapter of
files.

``train.csv`` has step,t,loss,lr,grad_norm and perhaps loss_scale,overflow,step_time,gbs in console order; a table alone
may have eval_loss too, and need not have t; ``eval.csv``
step,t,eval_loss; ``ranks.csv`` and ``rank_time.csv`` step,r0..rN; ``tb.csv`` step,t,loss. Empty is missing.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


class BadCase(Exception):
    """A sentence for whoever named the cases: what, where, what next."""


def cases_below(path: Path) -> Iterator[Case]:
    """Every case in a folder of cases, or the one that the folder is, by their names; else every CSV table in it, or
    the table that it is. Raises BadCase."""
    if not path.exists():
        raise BadCase(f"{path} does not exist: name a folder of cases, one case, or a CSV table.")
    folders = sorted(found.parent for found in path.glob("**/meta.json")) if path.is_dir() else []
    tables = [] if folders else sorted(path.glob("*.csv")) if path.is_dir() else [path]
    if not folders and not tables:
        raise BadCase(f"{path} holds no case: a case is a folder with meta.json and train.csv, or a CSV table.")
    return (case(one) if one.is_dir() else lone(one) for one in folders or tables)


def case(folder: Path) -> Case:
    """One case. Raises BadCase."""
    try:
        told = json.loads((folder / "meta.json").read_text())
    except (OSError, ValueError) as error:
        raise BadCase(f"{folder / 'meta.json'} cannot be read ({error}): give the JSON of a case.") from None
    if not isinstance(told, dict):
        raise BadCase(f"{folder / 'meta.json'} is no JSON object: give what is known of the run by name.")
    try:
        return _described(folder, told)
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        raise BadCase(f"{folder} is no case ({type(error).__name__}: {error}): compare it with one that is.") from None


def _described(folder: Path, told: Mapping[str, Any]) -> Case:
    rows = [row(one) for one in table(folder / "train.csv", "step")]
    groups = told.get("parallel", {}).get("groups")
    shown = [one["t"] for one in table(folder / "tb.csv", "t")]
    return Case(
        name=folder.name,
        plan=plan(told),
        rows=rows,
        evaluations=evaluations(table(folder / "eval.csv", "step")),
        losses=rank_table(table(folder / "ranks.csv", "step"), groups),
        times=rank_table(table(folder / "rank_time.csv", "step"), groups),
        end=float(told.get("t_end") or (rows[-1].t if rows else 0.0) or 0.0),
        expects=bool(told.get("tb_expected")),
        shown=min((one for one in shown if one is not None), default=None),
    )


def lone(path: Path) -> Case:
    """The case of a table alone, of whose run nothing else is known. Raises BadCase."""
    found = table(path, "step")
    rows = [row(one) for one in found]
    end = rows[-1].t if rows else None
    return Case(path.name, Plan(), rows, evaluations(found), None, None, end or 0.0, expects=False, shown=None)


def plan(told: Mapping[str, object]) -> Plan:
    """What ``meta.json`` says of the run."""

    def number(name: str) -> float:
        value = told.get(name)
        return float(value) if isinstance(value, int | float) else 0.0

    events = told.get("events")
    declared = [Declared(int(one["step"]), str(one["kind"])) for one in (events if isinstance(events, list) else [])]
    return Plan(int(number("total_steps")), int(number("warmup")), number("li") or 1.0, tuple(declared))


def table(path: Path, needed: str) -> list[dict[str, float | None]]:
    """Rows of a table by their columns; empty where there is no such file. Raises BadCase, also where a row has no
    value in the column ``needed``."""
    if not path.exists():
        return []
    try:
        with path.open(newline="") as file:
            return [cells(one, needed) for one in csv.DictReader(file)]
    except (OSError, ValueError, csv.Error) as error:
        raise BadCase(f"{path} cannot be read ({error}): give a CSV table of numbers with a head.") from None


def cells(texts: Mapping[str, str | None], needed: str) -> dict[str, float | None]:
    """One row of a table. Raises ValueError."""
    found = {name: float(text) if text else None for name, text in texts.items()}
    value = found.get(needed)
    if value is None or not math.isfinite(value):
        raise ValueError(f"a row without {needed}")
    return found


def row(told: Mapping[str, float | None]) -> Row:
    """One row of ``train.csv``."""
    names = ("t", "loss", "lr", "grad_norm", "loss_scale", "step_time", "gbs")
    return Row(int(told["step"] or 0), overflow=bool(told.get("overflow")), **{name: told.get(name) for name in names})


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
