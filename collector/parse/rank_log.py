"""Text logs: ``info.log``, ``worker_N.log`` and any other log of the same lines, from MindFormers 0.3 to 2.1.

Lines that cannot matter are never looked at: a few needles are found in the whole chunk, and only the lines that
hold one are read.
"""

from __future__ import annotations

from collections.abc import Callable

from collector.parse import log_events, log_record
from collector.parse.log_memory import LogMemory
from collector.parse.log_prefix import clock, message
from collector.parse.log_text import LONGEST_LINE, line_at, plain, shown, whole_lines
from collector.parse.parsed import Parsed, Restart
from collector.wire.records import ParserState

Rule = Callable[[LogMemory, bytes, int, int], None]


def _fact_rule(fact: log_events.Fact) -> Rule:
    return lambda memory, text, at, end: log_events.read_fact(memory, fact, text, at, end)


_RULES: tuple[tuple[bytes, Rule | None], ...] = (
    (b"step:[", log_record.read_step),
    (b" samples/s/p", log_record.read_progress),
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
        return Parsed(stop, memory.state(), memory.packed(), memory.events, memory.facts, restarted=restarted)


def _scan(memory: LogMemory, text: bytes, begin: int, end: int) -> tuple[int, Restart] | None:
    """Read every line that holds a needle, in order, up to one that announces a new start after points."""
    heard = log_events.end_traceback(memory, text, begin, end)  # sentences before this offset are told
    for at, index in _found(text, begin, end):
        rule = _RULES[index][1]
        if rule is None and at < heard:
            continue
        start, stop = line_at(text, at, end)
        if stop - start >= LONGEST_LINE:
            continue
        if rule is not None:
            rule(memory, text, at, end)
            continue
        if restart := _hear(memory, text[start:stop]):
            return start, restart
        heard = log_events.end_traceback(memory, text, stop + 1, end)
    return None


def _hear(memory: LogMemory, line: bytes) -> Restart | None:
    told = log_events.sentence_of(line)
    if told is None:
        return None
    sentence, step = told
    if sentence.kind in ("start", "resume") and memory.points:
        wall = clock(line, 0, len(line))
        return Restart(None if wall != wall else wall, shown(message(line)).strip(". "))
    log_events.keep_event(memory, sentence, line, step)
    return None


def _found(text: bytes, begin: int, end: int) -> list[tuple[int, int]]:
    """Every needle between two offsets, with the index of its rule, in order of the text."""
    found: list[tuple[int, int]] = []
    for index, (needle, _) in enumerate(_RULES):
        at = text.find(needle, begin, end)
        while at >= 0:
            found.append((at, index))
            at = text.find(needle, at + len(needle), end)
    found.sort()
    return found
