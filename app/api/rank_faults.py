"""``GET /api/runs/<run>/ranks/first`` and ``/errors``: to whom something came first, and who died of what."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from app.api.answers import Json
from app.api.arguments import one_of, only, whole
from app.api.ranks import PREFERRED, Parts, asked_of, known, wanted
from app.api.tags import spans
from app.grids import Shown, members_of
from app.names import SeriesKey, names_of
from app.series.ranks import meaning
from app.series.ranks.crowd import Crowd
from app.series.ranks.first import First, Order, What, order
from app.series.ranks.grid import Grid
from app.series.ranks.layout import Layout
from app.series.splice import NOWHERE
from app.stored import LeanRun

WHATS: Mapping[str, What] = {"nan": "nan", "inf": "inf", "spike": "spike", "stall": "stall"}
BESIDE = 4_096  # series of other metrics that are read, too; beyond that only the one that is asked for
# my model.py:1274 train
FRAME = re.compile(r"(?P<file>.*):(?P<line>[0-9]{1,18}) (?P<function>.*)", re.S)


def first(parts: Parts, run_id: str, arguments: Mapping[str, str]) -> dict[str, Json]:
    """The ranks by the step at which it came to them. Raises Refused, StoreAway."""
    only(arguments, ("what", "metric", "tag", "at"))
    what = WHATS[one_of(arguments, "what", list(WHATS))]
    at = whole(arguments, "at") if arguments.get("at") else None
    run = known(parts.store, run_id)
    shown = wanted(parts, run, asked_of(arguments))
    found = order(what, {one.name: _grid(parts, run, one) for one in _together(run, shown, what)}, at)
    if what == "stall" and at is None:
        found = _silent(parts, run, shown, found)
    hosts = parts.hosts.of(run)
    return {
        "run": run.id,
        "what": what,
        "at": found.first[0].step if found.first else None,
        "metric": None if shown.is_tag else shown.name,
        "tag": shown.name if shown.is_tag else None,
        "first": [_first(one, hosts) for one in found.first],
        "followed": [_first(one, hosts) for one in found.followed],
    }


def _silent(parts: Parts, run: LeanRun, shown: Shown, found: Order) -> Order:
    """Of all last steps those of ranks that are silent: the others' files are written at different moments, too."""
    said = parts.surveys.of(run, shown, start=NOWHERE).said
    silent = {one.rank for one in said.verdicts if one.state == "silent"}
    told = [one for one in (*found.first, *found.followed) if one.rank in silent]
    count = sum(one.step == told[0].step for one in told)
    return Order(tuple(told[:count]), tuple(told[count:]))


def _together(run: LeanRun, shown: Shown, what: What) -> Sequence[Shown]:
    """What is looked at: NaN may come to one metric before it comes to another."""
    names = names_of(SeriesKey(run.series), is_tag=False)
    others = [Shown(name, False) for name in PREFERRED if name in names and (name != shown.name or shown.is_tag)]
    count = sum(len(members_of(run, one).sids) for one in others)
    return [shown, *others] if what != "spike" and count <= BESIDE else [shown]


def _grid(parts: Parts, run: LeanRun, shown: Shown) -> Grid:
    """All columns; of a loss those ranks alone that compute it."""
    grid = parts.grids.of(run, shown).grid
    layout = Layout.of(run.facts, grid.ranks.tolist())
    return grid.take(layout.has_loss(grid.ranks)) if meaning.is_loss(shown.name) and layout.pp > 1 else grid


def _first(one: First, hosts: Mapping[int, str]) -> Json:
    return {**asdict(one), "host": hosts.get(one.rank, "")}


def errors(parts: Parts, run_id: str, arguments: Mapping[str, str]) -> dict[str, Json]:
    """Ranks with the same trouble together, the fewest first. Raises Refused, StoreAway."""
    only(arguments, ())
    run = known(parts.store, run_id)
    return {"run": run.id, "groups": [_crowd(one) for one in parts.faults.of(run)]}


def _crowd(one: Crowd) -> Json:
    return {
        "ranks": spans(set(one.ranks)),
        "count": one.count,
        "line": one.line,
        "trace": one.trace if one.trace != one.line else "",
        "frames": [_frame(told) for told in one.frames],
        "first": {"rank": one.first.rank, "step": one.first.step, "wall": one.first.wall},
    }


def _frame(told: str) -> Json:
    """``model.py:1274 train`` → its parts; a log may name a file that is none, with blanks in it."""
    found = FRAME.fullmatch(told)
    if found is None:
        return {"file": told, "line": 0, "function": ""}
    return {"file": found["file"], "line": int(found["line"]), "function": found["function"]}
