"""``GET /api/runs/<run>/log``: raw lines of one rank's log around a step, from the collector that follows it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from app.api.answers import Json, Refused
from app.api.arguments import one_of, only, real, whole
from app.api.series import known_run, listed
from app.language import gettext as _
from app.reader import owner
from app.series.curve import from_block
from app.series.family import clock_at, clocked, logs_of, ranks_with_logs, whole_log
from app.stored import RunStore, StoredRun
from collector.wire.question import Direction, LogAsked, LogQuestion
from collector.wire.records import RunId
from collector.wire.schema import ASK_SECONDS

KNOWN = ("rank", "file", "around", "wall", "before", "after", "find", "direction", "from")
BEFORE, AFTER = 20, 40  # lines when nothing else is asked for
MOST_LINES, MOST_TEXT = 500, 200
DIRECTIONS: tuple[Direction, ...] = ("next", "previous")


@dataclass(frozen=True, slots=True)
class Query:
    """The arguments, checked; ``asked`` lacks the run and its logs."""

    rank: int | None
    file: str | None
    wall: float | None
    asked: LogQuestion


def log(store: RunStore, run_id: str, arguments: Mapping[str, str]) -> dict[str, Json]:
    """The answer. Raises Refused, StoreAway."""
    query = parse(arguments)
    run = known_run(store, run_id)
    rank, files = _logs(run, query)
    asked = tuple(LogAsked(file, _clock(store, run, file, query)) for file in files)
    text = store.ask(replace(query.asked, run=run.id, logs=asked), ASK_SECONDS)
    if text is None:
        raise Refused(503, _silent(run, rank))
    body = cast(dict[str, Json], json.loads(text))
    return {"run": run.id, "rank": rank, **body}


def parse(arguments: Mapping[str, str]) -> Query:
    """The question; Refused 400 when an argument makes no sense."""
    only(arguments, KNOWN)
    find = arguments.get("find", "")
    if len(find) > MOST_TEXT or any(one in find for one in "\n\r\0"):
        raise Refused(400, _("find= is one line of at most %(most)d characters.", most=MOST_TEXT))
    before, after = (_lines(arguments, name, usual) for name, usual in (("before", BEFORE), ("after", AFTER)))
    direction = cast(Direction, one_of(arguments, "direction", DIRECTIONS))
    start = arguments.get("from", "")
    if len(start) > 1000 or (start and "@" not in start):
        said = _("from=%(text)s is not a position that an earlier answer gave.", text=repr(start[:80]))
        raise Refused(400, said)
    step = whole(arguments, "around")
    asked = LogQuestion(
        secrets.token_hex(12), RunId(""), (), step, before, after, find=find, direction=direction, start=start
    )
    return Query(whole(arguments, "rank", at_least=0), arguments.get("file"), real(arguments, "wall"), asked)


def _lines(arguments: Mapping[str, str], name: str, usual: int) -> int:
    count = whole(arguments, name, at_least=0)
    if count is not None and count > MOST_LINES:
        said = _(
            "%(name)s=%(count)d is too many; at most %(most)d lines come at once.",
            name=name,
            count=count,
            most=MOST_LINES,
        )
        raise Refused(400, said)
    return usual if count is None else count


def _logs(run: StoredRun, query: Query) -> tuple[int | None, Sequence[str]]:
    """The rank, and its logs in the order in which they should be looked at; Refused 404 when there are none."""
    speaker = owner(run)
    if query.file is not None:
        return _named(run, query.file, speaker)
    rank = speaker if query.rank is None else query.rank
    files = logs_of(run.cursors, rank, speaks=rank == speaker)
    if query.asked.start:
        file = whole_log(query.asked.start.rpartition("@")[0])
        files = [one for one in files if one == file] or files
    if not files:
        have = listed(_("ranks with one"), [str(one) for one in ranks_with_logs(run.cursors)])
        said = _("Rank %(rank)s of run %(run)s has no log; %(known)s.", rank=rank, run=repr(run.id), known=have)
        raise Refused(404, said)
    return rank, files


def _named(run: StoredRun, file: str, speaker: int | None) -> tuple[int | None, Sequence[str]]:
    found = [one for one in run.cursors.values() if one.source == "log" and whole_log(one.file) == whole_log(file)]
    if not found:
        logs = sorted({whole_log(one.file) for one in run.cursors.values() if one.source == "log"})
        have = listed(_("its logs"), logs)
        said = _("Run %(run)s has no log %(file)s; %(known)s.", run=repr(run.id), file=repr(file), known=have)
        raise Refused(404, said)
    return (speaker if found[0].rank is None else found[0].rank), [whole_log(file)]


def _clock(store: RunStore, run: StoredRun, file: str, query: Query) -> float | None:
    """When this log was at the step that is asked for, by its own clock. Raises StoreAway."""
    step = query.asked.step
    if step is None or query.asked.start:
        return query.wall
    mine = [sid for sid, meta in run.series.items() if meta.source == "log" and whole_log(meta.file) == file]
    counts = dict(zip(mine, store.lengths(run.id, mine), strict=True))
    sids = clocked({sid: run.series[sid] for sid in mine}, counts, file)
    curves = [from_block(block, "log") for block in store.points(run.id, sids)]
    found = clock_at(curves, step, query.wall)
    return query.wall if found is None else found


def _silent(run: StoredRun, rank: int | None) -> str:
    name = repr(run.id)
    whose = _("run %(run)s", run=name) if rank is None else _("rank %(rank)d of run %(run)s", rank=rank, run=name)
    return _(
        "No collector answers for the log of %(whose)s: start `python -m collector follow %(path)s` on the machine "
        "that has the files, or look there whether it still runs.",
        whose=whose,
        path=run.record.path,
    )
