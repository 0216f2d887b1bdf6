"""What a sentence becomes: an event, the end of a traceback that opens here, or the start of the next generation."""

from __future__ import annotations

import re

from collector.parse.log.memory import LogMemory
from collector.parse.log.prefix import clock, message
from collector.parse.log.sentences import Sentence, sentence_of
from collector.parse.log.text import line_at, shown
from collector.parse.parsed import Restart
from collector.wire.records import RunEvent

# ValueError: There is nan in loss with value nan, terminate training.   KeyboardInterrupt   shutil.SpecialFileError: no
_EXCEPTION = re.compile(rb"(?:[A-Za-z_]\w{0,99}\.){0,20}[A-Z]\w{2,99}(?:: |:?\Z)")
#   File "/home/user/site-packages/mindspore/train/model.py", line 1274, in train
_FRAME = re.compile(rb'\s*File "(?:[^"]*[/\\])?([^"/\\]{1,100})", line (\d{1,9}), in (\S.{0,99})')
_MOST_OF_FRAMES = 8_000  # characters of a traceback that are kept; the innermost, which tell most
_LONGEST_TRACEBACK = 500  # lines, after which its last line is no longer waited for


def new_start(memory: LogMemory, line: bytes) -> Restart | None:
    """The new start of the job that a line announces after points, if it does."""
    heard = sentence_of(line)
    if heard is None or heard[0].kind not in ("start", "resume"):
        return None
    if not memory.points or b"healthy checkpoint" in line:
        return None
    wall = clock(line, 0, len(line))
    return Restart(None if wall != wall else wall, told(line))


def hear(memory: LogMemory, line: bytes) -> None:
    """Keep what a line tells, if it tells something."""
    heard = sentence_of(line)
    if heard is not None:
        _keep(memory, heard[0], line, heard[1])


def told(line: bytes) -> str:
    """What a line says, for people: without the logger's prefix and the dots that frame MindFormers' life cycle."""
    text = shown(message(line))
    return text.strip(". ") if text.startswith("...") else text


def _keep(memory: LogMemory, sentence: Sentence, line: bytes, step: int | None) -> None:
    if sentence.kind == "traceback":
        memory.traceback, memory.traceback_step = 1, memory.step  # kept when its last line is found
        memory.frames.clear()
    else:
        memory.event(sentence.kind, clock(line, 0, len(line)), told(line), step)


def end_traceback(memory: LogMemory, text: bytes, at: int, end: int) -> None:
    """Look for the exception that ends an open traceback, from ``at`` on; if it is not here yet, it is waited for.

    Of the lines before it those that name a place are kept; the others are quoted source code.
    """
    at = max(at, memory.heard)
    while memory.traceback and at < end:
        start, stop = line_at(text, at, end)
        line = text[start:stop]
        at = stop + 1
        memory.traceback += 1
        if _EXCEPTION.match(line):
            event = RunEvent("traceback", memory.traceback_step, None, shown(line), frames=tuple(memory.frames))
            memory.events.append((start, event))
            memory.heard = start
            _close(memory)
            return
        memory.heard = at
        if memory.traceback > _LONGEST_TRACEBACK:
            _close(memory)
        else:
            _keep_frame(memory, line)


def _close(memory: LogMemory) -> None:
    memory.traceback = 0
    memory.frames.clear()


def _keep_frame(memory: LogMemory, line: bytes) -> None:
    """Keep what a line says of a place in a program, if it does: ``model.py:1274 train``."""
    found = _FRAME.match(line)
    if found is None:
        return
    file, number, function = (shown(part) for part in found.groups())
    memory.frames.append(f"{file}:{number} {function}")
    while sum(map(len, memory.frames)) > _MOST_OF_FRAMES:
        memory.frames.pop(0)
