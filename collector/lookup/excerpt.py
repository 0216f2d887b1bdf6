"""The answer to one question about a run's logs: a few raw lines, and from where to go on."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from collector.lookup.lines import Line, after, before
from collector.lookup.search import Searched, search
from collector.lookup.volume import Volume
from collector.lookup.whereabouts import CLOCK, Spot, clock_of, first_at_least, whereabouts
from collector.wire.question import Json, LogQuestion
from collector.wire.schema import ANSWER_BYTES

NUMBERED = 2**20  # bytes from a file's beginning on in which lines are numbered: counting reads all before
MOST_LINES = 500  # on each side
_ROOM = ANSWER_BYTES - 4096  # for the lines; the rest of an answer is small
_PER_LINE = 120  # bytes of a line's other fields


@dataclass(frozen=True, slots=True)
class Log:
    """One of the logs that a question names, opened; ``wall`` as in ``LogAsked``."""

    volume: Volume
    wall: float | None


@dataclass(frozen=True, slots=True)
class Excerpt:
    """``lines`` in order; ``found`` is the one that was asked for; ``searched`` an offset from which to search on."""

    volume: Volume
    lines: Sequence[Line]
    found: Line | None = None
    searched: int | None = None


def excerpt(question: LogQuestion, logs: Sequence[Log], late: Callable[[], bool]) -> dict[str, Json]:
    """The answer without the host, as the API gives it; ``logs`` are those of the question that hold something, not
    empty."""
    return told(_excerpt(question, logs, late))


def _excerpt(question: LogQuestion, logs: Sequence[Log], late: Callable[[], bool]) -> Excerpt:
    placed = _placed(question.start, logs)
    if placed is not None:
        volume, offset = placed
        return _searched(question, volume, offset, late) if question.find else _page(question, volume, offset)
    log, spot = _best(question, logs, late)
    if question.find:
        at = spot.line.offset if spot else None
        start = at if at is not None else 0 if question.direction == "next" else log.volume.size
        return _around(question, log.volume, search_from(question, log.volume, start, late))
    if spot is None:  # nothing was asked for, or nothing tells where it is: the newest lines
        return Excerpt(log.volume, before(log.volume, log.volume.size, question.before + question.after))
    return _around(question, log.volume, Searched(spot.line))


def _placed(position: str, logs: Sequence[Log]) -> tuple[Volume, int] | None:
    if not position:
        return None
    offsets = ((log.volume, log.volume.offset_of(position)) for log in logs)
    return next(((volume, offset) for volume, offset in offsets if offset is not None), None)


def _best(question: LogQuestion, logs: Sequence[Log], late: Callable[[], bool]) -> tuple[Log, Spot | None]:
    """The log that is nearest to what is asked for; of equal ones the first."""
    best: tuple[Log, Spot] | None = None
    for log in logs:
        spot = None
        if question.step is not None:
            spot = whereabouts(log.volume, question.step, log.wall, late)
        elif log.wall is not None and (line := first_at_least(log.volume, CLOCK, log.wall)):
            spot = Spot(line, abs((clock_of(line.data) or 0.0) - log.wall))
        if spot is not None and (best is None or spot.off < best[1].off):
            best = log, spot
        if (best is not None and best[1].off == 0) or late():
            break
    return best or (logs[0], None)


def search_from(question: LogQuestion, volume: Volume, start: int, late: Callable[[], bool]) -> Searched:
    """What the question looks for, from an offset on."""
    return search(volume, question.find, start, forward=question.direction == "next", late=late)


def _searched(question: LogQuestion, volume: Volume, offset: int, late: Callable[[], bool]) -> Excerpt:
    """Search on behind, or in front of, the line at ``offset``."""
    start = _behind(volume, offset) if question.direction == "next" else offset
    return _around(question, volume, search_from(question, volume, start, late))


def _page(question: LogQuestion, volume: Volume, offset: int) -> Excerpt:
    if question.direction == "next":
        return Excerpt(volume, after(volume, _behind(volume, offset), question.after))
    return Excerpt(volume, before(volume, offset, question.before))


def _behind(volume: Volume, offset: int) -> int:
    return next((one.next for one in after(volume, offset, 1)), volume.size)


def _around(question: LogQuestion, volume: Volume, searched: Searched) -> Excerpt:
    line = searched.line
    if line is None:
        return Excerpt(volume, (), None, searched.until)
    lines = [*before(volume, line.offset, question.before), *after(volume, line.offset, question.after + 1)]
    return Excerpt(volume, lines, line)


def told(found: Excerpt) -> dict[str, Json]:
    """The excerpt for JSON, at most ANSWER_BYTES of it: what is furthest from the line asked for is left out."""
    volume = found.volume
    lines = _fitting(found)
    numbers = _numbers(volume, lines)
    centre = found.found or (lines[0] if lines else None)
    return {
        "file": volume.file_of(centre.offset if centre else volume.size)[0],
        "lines": [_line(volume, one, number, found.found) for one, number in zip(lines, numbers, strict=True)],
        "first": volume.position(lines[0].offset) if lines else None,
        "last": volume.position(lines[-1].offset) if lines else None,
        "found": volume.position(found.found.offset) if found.found else None,
        "searched": None if found.searched is None else volume.position(found.searched),
        "more_before": bool(lines) and lines[0].offset > 0,
        "more_after": bool(lines) and lines[-1].next < volume.size,
    }


def _line(volume: Volume, line: Line, number: int | None, found: Line | None) -> dict[str, Json]:
    match = found is not None and line.offset == found.offset
    offset = volume.file_of(line.offset)[1]
    return {"number": number, "offset": offset, "text": line.text, "step": line.step, "match": match}


def _fitting(found: Excerpt) -> Sequence[Line]:
    lines = found.lines
    if not lines:
        return lines
    at = next((index for index, one in enumerate(lines) if found.found and one.offset == found.found.offset), None)
    centre = len(lines) - 1 if at is None else at
    order = sorted(range(len(lines)), key=lambda index: abs(index - centre))
    room, kept = _ROOM, {centre}
    for index in order:
        room -= len(json.dumps(lines[index].text)) + _PER_LINE
        if room < 0:
            break
        kept.add(index)
    return [lines[index] for index in range(min(kept), max(kept) + 1) if index in kept]


def _numbers(volume: Volume, lines: Sequence[Line]) -> list[int | None]:
    """Line numbers as an editor counts them, where that is cheap: near the beginning of one file."""
    if not lines:
        return []
    file, inside = volume.file_of(lines[0].offset)
    if inside > NUMBERED or volume.file_of(lines[-1].offset)[0] != file:
        return [None] * len(lines)
    number = 1 + volume.read(lines[0].offset - inside, inside).count(b"\n")
    numbers: list[int | None] = []
    at = lines[0].offset
    if lines[-1].offset - at > NUMBERED:  # a hole lies between
        return [None] * len(lines)
    for line in lines:
        number += volume.read(at, line.offset - at).count(b"\n") if line.offset > at else 0
        numbers.append(number)
        number += line.end.count(b"\n")
        at = line.next
    return numbers
