"""Text logs: ``info.log``, ``worker_N.log`` and any other log of the same lines, from MindFormers 0.3 to 2.1, and logs
of other programs as far as their lines name an epoch or a step.

Find, prove, decode: first the lines that thousands share but for their numbers are read at once (``log_rows``). In what
is left a few needles are found, all together (``log_needles``), and only lines that hold one are read, one by one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate

from collector.parse.log import configuration as log_configuration
from collector.parse.log import events as log_events
from collector.parse.log import facts as log_facts
from collector.parse.log import monitor as log_monitor
from collector.parse.log import record as log_record
from collector.parse.log.memory import LogMemory
from collector.parse.log.needles import Hit, Phrases, anchors
from collector.parse.log.other import read_other
from collector.parse.log.rows import Reader, Rows
from collector.parse.log.sentences import NEEDLES
from collector.parse.log.shape import Shape
from collector.parse.log.text import LONGEST_LINE, Line, line_at, plain, whole_lines
from collector.parse.parsed import Parsed, Restart
from collector.wire.records import ParserState

Rule = Callable[[LogMemory, bytes, Line], None]
_FIRST_BLOCK, _BLOCK = 1 << 16, 1 << 21  # bytes that are read at once
_MOST_NEEDLES = 100  # of one line
_LONGEST_SENTENCE = 4096  # bytes from its first needle on


def _fact_rule(fact: log_facts.Fact) -> Rule:
    return lambda memory, text, line: log_facts.read_fact(memory, fact, text, line)


# what a needle leads to; the others are sentences or anchors of a record
RULES: dict[bytes, Rule] = {
    b"Eval result: ": log_monitor.read_evaluation,
    b"default_lr: ": log_monitor.read_group_lr,
    b"_params: [": log_monitor.read_group_lr,
    b'_norm": ': log_monitor.read_norm,
    **{fact.needle: _fact_rule(fact) for fact in log_facts.FACTS},
    **dict.fromkeys(log_configuration.NEEDLES, log_configuration.read_configuration),
    b"/s/p": log_monitor.read_progress,
    b"lr:[": log_monitor.read_bare_rate,
}
_PLACES = frozenset((b"step", b"iter", b"poch"))  # anchors near which a record tells where it stands
_SENTENCES = frozenset(NEEDLES)
PHRASES = Phrases(dict.fromkeys((*(needle for needle in RULES if len(needle) > 4), *NEEDLES)))


class RankLog:
    """Parser of one rank's log. It remembers the shapes of the last chunk, of whatever file: with them the next one is
    read sooner, and as it would be without."""

    def __init__(self) -> None:
        self._shapes: tuple[Shape, ...] = ()

    def parse(self, chunk: bytes, state: ParserState, *, final: bool = False) -> Parsed:
        """Metrics, events and facts of every whole line, up to a line that announces a new start of the job."""
        memory = LogMemory.from_state(state)
        text = plain(chunk)
        end = whole_lines(text, final=final)
        begin = 0
        if memory.long_line and end:
            begin, memory.long_line = text.find(b"\n", 0, end) + 1 or end, False
        reader = Reader(PHRASES, list(self._shapes))
        stop, restarted = _scan(memory, reader, text, begin, end)
        self._shapes = tuple(reader.used or self._shapes)
        if restarted is None and len(chunk) - end >= LONGEST_LINE:
            stop, memory.long_line = len(chunk), True
        return Parsed(
            stop,
            memory.state(),
            memory.columns.packed(),
            memory.told_events(),
            memory.facts,
            memory.counts,
            restarted=restarted,
        )


def _scan(memory: LogMemory, reader: Reader, text: bytes, begin: int, end: int) -> tuple[int, Restart | None]:
    """Read the lines between two offsets up to one that announces a new start, a block at a time: small ones at the
    beginning of a generation, so that one which is soon followed by another costs little. From the first epoch 0 on,
    nothing is read at once, since until then epochs seemed to count from 1."""
    restart, size = None, _FIRST_BLOCK if memory.step is None else _BLOCK
    while begin < end and restart is None:
        stop = text.find(b"\n", min(begin + size, end), end) + 1 or end
        rows = reader.read(memory, text, begin, stop)
        begin, restart = _read(memory, rows, text, begin, stop)
        if rows is not None:
            _pass(memory, rows, begin)
            rows.emit(memory.columns, begin)
        size = min(2 * size, _BLOCK)
    return begin, restart


def _read(memory: LogMemory, rows: Rows | None, text: bytes, begin: int, end: int) -> tuple[int, Restart | None]:
    log_events.end_traceback(memory, text, begin, end)
    for (start, stop), hits in _lines(rows, text, begin, end):
        if stop - start >= LONGEST_LINE:
            continue
        if rows is not None:
            _pass(memory, rows, start)
        memory.at = start
        sentence = _sentence(text, start, stop, hits) if start >= memory.heard else b""
        if sentence and (restart := log_events.new_start(memory, sentence)):
            return start, restart  # before anything of the line is kept: the next generation reads it again
        _read_line(memory, text, start, stop, hits)
        if sentence:
            log_events.hear(memory, sentence)
            log_events.end_traceback(memory, text, stop + 1, end)
        if rows is not None and memory.epochs.zero_based:
            return stop + 1, None
    return end, None


def _sentence(text: bytes, start: int, stop: int, hits: list[Hit]) -> bytes:
    """What of a line may be a sentence: all of it, of a long one what stands about the phrase, mostly nothing."""
    said = next((hit.at for hit in hits if hit.needle in _SENTENCES), None)
    if said is None:
        return b""
    begins = start if said - start < _LONGEST_SENTENCE else said
    return text[begins : min(stop, said + _LONGEST_SENTENCE)]


def _read_line(memory: LogMemory, text: bytes, start: int, stop: int, hits: list[Hit]) -> None:
    """Read the metrics and facts of a line."""
    placed = False
    for hit in hits[:_MOST_NEEDLES]:
        line = (hit.at, start, stop)
        if hit.needle not in _PLACES:
            if rule := RULES.get(hit.needle):
                rule(memory, text, line)
        elif not placed:
            placed = True
            _read_placed(memory, text, line)


def _read_placed(memory: LogMemory, text: bytes, line: Line) -> None:
    """A line that holds ``step``, ``iter`` or ``epoch``, the first of them at ``line[0]``: a record of some form."""
    at, start, stop = line
    if text.find(log_record.ANCHOR, at, stop) >= 0 and log_record.read_records(memory, text, start, stop):
        return
    for needle, read in _QUOTED:
        if (found := text.find(needle, max(start, at - 3), stop)) >= 0:
            read(memory, text, found, start, stop)
            return
    if not log_monitor.read_epoch_time(memory, text, line):
        read_other(memory, text, line)


_QUOTED = ((b'{"step": ', log_monitor.read_json), (b'{ "step": ', log_monitor.read_norm_step))


def _pass(memory: LogMemory, rows: Rows, offset: int) -> None:
    """Take the step of the last record that was read at once before an offset, if that is the last one of all."""
    last = rows.last_before(offset)
    if last is not None and last[0] > memory.at:
        memory.step, memory.points = last[1], True


def _lines(rows: Rows | None, text: bytes, begin: int, end: int) -> Iterator[tuple[tuple[int, int], list[Hit]]]:
    """Every line that is left to be read and holds a needle, with its needles in order; in order of the text."""
    found = _hits(rows, text, begin, end)
    index = 0
    while index < len(found):
        start, stop = line_at(text, found[index].at, end)
        first = index
        while index < len(found) and found[index].at < stop:
            index += 1
        yield (start, stop), found[first:index]


def _hits(rows: Rows | None, text: bytes, begin: int, end: int) -> list[Hit]:
    """Every needle between two offsets, but in lines that are read. Stretches between those are searched together: a
    search has a price, and many stretches are one line long."""
    if rows is None:
        return _search(text, begin, end)
    stretches = [(begin, int(rows.starts[0])), *rows.rest(end), (int(rows.stops[-1]) + 1, end)]
    joined = b"".join(text[start:stop] for start, stop in stretches)
    ends = list(accumulate(stop - start for start, stop in stretches))
    shift = partial(_shifted, stretches, ends)
    return [Hit(shift(hit.at), hit.needle) for hit in _search(joined, 0, len(joined))]


def _shifted(stretches: list[tuple[int, int]], ends: list[int], at: int) -> int:
    """The offset in the text of an offset in the joined stretches."""
    number = bisect_right(ends, at)
    return stretches[number][1] - (ends[number] - at)


def _search(text: bytes, begin: int, end: int) -> list[Hit]:
    return sorted(anchors(text, begin, end) + PHRASES.hits(text, begin, end), key=lambda hit: hit.at)
