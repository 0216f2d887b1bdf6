"""Text logs: ``info.log``, ``worker_N.log`` and any other log of the same lines, from MindFormers 0.3 to 2.1.

Lines that cannot matter are never looked at: a few needles are found in the whole chunk, and only the lines that
hold one are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from collector.parse import log_events, log_record
from collector.parse.log_memory import LogMemory
from collector.parse.log_prefix import clock
from collector.parse.log_text import LONGEST_LINE, Line, line_at, plain, whole_lines
from collector.parse.parsed import Parsed, Restart
from collector.wire.records import ParserState

Rule = Callable[[LogMemory, bytes, Line], None]


def _fact_rule(fact: log_events.Fact) -> Rule:
    return lambda memory, text, line: log_events.read_fact(memory, fact, text, line)


# nearly every line of a training log holds one of these
_STEP = b"step:["
_PROGRESS = b" samples/s/p"
# and these are looked for in what lies between them; a rule of None is a sentence
RARE: tuple[tuple[bytes, Rule | None], ...] = (
    (b"Eval result: ", log_record.read_evaluation),
    (b"_lr: ", log_record.read_group_lr),
    (b'{"step": ', log_record.read_json),
    (b'{ "step": ', log_record.read_norm_step),
    (b'_norm": ', log_record.read_norm),
    *((fact.needle, _fact_rule(fact)) for fact in log_events.FACTS),
    *((needle, None) for needle in log_events.EVENT_NEEDLES),
)


class RankLog:
    """Parser of one rank's log."""

    def parse(self, chunk: bytes, state: ParserState, *, final: bool = False) -> Parsed:
        """Metrics, events and facts of every whole line, up to a line that announces a new start of the job."""
        memory = LogMemory.from_state(state)
        text = plain(chunk)
        end = whole_lines(text, final=final)
        begin = 0
        if memory.long_line and end:
            begin, memory.long_line = text.find(b"\n", 0, end) + 1 or end, False
        restart = _scan(memory, text, begin, end)
        stop, restarted = restart if restart else (end, None)
        if restart is None and len(chunk) - end >= LONGEST_LINE:
            stop, memory.long_line = len(chunk), True
        return Parsed(stop, memory.state(), memory.columns.packed(), memory.events, memory.facts, restarted=restarted)


def _scan(memory: LogMemory, text: bytes, begin: int, end: int) -> tuple[int, Restart] | None:
    """Read every line that holds a needle, in order, up to one that announces a new start after points."""
    heard = log_events.end_traceback(memory, text, begin, end)  # sentences before this offset are told
    for line, rule in _found(memory, text, begin, end):
        _, start, stop = line
        if stop - start >= LONGEST_LINE or (rule is None and start < heard):
            continue
        if rule is not None:
            rule(memory, text, line)
            continue
        if restart := _hear(memory, text[start:stop]):
            return start, restart
        heard = log_events.end_traceback(memory, text, stop + 1, end)
    return None


def _hear(memory: LogMemory, line: bytes) -> Restart | None:
    heard = log_events.sentence_of(line)
    if heard is None:
        return None
    sentence, step = heard
    if sentence.kind in ("start", "resume") and memory.points:
        wall = clock(line, 0, len(line))
        return Restart(None if wall != wall else wall, log_events.told(line))
    log_events.keep_event(memory, sentence, line, step)
    return None


def _found(memory: LogMemory, text: bytes, begin: int, end: int) -> Iterator[tuple[Line, Rule | None]]:
    """Every needle between two offsets with its line and rule, in order of the text. What lies between the dense ones
    is searched for the others; records of one shape are read on the way and not handed out."""
    seen = begin  # all lines before this offset are done
    step_at = bar_at = begin - 1
    while seen < end:
        step_at = step_at if step_at >= seen else _next(text, _STEP, seen, end)
        bar_at = bar_at if bar_at >= seen else _next(text, _PROGRESS, seen, end)
        at = min(step_at, bar_at)
        start, stop = line_at(text, at, end) if at < end else (end, end)
        if start > seen:
            yield from _rare(text, seen, start)
        seen = _alike(memory, text, start, end) if at == step_at else start
        if seen > start or at >= end:
            continue
        if step_at < stop:
            yield (step_at, start, stop), log_record.read_step
        if bar_at < stop:
            yield (bar_at, start, stop), log_record.read_progress
        seen = stop + 1


def _next(text: bytes, needle: bytes, begin: int, end: int) -> int:
    at = text.find(needle, begin, end)
    return end if at < 0 else at


def _alike(memory: LogMemory, text: bytes, start: int, end: int) -> int:
    """Read the records of the known shape from a line on; returns where the line after them begins."""
    after, step = memory.columns.run(text, start, end)
    memory.step = memory.step if step is None else step
    return after


def _rare(text: bytes, begin: int, end: int) -> Iterator[tuple[Line, Rule | None]]:
    hits = sorted((at, rule) for rule, (needle, _) in enumerate(RARE) for at in _offsets(text, needle, begin, end))
    start = stop = -1
    for at, rule in hits:
        if at > stop:
            start, stop = line_at(text, at, end)
        yield (at, start, stop), RARE[rule][1]


def _offsets(text: bytes, needle: bytes, begin: int, end: int) -> list[int]:
    found: list[int] = []
    at = text.find(needle, begin, end)
    while at >= 0:
        found.append(at)
        at = text.find(needle, at + len(needle), end)
    return found
