"""``GET /api/runs/<run>/ranks``: what every rank says of one metric, as a map of ranks and steps."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from flask import Response

from app.api.answers import Json, Refused, answer
from app.api.arguments import not_one_of, one_of, only, whole
from app.api.rank_rows import about, cells, columns, fold_rows, matrices_of_folds, numbers, packed, rank_rows
from app.api.series import OCTETS, attempt_asked, listed, no_attempt, no_run
from app.faults import Faults
from app.grids import Grids, Shown
from app.hosts import Hosts
from app.language import gettext as _
from app.names import SeriesKey, names_of
from app.pasts import Pasts
from app.reader import Reader
from app.series.curve import Flags
from app.series.ranks.fold import Level, fold, parting
from app.stored import LeanRun, RunStore
from app.surveys import Surveyed, Surveys
from collector.wire.records import RunId

COLUMNS = 500  # what a map of usual width can show
MOST_COLUMNS = 10_000
MOST_CELLS = 4_000_000  # of an answer in words; as columns there is no limit
LEVELS: Mapping[str, Level | None] = {"none": None, "node": "node", "stage": "stage", "group": "group"}
ARGUMENTS = ("metric", "tag", "start", "end", "columns", "attempt", "ranks", "fold", "form", "older")
OLDER = ("left", "joined")  # what becomes of columns that are too many to be held: left out, or several put into one
FORMS = ("accept", "columns")  # as the header Accept says, or as columns: a link that preloads can name no header
PREFERRED = ("local_loss", "device_local_loss", "device_local_norm", "loss")  # shown when nothing is asked for


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for: a metric, a tag, or (``name`` None) the first metric there is of PREFERRED; stitched over
    attempts (None) or of one."""

    name: str | None
    is_tag: bool
    attempt: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """The arguments, checked."""

    asked: Asked
    start: int | None
    end: int | None
    columns: int
    ranks: Sequence[tuple[int, int]]  # empty = all
    fold: Sequence[Level | None]  # of several the first that parts the ranks counts, else the last
    is_columns: bool
    is_joined: bool

    def chosen(self, ranks: Sequence[int]) -> Flags:
        """Which of the ranks are asked for."""
        at = np.asarray(ranks)
        found = np.zeros(len(at), np.bool_)
        for first, last in self.ranks:
            found |= (at >= first) & (at <= last)
        return found if self.ranks else ~found


@dataclass(frozen=True, slots=True)
class Parts:
    """What the answers are made with."""

    store: RunStore
    reader: Reader
    grids: Grids
    surveys: Surveys
    pasts: Pasts
    hosts: Hosts
    faults: Faults


def parse(arguments: Mapping[str, str]) -> Question:
    """The question; Refused 400 when an argument makes no sense, also one that nobody knows."""
    only(arguments, ARGUMENTS)
    columns = whole(arguments, "columns", at_least=1)
    return Question(
        asked=asked_of(arguments),
        start=whole(arguments, "start"),
        end=whole(arguments, "end"),
        columns=COLUMNS if columns is None else min(columns, MOST_COLUMNS),
        ranks=ranks_asked(arguments.get("ranks", "")),
        fold=levels_asked(arguments.get("fold", "none")),
        is_columns=one_of(arguments, "form", FORMS) == "columns",
        is_joined=one_of(arguments, "older", OLDER) == "joined",
    )


def asked_of(arguments: Mapping[str, str]) -> Asked:
    """The metric or tag that the arguments name."""
    if "metric" in arguments and "tag" in arguments:
        raise Refused(400, _("Either metric= or tag= is asked for, not both."))
    attempt = attempt_asked(arguments.get("attempt", "latest"))
    if attempt == "all":
        raise Refused(400, _("attempt=%(text)s is neither latest nor a number from 1.", text=repr("all")))
    name = arguments.get("metric", arguments.get("tag"))
    return Asked(name, "tag" in arguments, None if attempt == "latest" else attempt)


def ranks_asked(text: str) -> Sequence[tuple[int, int]]:
    """``0-7,16`` → first and last of each stretch."""
    # 0-7 · 16
    parts = [re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", one) for one in text.split(",")] if text else []
    if None in parts:
        raise Refused(400, _("ranks=%(text)s is not a list of ranks such as 0-7,16.", text=repr(text)))
    return [(int(one[1]), int(one[2] or one[1])) for one in parts if one]


def levels_asked(text: str) -> Sequence[Level | None]:
    """``node,stage,none`` → each of them; None stands for a row a rank."""
    names = text.split(",")
    if not set(names) <= set(LEVELS):
        raise not_one_of("fold", text, list(LEVELS))
    return [LEVELS[one] for one in names]


def ranks(parts: Parts, run_id: str, arguments: Mapping[str, str], accept: str) -> Response:
    """The answer. Raises Refused, StoreAway."""
    question = parse(arguments)
    is_columns = question.is_columns or OCTETS in accept
    run = known(parts.store, run_id)
    shown = wanted(parts, run, question.asked)
    found, told = _found(parts, run, shown, question)
    mine = found.reduced(question.columns)
    chosen = question.chosen(mine.grid.ranks.tolist())
    mine = mine if chosen.all() else mine.taken(chosen)
    hosts = parts.hosts.of(run)
    level = parting(mine.grid, mine.said.layout, hosts, question.fold)
    told["fold"] = level or "none"
    if level is not None:
        return _folded(told, mine, level, hosts, in_words=not is_columns)
    rows = rank_rows(mine.said, mine.last, hosts)
    if is_columns:
        return packed(told, "ranks", rows, mine.grid, [mine.grid.values, mine.z], mine.kinds)
    _few(mine.grid.values.size)
    named = [{**json.loads(one), "values": values} for one, values in zip(rows, cells(mine.grid), strict=True)]
    return answer({**told, **columns(mine.grid), "ranks": named})


def _found(parts: Parts, run: LeanRun, shown: Shown, question: Question) -> tuple[Surveyed, dict[str, Json]]:
    """The columns of the window and what holds for all of them."""
    if not question.is_joined:
        found = parts.surveys.of(run, shown, question.start, question.end)
        return found, {**about(run, shown, found), "joined_before": None}
    whole = parts.pasts.of(run, shown, question.start, question.end)
    counted = {"total_columns": whole.total, "joined_before": whole.joined}
    return whole.found, {**about(run, shown, whole.found), **counted}


def _folded(
    told: dict[str, Json], mine: Surveyed, level: Level, hosts: Mapping[int, str], *, in_words: bool
) -> Response:
    folded = fold(mine.grid, mine.said.layout, hosts, level, z=mine.z, kinds=mine.kinds)
    rows = fold_rows(folded, mine.said.verdicts)
    matrices = matrices_of_folds(folded)
    if not in_words:
        texts = [json.dumps(row, ensure_ascii=False) for row in rows]
        return packed(told, "rows", texts, mine.grid, list(matrices.values()), folded.kinds)
    _few(4 * folded.mid.size)
    words = {name: numbers(matrix) for name, matrix in matrices.items()}
    named = [{**row, **{name: words[name][place] for name in words}} for place, row in enumerate(rows)]
    return answer({**told, **columns(mine.grid), "rows": named})


def _few(count: int) -> None:
    if count > MOST_CELLS:
        said = _("%(count)d cells are too many for JSON; ask with Accept: %(type)s.", count=count, type=OCTETS)
        raise Refused(400, said)


def known(store: RunStore, run_id: str) -> LeanRun:
    """The run, or Refused 404 with the runs there are."""
    run = store.lean(RunId(run_id))
    if run is None:
        raise no_run(store, run_id)
    return run


def wanted(parts: Parts, run: LeanRun, asked: Asked) -> Shown:
    """What is shown; Refused 404 when the run has nothing of that name, or no such attempt."""
    names = names_of(SeriesKey(run.series), is_tag=asked.is_tag)
    name = asked.name or next((one for one in PREFERRED if one in names), None)
    if name is None or name not in names:
        raise _no_name(run, asked, name)
    attempts = len(parts.reader.timeline(run).attempts) if asked.attempt else 0
    if asked.attempt is not None and asked.attempt > max(1, attempts):
        raise no_attempt(run, attempts, asked.attempt)
    return Shown(name, asked.is_tag, asked.attempt)


def _no_name(run: LeanRun, asked: Asked, name: str | None) -> Refused:
    own: dict[str, set[int | None]] = {}
    for meta in run.series.values():
        one = meta.tag if asked.is_tag else meta.metric
        if one is not None:
            own.setdefault(one, set()).add(meta.rank)
    per_rank = sorted(one for one, ranks in own.items() if len(ranks) > 1) or sorted(own)
    said = listed(_("known per rank"), per_rank)
    if name is None:
        return Refused(404, _("Run %(run)s has no metric per rank; %(known)s.", run=repr(run.id), known=said))
    told = {"run": repr(run.id), "name": repr(name), "known": said}
    if asked.is_tag:
        return Refused(404, _("Run %(run)s has no tag %(name)s; %(known)s.", **told))
    return Refused(404, _("Run %(run)s has no metric %(name)s; %(known)s.", **told))
