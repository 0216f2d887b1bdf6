"""``GET /api/runs/<run>/curves``: all curves that a page draws, of one window, in one answer of columns."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from typing import Literal

import numpy as np
from flask import Response
from werkzeug.datastructures import MultiDict

from app.api.answers import Json, Refused
from app.api.arguments import only, whole, yes
from app.api.series import MOST_POINTS, OCTETS, POINTS, attempt_asked, known_run, no_attempt, source_asked
from app.language import gettext as _
from app.reader import Reader, Wanted, default_rank, members
from app.series.attempts import Timeline
from app.series.curve import Curve
from app.series.draw import Drawn, draw
from app.series.folded import Folded, folded, within
from app.series.overview import whole_number
from app.series.parts import Line, between, during
from app.series.stitch import abandoned
from app.stored import RunStore, StoredRun
from collector.wire.metrics import METRICS
from collector.wire.records import Source

MOST_CURVES = 200  # of one question; a page shows some ten
GHOSTS = 5  # newest attempts whose abandoned tails are told
GHOST_POINTS = 500  # of each tail: a thin line behind the curve
ARGUMENTS = ("metric", "tag", "rank", "source", "attempt", "start", "end", "since", "until", "points", "ghosts")


@dataclass(frozen=True, slots=True)
class Asked:
    """One curve as the question spells it; ``rank`` None = the one that speaks for the run."""

    text: str
    is_tag: bool


@dataclass(frozen=True, slots=True)
class Question:
    """The arguments, checked. ``start`` and ``end`` are steps, ``since`` and ``until`` Unix seconds, all inclusive."""

    asked: Sequence[Asked]
    rank: int | None
    source: Source | None
    attempt: int | Literal["all", "latest"]
    start: int | None
    end: int | None
    since: float | None
    until: float | None
    points: int
    ghosts: bool

    def window(self, line: Line) -> Line:
        """What of the line is asked for."""
        return during(between(line, self.start, self.end), self.since, self.until)


def parse(arguments: MultiDict[str, str]) -> Question:
    """The question; Refused 400 when an argument makes no sense, also one that nobody knows."""
    only(arguments, ARGUMENTS)
    asked = [Asked(text, name == "tag") for name in ("metric", "tag") for text in arguments.getlist(name)]
    if not 0 < len(asked) <= MOST_CURVES:
        said = _("One to %(most)d of metric= and tag= are needed, such as metric=loss&metric=lr.", most=MOST_CURVES)
        raise Refused(400, said)
    single = {name: arguments[name] for name in arguments if name not in ("metric", "tag")}
    points = whole(single, "points", at_least=0)
    question = Question(
        asked=asked,
        rank=whole(single, "rank", at_least=0),
        source=source_asked(single),
        attempt=attempt_asked(single.get("attempt", "latest")),
        start=whole(single, "start"),
        end=whole(single, "end"),
        since=_seconds(single, "since"),
        until=_seconds(single, "until"),
        points=POINTS if points is None else min(points, MOST_POINTS),
        ghosts=yes(single, "ghosts"),
    )
    if {"start", "end"} & set(single) and {"since", "until"} & set(single):
        raise Refused(400, _("A window is either of steps (start=, end=) or of time (since=, until=)."))
    return question


def _seconds(arguments: Mapping[str, str], name: str) -> float | None:
    text = arguments.get(name)
    if text is None:
        return None
    # 1795961307.58 · -12
    if not re.fullmatch(r"-?[0-9]{1,15}(\.[0-9]{1,9})?", text):
        said = _("%(name)s=%(text)s is not a time in Unix seconds such as 1795961307.5.", name=name, text=repr(text))
        raise Refused(400, said)
    return float(text)


@dataclass(frozen=True, slots=True)
class Found:
    """One curve that there is: what it is, and all of it in the attempt that is asked for."""

    text: str
    wanted: Wanted
    every: Line  # of all attempts
    line: Line
    folded: Folded  # of the window


def curves(store: RunStore, reader: Reader, run_id: str, arguments: MultiDict[str, str]) -> Response:
    """The answer. Raises Refused, StoreAway."""
    question = parse(arguments)
    run = known_run(store, run_id)
    known = reader.timeline(run)
    if isinstance(question.attempt, int) and question.attempt > max(1, len(known.attempts)):
        raise no_attempt(run, len(known.attempts), question.attempt)
    wanted = [(one.text, _wanted(run, one, question)) for one in question.asked]
    reader.prepare(run, [one for _, one in wanted if one is not None], known)
    found = [_found(reader, run, known, text, one, question) for text, one in wanted if one is not None]
    drawn = [draw(question.window(one.line), question.points, flags=_is_flag(one.wanted)) for one in found]
    ghosts = [ghost for one in found for ghost in _ghosts(one, question, known.first_steps)]
    told: dict[str, Json] = {
        **_run(run, known, found),
        "curves": [_curve(one, it) for one, it in zip(found, drawn, strict=True)],
        "ghosts": [{"name": name, "attempt": attempt, "n": len(curve)} for name, attempt, curve in ghosts],
        "missing": [text for text, one in wanted if one is None],
    }
    return Response(packed(told, [*(one.curve for one in drawn), *(curve for _, _, curve in ghosts)]), mimetype=OCTETS)


def _wanted(run: StoredRun, asked: Asked, question: Question) -> Wanted | None:
    """What the text means; None when the run has nothing of that name, rank and source. A name that is spelled like a
    rank's prefix is that name when the run has it."""
    # r3:local_loss → 3 · local_loss
    spelled = re.fullmatch(r"r([0-9]{1,9}):(.+)", asked.text, re.DOTALL)
    names = [(asked.text, question.rank)]
    if spelled:
        names.append((spelled[2], int(spelled[1])))
    for name, rank in names:
        rank = default_rank(run, name, is_tag=asked.is_tag) if rank is None else rank
        wanted = Wanted(name, asked.is_tag, rank, question.source)
        if members(run, wanted):
            return wanted
    return None


def _found(reader: Reader, run: StoredRun, known: Timeline, text: str, wanted: Wanted, question: Question) -> Found:
    every = line = reader.line(run, wanted, known)
    if question.attempt != "all":
        line = reader.line(run, wanted, known, attempt=question.attempt)
    window = within(question.start, question.end, question.since, question.until)
    return Found(text, wanted, every, line, folded(reader.folded(run, wanted, known), known, question.attempt, window))


def _is_flag(wanted: Wanted) -> bool:
    return wanted.name == "overflow" and not wanted.is_tag


def _ghosts(found: Found, question: Question, first_steps: Sequence[int]) -> list[tuple[str, int, Curve]]:
    """The abandoned tails of one curve in the window, newest attempt last; of the stitched curve alone."""
    if not question.ghosts or question.attempt != "latest":
        return []
    oldest = max(1, len(first_steps) - GHOSTS)
    tails = [
        (attempt, question.window(abandoned(found.every, attempt, first_steps)))
        for attempt in range(oldest, len(first_steps))
    ]
    return [(found.text, attempt, draw(tail, GHOST_POINTS).curve) for attempt, tail in tails if len(tail)]


def _run(run: StoredRun, known: Timeline, found: Sequence[Found]) -> dict[str, Json]:
    """What holds for all curves. ``stream`` is where to go on from: nothing lies between it and the points."""
    samples, length = (whole_number(run.facts.get(name, "")) for name in ("global_batch_size", "seq_length"))
    began = [one for one in (_began(it.line) for it in found) if one is not None]
    started = known.attempts[0].started if known.attempts else None
    return {
        "run": run.id,
        "stream": run.position,
        "step": max((one.last_step for one in known.attempts[-1:]), default=None),
        "first_step": min(known.first_steps, default=None),
        "began": began[0] if began else started,
        "attempts": [{**asdict(one)} for one in known.attempts],
        "axes": {
            "samples_per_step": samples,
            "tokens_per_step": samples * length if samples is not None and length is not None else None,
        },
    }


def _began(line: Line) -> float | None:
    wall = float(line.pieces[0].curve().walls[0]) if line.pieces else float("nan")
    return wall if np.isfinite(wall) else None


def _curve(found: Found, drawn: Drawn) -> Json:
    metric = METRICS.get(found.wanted.name) if not found.wanted.is_tag else None
    return {
        "name": found.text,
        "kind": "tag" if found.wanted.is_tag else "metric",
        "rank": found.wanted.rank,
        "unit": metric.unit if metric else "",
        "n": len(drawn.curve),
        "total": drawn.total + found.folded.hidden,
        "drawn": len(drawn.curve),
        "nan": drawn.nan + found.folded.nan,
        "inf": drawn.inf + found.folded.inf,
        "folded": found.folded.points,
        "lone_hidden": drawn.hidden_lone,
        "began": _began(found.line),
        "first_step": int(drawn.curve.steps[0]) if drawn.total else None,
        "last_step": int(drawn.curve.steps[-1]) if drawn.total else None,
        "spans": [list(astuple(one)) for one in drawn.spans],
        "spans_hidden": drawn.hidden_spans,
    }


def packed(told: Mapping[str, Json], columns: Sequence[Curve]) -> bytes:
    """One body: the length of the JSON as u32, the JSON, and each curve's columns, each of them from a multiple of
    eight bytes on; little endian."""
    text = json.dumps(told, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    parts = [_padded(struct.pack("<I", len(text)) + text)]
    return b"".join([*parts, *(_padded(_columns(one)) for one in columns)])


def _columns(curve: Curve) -> bytes:
    numbers = [column.astype("<f8").tobytes() for column in (curve.steps, curve.walls, curve.values)]
    return b"".join([*numbers, curve.attempts.astype("<i4").tobytes(), curve.sources.tobytes()])


def _padded(part: bytes) -> bytes:
    return part + bytes(-len(part) % 8)
