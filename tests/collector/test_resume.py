"""Where to read next."""

from __future__ import annotations

from dataclasses import replace

import pytest

from collector.follow.files import FileStat
from collector.follow.resume import (
    MARKER_BYTES,
    GoOn,
    StartAgain,
    decide,
    drained,
    marker_length,
    marker_of,
    next_generation,
    rotated,
)
from collector.wire.records import Cursor
from tests.support.growing import lines

WHOLE = lines(range(1, 20))
READ = len(lines(range(1, 11)))
BEFORE = WHOLE[READ - marker_length(READ) : READ]
CURSOR = Cursor("info.log", "log", 0, offset=READ, marker=marker_of(BEFORE), inode=7, state={"step": 10})


@pytest.mark.parametrize(
    ("size", "before", "verdict"),
    [
        pytest.param(READ, BEFORE, GoOn(), id="nothing new"),
        pytest.param(len(WHOLE), BEFORE, GoOn(), id="grown"),
        pytest.param(READ - 1, BEFORE[:-1], StartAgain("truncated"), id="shorter"),
        pytest.param(0, b"", StartAgain("truncated"), id="emptied"),
        pytest.param(len(WHOLE), lines(range(90, 99))[-len(BEFORE) :], StartAgain("replaced"), id="other bytes"),
        pytest.param(len(WHOLE), BEFORE[:-5], StartAgain("replaced"), id="cut off while it was read"),
    ],
)
def test_the_bytes_before_the_offset_decide(size: int, before: bytes, verdict: GoOn | StartAgain) -> None:
    assert decide(CURSOR, FileStat(size, 0.0, 8), before) == verdict


def test_a_file_that_was_never_read_goes_on_whatever_it_holds() -> None:
    assert decide(Cursor("info.log", "log", 0), FileStat(5, 0.0, 1), b"") == GoOn()


def test_lines_that_end_alike_at_the_same_offset_are_told_apart() -> None:
    other = lines(range(101, 111))
    assert len(other) == READ
    assert other[-64:] == BEFORE[-64:]
    assert decide(CURSOR, FileStat(READ, 0.0, 7), other[-marker_length(READ) :]) == StartAgain("replaced")


def test_the_marker_covers_the_last_bytes_alone() -> None:
    tail = bytes(range(256)) * 4
    assert len(tail) == MARKER_BYTES
    assert marker_of(b"anything before" + tail) == marker_of(tail)
    assert marker_of(b"") == ""


def test_other_content_begins_at_zero_with_a_fresh_parser_and_keeps_its_counts() -> None:
    begun = next_generation(replace(CURSOR, counts={"bad_data_crc": 2}))
    assert (begun.generation, begun.offset, begun.marker, begun.state) == (1, 0, "", {})
    assert begun.counts == {"bad_data_crc": 2, "file_rewritten": 1}


def test_a_rotated_log_goes_on_in_its_generation_with_the_parsers_memory() -> None:
    assert rotated(CURSOR, 9) == replace(CURSOR, offset=0, marker="", inode=9)
    assert drained(CURSOR, "info.log.1", None) == replace(CURSOR, file="info.log.1")
